/** Copies one organization of a database on a server into an empty store, for a rehearsal. */

import sql, { join, raw, type Sql } from "sql-template-tag";
import type { CopyPart } from "../local-service.ts";
import { copyTable } from "./copy.ts";
import { NEW_LOG, OF_FORMS, OF_LAYOUTS } from "./partial-copy.ts";
import type { Store, Tx } from "./store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** The tables that are not copied. `NEW_LOG` writes a new audit log. */
const LEFT_OUT: ReadonlySet<TableName> = new Set(["api_tokens", "file_trash", "audit"]);

/** The tables for layouts that no form owns. */
const OF_OTHER_LAYOUTS: ReadonlySet<string> = new Set(["layout_modes", "assignments", "assignment_defaults"]);

/**
 * Copies the records of an organization, without its tokens and its audit log.
 *
 * @param part selects the copied forms and their layouts. Default: all forms and layouts
 */
export async function copyOrganization(from: Store, into: Store, orgId: string, part?: CopyPart): Promise<void> {
  await from.read(async (source) => {
    const ids = part && (await idsOfPart(source, orgId, part));
    await into.write(async (target) => {
      for (const table of TABLE_NAMES) {
        if (!LEFT_OUT.has(table)) await copyTable(source, target, table, () => {}, rowsOf(table, orgId, ids));
      }
      await target.run(raw(NEW_LOG));
    });
  });
}

type Ids = { forms: readonly string[]; layouts: readonly string[] };

/** Returns the condition on the copied rows of a table. */
function rowsOf(table: TableName, orgId: string, ids: Ids | undefined): Sql {
  if (table === "organizations") return sql`id = ${orgId}`;
  const all = sql`org_id = ${orgId}`;
  if (!ids) return all;
  if (OF_OTHER_LAYOUTS.has(table)) return sql`${all} AND 1 = 0`;
  const ofForms = (column: string) => isIn(column, ids.forms);
  const ofLayouts = (column: string) => isIn(column, ids.layouts);
  if (table === "mutations") {
    const { mutations: layout } = OF_LAYOUTS;
    return sql`${all} AND (${ofLayouts(layout)} OR (${raw(layout)} IS NULL AND ${ofForms("owner_form_id")}))`;
  }
  const form = (OF_FORMS as Partial<Record<TableName, string>>)[table];
  const layout = (OF_LAYOUTS as Partial<Record<TableName, string>>)[table];
  if (form !== undefined) return sql`${all} AND ${ofForms(form)}`;
  return layout === undefined ? all : sql`${all} AND ${ofLayouts(layout)}`;
}

function isIn(column: string, ids: readonly string[]): Sql {
  return ids.length === 0 ? sql`1 = 0` : sql`${raw(column)} IN (${join(ids)})`;
}

/** Returns the ids of the forms and of their layouts. Undefined if all forms have to be copied: see `CopyPart`. */
async function idsOfPart(tx: Tx, orgId: string, { objects, creations = [] }: CopyPart): Promise<Ids | undefined> {
  if (!objects) return undefined;
  const read = async (query: Sql) => (await tx.all<{ id: string }>(query)).map(({ id }) => id);
  const stored = sql`
    SELECT client_mutation_id AS id FROM mutations
    WHERE org_id = ${orgId} AND operation = 'createForm' AND ${isIn("client_mutation_id", creations)}`;
  if ((await read(stored)).length > 0) return undefined;
  const forms = new Set<string>();
  for (const { moduleKey, objectKey, formIds, names } of objects) {
    const ofObject = sql`
      FROM forms f JOIN objects o ON o.org_id = f.org_id AND o.id = f.object_id
      JOIN modules m ON m.org_id = o.org_id AND m.id = o.module_id
      WHERE f.org_id = ${orgId} AND m.key = ${moduleKey} AND o.key = ${objectKey}`;
    const isDefault = sql`
      EXISTS (SELECT 1 FROM form_defaults d WHERE d.org_id = f.org_id AND d.object_id = f.object_id AND d.form_id = f.id)`;
    for (const condition of [isIn("f.id", formIds), isIn("f.name", names), isDefault]) {
      for (const id of await read(sql`SELECT f.id ${ofObject} AND ${condition}`)) forms.add(id);
    }
  }
  const ids = [...forms];
  const layouts = await read(sql`SELECT id FROM layouts WHERE org_id = ${orgId} AND ${isIn("owner_form_id", ids)}`);
  return { forms: ids, layouts };
}
