/** Queries for forms, their modes and layouts, and the default forms of objects. */

import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import { selectByIds } from "./id-lists.ts";
import type { LayoutRecord } from "./layouts.ts";
import type { ObjectId } from "./objects.ts";
import type { OrgTx } from "./store.ts";
import { hashedColumns, recordHash, verifyRecords } from "./record-hash.ts";
import { type PublishedHead, verifyPublished } from "./versions.ts";
import { MODES } from "../schemas/words.ts";
import { countOfAccess } from "./form-access.ts";

export type FormRecord = {
  id: string;
  org_id: string;
  object_id: string;
  name: string;
  is_active: 0 | 1;
  is_public: 0 | 1;
  public_token: string | null;
  /** JSON text, or null. */
  config: string | null;
  created_at: string;
  updated_at: string;
};

/** The layout of a form, with its published version. */
export type OwnedLayout = {
  id: string;
  name: string;
  published: PublishedHead | undefined;
};

/** A form with its modes in the order in which they were set, and its layout. */
export type FormParts = { form: FormRecord; types: Mode[]; layout: OwnedLayout | undefined };

const positionOf = (orgId: string, mode: Mode) => sql`
  (SELECT t.position FROM form_types t WHERE t.org_id = ${orgId} AND t.form_id = forms.id AND t.mode = ${mode})
    AS ${raw(positionName(mode))}`;

const positionName = (mode: Mode) => `position_${mode.toLowerCase()}`;

/** The columns of a table, each with its name in the rows of the query. */
type PartColumns = readonly (readonly [column: string, name: string])[];

const columnsOfPart = (prefix: string, columns: string): PartColumns =>
  columns.split(", ").map((column) => [column, `${prefix}${column}`] as const);

const FORM = columnsOfPart("", `${hashedColumns("forms")}, record_hash`);
const LAYOUT = columnsOfPart("l_", `${hashedColumns("layouts")}, record_hash`);
const HEAD = columnsOfPart("v_", `${hashedColumns("layout_versions")}, status, record_hash, verdict, verdict_hash`);

const selected = (table: string, columns: PartColumns) =>
  raw(columns.map(([column, name]) => `${table}.${column}${name === column ? "" : ` AS ${name}`}`).join(", "));

/**
 * Selects the parts of forms with one query. A LEFT JOIN makes SQLite begin with the forms. Each table is compared with
 * the organization itself: otherwise a database that is split by organization would plan a search of all parts.
 */
const selectParts = ({ orgId }: OrgTx, more = empty) => sql`
  SELECT ${selected("forms", FORM)}, ${join(MODES.map((mode) => positionOf(orgId, mode)))},
         ${selected("l", LAYOUT)}, ${selected("v", HEAD)}${more}
  FROM forms
    LEFT JOIN layouts l ON l.org_id = ${orgId} AND l.owner_form_id = forms.id AND l.status <> 'ARCHIVED'
    LEFT JOIN layout_versions v ON v.org_id = ${orgId} AND v.layout_id = l.id AND v.status = 'PUBLISHED'`;

type Row = FormRecord & Record<string, string | number | null>;

function partOf(row: Row, columns: PartColumns): object {
  const part: Record<string, string | number | null | undefined> = {};
  for (const [column, name] of columns) part[column] = row[name];
  return part;
}

/** @param asked see `verifyRecords` @throws StoreError STORE_CORRUPT if a form, layout or version is damaged */
function partsOf(rows: readonly Row[], asked: Readonly<Record<string, string | number>>): FormParts[] {
  return verifyRecords("forms", rows, asked).map((row) => {
    const { record_hash: _hash, ...form } = partOf(row, FORM) as FormRecord & { record_hash: string };
    const placed = MODES.map((mode) => ({ mode, position: row[positionName(mode)] as number | null }));
    const types = placed.filter(({ position }) => position !== null).toSorted((a, b) => a.position! - b.position!);
    const layout = row["l_id"] === null ? undefined : (partOf(row, LAYOUT) as LayoutRecord);
    const head =
      row["v_id"] === null ? undefined : (partOf(row, HEAD) as PublishedHead & { verdict_hash: string | null });
    if (layout) verifyRecords("layouts", [layout], { owner_form_id: row.id });
    return {
      form,
      types: types.map(({ mode }) => mode),
      layout: layout && { id: layout.id, name: layout.name, published: head && verifyPublished(head) },
    };
  });
}

