/** Queries for form access: the members and roles that may use a form, and their modes (R27). */

import sql, { raw, type Sql } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import { selectByIds } from "./id-lists.ts";
import type { OrgTx } from "./store.ts";

/**
 * A form grants access to members and to roles. The access tables of members and of roles have the same structure, so
 * they share the queries.
 */
export type GranteeKind = "membership" | "role";

const TABLES = {
  membership: {
    rows: raw("access_membership_rows"),
    modes: raw("access_membership_modes"),
    id: raw("membership_id"),
    all: raw("memberships"),
  },
  role: { rows: raw("access_role_rows"), modes: raw("access_role_modes"), id: raw("role_id"), all: raw("roles") },
};

export type AccessRow = { granteeId: string; types: Mode[] };

/** Returns the access rows of a form, each with its modes. Rows and modes are in the order in which they were set. */
export async function listAccess(tx: OrgTx, grantee: GranteeKind, formId: string): Promise<AccessRow[]> {
  const { rows, modes, id } = TABLES[grantee];
  const found = await tx.all<{ subject_id: string; mode: Mode }>(sql`
    SELECT r.${id} AS subject_id, m.mode
    FROM ${rows} r JOIN ${modes} m ON m.org_id = r.org_id AND m.form_id = r.form_id AND m.${id} = r.${id}
    WHERE r.org_id = ${tx.orgId} AND r.form_id = ${formId} ORDER BY r.position, m.position`);
  const access = new Map<string, Mode[]>();
  for (const { subject_id, mode } of found) {
    const types = access.get(subject_id);
    if (types) types.push(mode);
    else access.set(subject_id, [mode]);
  }
  return [...access].map(([granteeId, types]) => ({ granteeId, types }));
}

export async function replaceAccess(
  tx: OrgTx,
  grantee: GranteeKind,
  form: { id: string; org_id: string },
  access: readonly AccessRow[],
): Promise<void> {
  const { rows, modes, id } = TABLES[grantee];
  await tx.write(sql`DELETE FROM ${rows} WHERE org_id = ${tx.orgId} AND form_id = ${form.id}`);
  for (const [position, { granteeId, types }] of access.entries()) {
    await tx.write(sql`
      INSERT INTO ${rows} (form_id, org_id, ${id}, position)
      VALUES (${form.id}, ${form.org_id}, ${granteeId}, ${position})`);
    for (const [modePosition, mode] of types.entries()) {
      await tx.write(sql`
        INSERT INTO ${modes} (form_id, org_id, ${id}, mode, position)
        VALUES (${form.id}, ${form.org_id}, ${granteeId}, ${mode}, ${modePosition})`);
    }
  }
}

/** Deletes the access rows without modes from a form. */
export async function deleteEmptyAccess(tx: OrgTx, grantee: GranteeKind, formId: string): Promise<void> {
  const { rows, modes, id } = TABLES[grantee];
  await tx.write(sql`
    DELETE FROM ${rows} WHERE org_id = ${tx.orgId} AND form_id = ${formId} AND NOT EXISTS (
      SELECT 1 FROM ${modes} m
      WHERE m.org_id = ${tx.orgId} AND m.form_id = ${rows}.form_id AND m.${id} = ${rows}.${id})`);
}

/** Selects the number of members or roles that have access to a row of `forms`. */
export function countOfAccess({ orgId }: OrgTx, grantee: GranteeKind): Sql {
  return sql`(SELECT CAST(COUNT(*) AS INTEGER) FROM ${TABLES[grantee].rows} r
     WHERE r.org_id = ${orgId} AND r.form_id = forms.id)`;
}

/** Returns the `granteeIds` that belong to the organization. */
export async function findGrantees(
  tx: OrgTx,
  grantee: GranteeKind,
  granteeIds: readonly string[],
): Promise<Set<string>> {
  const found = await selectByIds<{ id: string }>(
    tx,
    granteeIds,
    (ids) => sql`SELECT id FROM ${TABLES[grantee].all} WHERE org_id = ${tx.orgId} AND id IN (${ids})`,
  );
  return new Set(found.map(({ id }) => id));
}
