/**
 * Copies some forms of one organization into a database in memory. So the time to rehearse a few forms does not depend
 * on the size of the store.
 */

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { CopyPart } from "../local-service.ts";
import { PAGE_SIZE, pragma } from "./sqlite-schema.ts";

/** All rows of the organization in these tables are copied, because other records refer to them. */
const OF_ORGANIZATION = [
  "roles",
  "memberships",
  "membership_roles",
  "modules",
  "objects",
  "fields",
  "custom_fields",
  "scripts",
];

/** The tables with rows of forms. Each value is the column with the id of the form. */
export const OF_FORMS = {
  forms: "id",
  form_types: "form_id",
  form_defaults: "form_id",
  access_membership_rows: "form_id",
  access_membership_modes: "form_id",
  access_role_rows: "form_id",
  access_role_modes: "form_id",
  public_uploads: "form_id",
  layouts: "owner_form_id",
};

/** The tables with rows of the forms' layouts. Each value is the column with the id of the layout. */
export const OF_LAYOUTS = { layout_contents: "layout_id", layout_versions: "layout_id", mutations: "owner_layout_id" };

/**
 * Adds an audit row for each stored response: invariant I13 (invariants.ts) requires such a row. The original rows are
 * not copied, because the audit log has no index to find them.
 */
export const NEW_LOG = `
  INSERT INTO audit (org_id, seq, at, operation, target, client_mutation_id)
  SELECT org_id, row_number() OVER (ORDER BY created_at), created_at, operation, '', client_mutation_id
  FROM mutations`;

// CROSS JOIN keeps the order of the tables. With JOIN, SQLite would read all forms of the object.
const FORMS_BY_ID = `
  SELECT f.id FROM json_each(?) v CROSS JOIN forms f ON f.id = v.value
  CROSS JOIN objects o ON o.id = f.object_id CROSS JOIN modules m ON m.id = o.module_id
  WHERE m.org_id = ? AND m.key = ? AND o.key = ?`;

const FORMS_BY_NAME = `
  SELECT f.id FROM json_each(?) v CROSS JOIN modules m ON m.org_id = ? AND m.key = ?
  CROSS JOIN objects o ON o.module_id = m.id AND o.key = ?
  CROSS JOIN forms f ON f.object_id = o.id AND f.name = v.value`;

const DEFAULT_FORMS = `
  SELECT d.form_id AS id FROM modules m JOIN objects o ON o.module_id = m.id JOIN form_defaults d ON d.object_id = o.id
  WHERE m.org_id = ? AND m.key = ? AND o.key = ?`;

const STORED_CREATIONS = `
  SELECT client_mutation_id AS id FROM mutations
  WHERE org_id = ? AND operation = 'createForm' AND client_mutation_id IN (SELECT value FROM json_each(?))`;

/**
 * Returns a database with the forms of a part, and with the default forms of their objects. Returns undefined in these
 * cases, in which the caller has to copy the whole store:
 *
 * - The part has all forms: `objects` is undefined.
 * - The organization of the part is not found.
 * - The part names no organization, and the store has several.
 * - The store has a stored response for one of the keys in `creations`.
 *
 * @param live a connection to a store with the current schema
 */
export function copyOfPart(
  live: DatabaseSync,
  { organization, objects, creations = [] }: CopyPart,
): DatabaseSync | undefined {
  if (!objects) return undefined;
  // All queries read the same snapshot.
  live.exec("BEGIN");
  try {
    const organizations = idsOf(live, "SELECT id FROM organizations WHERE ? IS NULL OR key = ?", [
      organization ?? null,
      organization ?? null,
    ]);
    const [orgId] = organizations;
    if (orgId === undefined || organizations.length > 1) return undefined;
    if (creations.length > 0 && idsOf(live, STORED_CREATIONS, [orgId, JSON.stringify(creations)]).length > 0)
      return undefined;
    const forms = new Set<string>();
    for (const { moduleKey, objectKey, formIds, names } of objects) {
      const ofObject = [orgId, moduleKey, objectKey];
      for (const id of idsOf(live, FORMS_BY_ID, [JSON.stringify(formIds), ...ofObject])) forms.add(id);
      for (const id of idsOf(live, FORMS_BY_NAME, [JSON.stringify(names), ...ofObject])) forms.add(id);
      for (const id of idsOf(live, DEFAULT_FORMS, ofObject)) forms.add(id);
    }
    const layouts = idsOf(live, "SELECT l.id FROM json_each(?) v CROSS JOIN layouts l ON l.owner_form_id = v.value", [
      JSON.stringify([...forms]),
    ]);
    return copyOf(live, { orgId, forms: [...forms], layouts });
  } finally {
    live.exec("COMMIT");
  }
}

function idsOf(live: DatabaseSync, query: string, values: SQLInputValue[]): string[] {
  return live
    .prepare(query)
    .all(...values)
    .map(({ id }) => String(id));
}

type Ids = { orgId: string; forms: readonly string[]; layouts: readonly string[] };

function copyOf(live: DatabaseSync, { orgId, forms, layouts }: Ids): DatabaseSync {
  const copy = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false });
  try {
    copy.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA trusted_schema = OFF; BEGIN`);
    createAll(live, copy, "table");
    copyRows(live, copy, "meta", "1", []);
    copyRows(live, copy, "organizations", "id = ?", [orgId]);
    for (const table of OF_ORGANIZATION) copyRows(live, copy, table, "org_id = ?", [orgId]);
    const copyOwned = (owners: Readonly<Record<string, string>>, ids: readonly string[]) => {
      const list = JSON.stringify(ids);
      for (const [table, column] of Object.entries(owners))
        copyRows(live, copy, table, `${column} IN (SELECT value FROM json_each(?))`, [list]);
    };
    copyOwned(OF_FORMS, forms);
    copyOwned(OF_LAYOUTS, layouts);
    // `OF_LAYOUTS` selects the responses that belong to a layout. This condition selects the responses that belong to a
    // form.
    const ofForm = "owner_layout_id IS NULL AND owner_form_id IN (SELECT value FROM json_each(?))";
    copyRows(live, copy, "mutations", ofForm, [JSON.stringify(forms)]);
    copy.exec(NEW_LOG);
    createAll(live, copy, "index");
    // The triggers are created last: they would count the copied fields as changes.
    createAll(live, copy, "trigger");
    for (const name of ["application_id", "user_version"]) copy.exec(`PRAGMA ${name} = ${pragma(live, name)}`);
    copy.exec("COMMIT");
    return copy;
  } catch (error) {
    copy.close();
    throw error;
  }
}

/** Creates the tables, indexes or triggers of `live` in `copy`. */
function createAll(live: DatabaseSync, copy: DatabaseSync, type: "table" | "index" | "trigger"): void {
  const own = "sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  const rows = live.prepare(`SELECT sql FROM sqlite_schema WHERE type = ? AND ${own}`).all(type);
  for (const { sql } of rows) copy.exec(String(sql));
}

function copyRows(
  live: DatabaseSync,
  copy: DatabaseSync,
  table: string,
  condition: string,
  values: SQLInputValue[],
): void {
  const select = live.prepare(`SELECT * FROM ${table} WHERE ${condition}`);
  select.setReturnArrays(true);
  const places = select.columns().map(() => "?");
  const insert = copy.prepare(`INSERT INTO ${table} VALUES (${places.join(", ")})`);
  for (const row of select.iterate(...values)) insert.run(...(row as unknown as SQLInputValue[]));
}
