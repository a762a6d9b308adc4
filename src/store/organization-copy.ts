/** Copies one organization of a store into an empty store, for a rehearsal. */

import sql, { raw, type Sql } from "sql-template-tag";
import type { CopyPart } from "../local-service.ts";
import { copyTable, insertRows, type Row } from "./copy.ts";
import { selectByIds } from "./id-lists.ts";
import { findObject } from "./objects.ts";
import { inOrganization, pageSize, type Store, type Tx } from "./store.ts";
import { columnsOf, TABLE_NAMES, type TableName } from "./tables.ts";

/** The tables that are not copied. `NEW_LOG` writes a new audit log. */
const LEFT_OUT: ReadonlySet<TableName> = new Set(["api_tokens", "file_trash", "audit"]);

/**
 * Adds an audit row for each stored response: invariant I13 (invariants.ts) requires such a row. The original rows are
 * not copied, because the audit log has no index to find them.
 */
const NEW_LOG = `
  INSERT INTO audit (org_id, seq, at, operation, target, client_mutation_id)
  SELECT org_id, row_number() OVER (ORDER BY created_at), created_at, operation, '', client_mutation_id
  FROM mutations`;

/** The rows of forms. `f` is a form, and `t` is a row of the table. */
const OF_FORM = "t.org_id = f.org_id AND t.form_id = f.id";

/** The rows of the layouts of forms. */
const OF_LAYOUT = (layoutId: string) =>
  `l.org_id = f.org_id AND l.owner_form_id = f.id AND t.org_id = l.org_id AND t.${layoutId} = l.id`;

/** How the rows of some forms are found. All rows of the other tables are copied, because other records refer to them. */
const ROWS: Partial<Record<TableName, readonly string[]>> = {
  forms: ["t.org_id = f.org_id AND t.id = f.id"],
  form_types: [OF_FORM],
  form_defaults: [OF_FORM],
  access_membership_rows: [OF_FORM],
  access_membership_modes: [OF_FORM],
  access_role_rows: [OF_FORM],
  access_role_modes: [OF_FORM],
  public_uploads: [OF_FORM],
  layouts: ["t.org_id = f.org_id AND t.owner_form_id = f.id"],
  layout_contents: [OF_LAYOUT("layout_id")],
  layout_versions: [OF_LAYOUT("layout_id")],
  mutations: [
    OF_LAYOUT("owner_layout_id"),
    "t.org_id = f.org_id AND t.owner_form_id = f.id AND t.owner_layout_id IS NULL",
  ],
  // These tables are for layouts that no form owns.
  layout_modes: [],
  assignments: [],
  assignment_defaults: [],
};

/**
 * Copies the records of an organization, without its tokens and its audit log.
 *
 * @param forms the ids of the copied forms: see {@link formsOfPart}. Default: all forms and layouts
 */
export async function copyOrganization(
  source: Tx,
  into: Store,
  orgId: string,
  forms?: readonly string[],
): Promise<void> {
  await into.write(async (target) => {
    for (const table of TABLE_NAMES) {
      if (LEFT_OUT.has(table)) continue;
      const own = forms && ROWS[table];
      const all = table === "organizations" ? sql`id = ${orgId}` : sql`org_id = ${orgId}`;
      if (own) await copyRows(source, target, table, { orgId, forms, own });
      else await copyTable(source, target, table, () => {}, all);
    }
    await target.run(raw(NEW_LOG));
  });
}

async function copyRows(
  source: Tx,
  target: Tx,
  table: TableName,
  { orgId, forms, own }: { orgId: string; forms: readonly string[]; own: readonly string[] },
): Promise<void> {
  const columns = columnsOf(table).map((column) => `t.${column}`);
  const size = pageSize(table);
  for (const condition of own) {
    // CROSS JOIN keeps the order of the tables on SQLite. With JOIN, SQLite would read all layouts of the organization.
    const tables = condition.includes("l.") ? "forms f CROSS JOIN layouts l" : "forms f";
    const query = (list: Sql) => sql`
      SELECT ${raw(columns.join(", "))} FROM ${raw(tables)} CROSS JOIN ${raw(table)} t
      WHERE f.org_id = ${orgId} AND f.id IN (${list}) AND ${raw(condition)}`;
    for (let start = 0; start < forms.length; start += size) {
      await insertRows(target, table, await selectByIds<Row>(source, forms.slice(start, start + size), query));
    }
  }
}

/** Returns the ids of the forms in a part. Undefined if all forms have to be copied: see `CopyPart`. */
export async function formsOfPart(
  tx: Tx,
  orgId: string,
  { objects, creations = [] }: CopyPart,
): Promise<string[] | undefined> {
  if (!objects) return undefined;
  const stored = await selectByIds(
    tx,
    creations,
    (list) => sql`
      SELECT 1 FROM mutations
      WHERE org_id = ${orgId} AND operation = 'createForm' AND client_mutation_id IN (${list})`,
  );
  if (stored.length > 0) return undefined;
  const forms = new Set<string>();
  for (const { moduleKey, objectKey, formIds, names } of objects) {
    const object = await findObject(inOrganization(tx, orgId), moduleKey, objectKey);
    if (!object) continue;
    const ofObject = sql`org_id = ${orgId} AND object_id = ${object.id}`;
    const byId = (list: Sql) => sql`SELECT id, object_id FROM forms WHERE org_id = ${orgId} AND id IN (${list})`;
    const byName = (list: Sql) => sql`SELECT id FROM forms WHERE ${ofObject} AND name IN (${list})`;
    const found = await selectByIds<{ id: string; object_id: string }>(tx, formIds, byId);
    for (const { id, object_id } of found) if (object_id === object.id) forms.add(id);
    for (const { id } of await selectByIds<{ id: string }>(tx, names, byName)) forms.add(id);
    const defaults = await tx.all<{ id: string }>(sql`SELECT form_id AS id FROM form_defaults WHERE ${ofObject}`);
    for (const { id } of defaults) forms.add(id);
  }
  return [...forms];
}
