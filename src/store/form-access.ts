/** Which members and roles may use a form, and in which modes (R27). */

import sql, { raw } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import type { FormRecord } from "./forms.ts";
import { selectByIds } from "./id-lists.ts";
import type { Tx } from "./store.ts";

/** Whom a row is for. Members and roles have tables of the same shape. */
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

/** The rows of a form, and the modes of each, in the order in which they were given. */
export async function listAccess(tx: Tx, subject: GranteeKind, formId: string): Promise<AccessRow[]> {
  const { rows, modes, id } = TABLES[subject];
  const found = await tx.all<{ subject_id: string; mode: Mode }>(sql`
    SELECT r.${id} AS subject_id, m.mode
    FROM ${rows} r JOIN ${modes} m ON m.form_id = r.form_id AND m.${id} = r.${id}
    WHERE r.form_id = ${formId} ORDER BY r.position, m.position`);
  const access = new Map<string, Mode[]>();
  for (const { subject_id, mode } of found) {
    const types = access.get(subject_id);
    if (types) types.push(mode);
    else access.set(subject_id, [mode]);
  }
  return [...access].map(([granteeId, types]) => ({ granteeId, types }));
}

export async function replaceAccess(
  tx: Tx,
  subject: GranteeKind,
  form: FormRecord,
  access: readonly AccessRow[],
): Promise<void> {
  const { rows, modes, id } = TABLES[subject];
  await tx.run(sql`DELETE FROM ${rows} WHERE form_id = ${form.id}`);
  for (const [position, { granteeId, types }] of access.entries()) {
    await tx.run(sql`
      INSERT INTO ${rows} (form_id, org_id, ${id}, position)
      VALUES (${form.id}, ${form.org_id}, ${granteeId}, ${position})`);
    for (const [modePosition, mode] of types.entries()) {
      await tx.run(sql`
        INSERT INTO ${modes} (form_id, ${id}, mode, position)
        VALUES (${form.id}, ${granteeId}, ${mode}, ${modePosition})`);
    }
  }
}

/** Deletes the rows of a form that have no mode left. */
export async function deleteEmptyAccess(tx: Tx, subject: GranteeKind, formId: string): Promise<void> {
  const { rows, modes, id } = TABLES[subject];
  await tx.run(sql`
    DELETE FROM ${rows} WHERE form_id = ${formId} AND NOT EXISTS (
      SELECT 1 FROM ${modes} m WHERE m.form_id = ${rows}.form_id AND m.${id} = ${rows}.${id})`);
}

/** How many rows, not modes, each form has for members and for roles. */
export function countAccess(
  tx: Tx,
  formIds: readonly string[],
): Promise<{ form_id: string; members: number; roles: number }[]> {
  const countOf = (subject: GranteeKind) => sql`
    (SELECT CAST(COUNT(*) AS INTEGER) FROM ${TABLES[subject].rows} r WHERE r.form_id = f.id)`;
  return selectByIds(
    tx,
    formIds,
    (ids) => sql`
      SELECT f.id AS form_id, ${countOf("membership")} AS members, ${countOf("role")} AS roles
      FROM forms f WHERE f.id IN (${ids})`,
  );
}

/** Those of `subjectIds` that an organization has. */
export async function findGrantees(
  tx: Tx,
  subject: GranteeKind,
  orgId: string,
  subjectIds: readonly string[],
): Promise<Set<string>> {
  const found = await selectByIds<{ id: string }>(
    tx,
    subjectIds,
    (ids) => sql`SELECT id FROM ${TABLES[subject].all} WHERE org_id = ${orgId} AND id IN (${ids})`,
  );
  return new Set(found.map(({ id }) => id));
}