/** Finds a form of the organization. The caller compares its object. */
export async function findFormParts(tx: OrgTx, formId: string): Promise<FormParts | undefined> {
  const row = await tx.first<Row>(sql`${selectParts(tx)} WHERE forms.org_id = ${tx.orgId} AND forms.id = ${formId}`);
  return row && partsOf([row], { id: formId, org_id: tx.orgId })[0];
}

/** Lists the forms with the given ids, of any object of the organization. */
export async function listFormsById(tx: OrgTx, formIds: readonly string[]): Promise<FormParts[]> {
  const found = await selectByIds<Row>(
    tx,
    formIds,
    (ids) => sql`${selectParts(tx)} WHERE forms.org_id = ${tx.orgId} AND forms.id IN (${ids})`,
  );
  return partsOf(found, { org_id: tx.orgId });
}

/** The column by which a filter selects few forms. Undefined for a filter that may select any number of forms. */
export type SelectiveKey = "name" | "id" | undefined;

export type FormCondition = { condition: Sql; key: SelectiveKey };

/** The position of a form in the default order: oldest first. */
export type FormPosition = Pick<FormRecord, "created_at" | "id">;

type FormSelection = FormCondition & {
  order: Sql;
  limit: number;
  offset: number;
  /** Selects only forms after this position in the default order. */
  after?: FormPosition | undefined;
};

/** A form in a list, with the numbers of members and roles that have access to it. */
export type ListedForm = FormParts & { members: number; roles: number };

/** Lists forms of an object. The caller compares the object of each form. */
export async function listForms(tx: OrgTx, objectId: ObjectId, selection: FormSelection): Promise<ListedForm[]> {
  const { order, limit, offset, after } = selection;
  const isAfter = after ? sql` AND (forms.created_at, forms.id) > (${after.created_at}, ${after.id})` : empty;
  const counts = sql`,
    ${countOfAccess(tx, "membership")} AS access_members, ${countOfAccess(tx, "role")} AS access_roles`;
  const found = await tx.all<Row>(sql`
    ${selectParts(tx, counts)} WHERE ${formsOf(tx, objectId, selection)}${isAfter}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`);
  return partsOf(found, { org_id: tx.orgId }).map((parts, index) => ({
    ...parts,
    members: Number(found[index]!["access_members"]),
    roles: Number(found[index]!["access_roles"]),
  }));
}

export async function countForms(tx: OrgTx, objectId: ObjectId, condition: FormCondition): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`
    SELECT CAST(COUNT(*) AS INTEGER) AS total FROM forms WHERE ${formsOf(tx, objectId, condition)}`);
  return row?.total ?? 0;
}

function formsOf(tx: OrgTx, objectId: ObjectId, { condition, key }: FormCondition): Sql {
  // The concatenation prevents the use of an index on `object_id`. So the database finds the forms by id.
  const object = key === "id" ? sql`forms.object_id || ''` : sql`forms.object_id`;
  return sql`forms.org_id = ${tx.orgId} AND ${object} = ${objectId} AND ${condition}`;
}

/**
 * Lists the active forms of an object, oldest first. With `mode`, lists only the forms that have this mode. The caller
 * compares the object of each form.
 */
export async function listActiveForms(tx: OrgTx, objectId: ObjectId, mode: Mode | undefined): Promise<FormParts[]> {
  const condition = mode === undefined ? sql`1 = 1` : hasMode(tx, mode);
  const found = await tx.all<Row>(sql`
    ${selectParts(tx)}
    WHERE forms.org_id = ${tx.orgId} AND forms.object_id = ${objectId} AND forms.is_active = 1 AND ${condition}
    ORDER BY forms.created_at, forms.id`);
  return partsOf(found, { org_id: tx.orgId, is_active: 1 });
}

/** Returns a condition on a row of `forms`: the form has the mode. */
export function hasMode({ orgId }: OrgTx, mode: Mode): Sql {
  return sql`EXISTS (SELECT 1 FROM form_types t WHERE t.org_id = ${orgId} AND t.form_id = forms.id AND t.mode = ${mode})`;
}

export async function insertForm(tx: OrgTx, form: FormRecord): Promise<void> {
  await tx.write(sql`
    INSERT INTO forms
      (id, org_id, object_id, name, name_folded, is_active, is_public, public_token, config, created_at, updated_at,
       record_hash)
    VALUES (${form.id}, ${form.org_id}, ${form.object_id}, ${form.name}, ${foldName(form.name)}, ${form.is_active},
            ${form.is_public}, ${form.public_token}, ${form.config}, ${form.created_at}, ${form.updated_at},
            ${recordHash("forms", form)})`);
}

export async function updateForm(tx: OrgTx, form: FormRecord): Promise<void> {
  await tx.write(sql`
    UPDATE forms SET name = ${form.name}, name_folded = ${foldName(form.name)}, is_active = ${form.is_active},
      is_public = ${form.is_public}, public_token = ${form.public_token}, config = ${form.config},
      updated_at = ${form.updated_at}, record_hash = ${recordHash("forms", form)}
    WHERE id = ${form.id} AND org_id = ${tx.orgId}`);
}

/** Deletes a form. Foreign keys delete its modes, access, uploads, layout and versions (R83). */
export async function deleteForm(tx: OrgTx, formId: string): Promise<void> {
  await tx.write(sql`DELETE FROM forms WHERE id = ${formId} AND org_id = ${tx.orgId}`);
}

/** Converts a name to the text that is compared in case-insensitive comparisons. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

/** Inserts the modes of a new form. */
export async function insertFormTypes(tx: OrgTx, form: FormRecord, modes: readonly Mode[]): Promise<void> {
  const rows = modes.map(
    (mode, position) => sql`(${form.id}, ${form.org_id}, ${form.object_id}, ${mode}, ${position})`,
  );
  await tx.write(sql`INSERT INTO form_types (form_id, org_id, object_id, mode, position) VALUES ${join(rows)}`);
}

/** Replaces the modes of a form. A removed mode is also removed from the form's access rows (R74). */
export async function replaceFormTypes(tx: OrgTx, form: FormRecord, modes: readonly Mode[]): Promise<void> {
  await tx.write(
    sql`DELETE FROM form_types WHERE org_id = ${tx.orgId} AND form_id = ${form.id} AND mode NOT IN (${join(modes)})`,
  );
  for (const [position, mode] of modes.entries()) {
    await tx.write(sql`
      INSERT INTO form_types (form_id, org_id, object_id, mode, position)
      VALUES (${form.id}, ${form.org_id}, ${form.object_id}, ${mode}, ${position})
      ON CONFLICT (org_id, object_id, form_id, mode) DO UPDATE SET position = excluded.position`);
  }
}

/** Marks the uploaded files of a form for removal after the commit. */
export async function trashUploads(tx: OrgTx, formId: string, now: string): Promise<void> {
  await tx.write(sql`
    INSERT INTO file_trash (path, created_at) SELECT path, ${now} FROM public_uploads
    WHERE org_id = ${tx.orgId} AND form_id = ${formId}`);
}

export type DefaultRecord = { mode: Mode; form_id: string };

export function listDefaults(tx: OrgTx, objectId: ObjectId): Promise<DefaultRecord[]> {
  return tx.all<DefaultRecord>(sql`SELECT mode, form_id FROM form_defaults
    WHERE org_id = ${tx.orgId} AND object_id = ${objectId}`);
}

/** Makes a form the default of its object for a mode. Replaces an earlier default. */
export async function putDefault(tx: OrgTx, form: FormRecord, mode: Mode): Promise<void> {
  await deleteDefault(tx, form.object_id, mode);
  await tx.write(sql`
    INSERT INTO form_defaults (org_id, object_id, mode, form_id)
    VALUES (${form.org_id}, ${form.object_id}, ${mode}, ${form.id})`);
}

export async function deleteDefault(tx: OrgTx, objectId: string, mode: Mode): Promise<void> {
  await tx.write(sql`DELETE FROM form_defaults
    WHERE org_id = ${tx.orgId} AND object_id = ${objectId} AND mode = ${mode}`);
}
