/** Queries for forms, their modes and layouts, and the default forms of objects. */

import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import { selectByIds } from "./id-lists.ts";
import type { LayoutRecord } from "./layouts.ts";
import type { OrgTx } from "./store.ts";
import { hashedColumns, recordHash, verifyRecords, verifyRecord } from "./record-hash.ts";
import { listPublishedHeads, type PublishedHead } from "./versions.ts";

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

const columns = raw(`${hashedColumns("forms")}, record_hash`);

export async function findForm(tx: OrgTx, objectId: string, formId: string): Promise<FormRecord | undefined> {
  const found = await tx.first<FormRecord>(sql`
    SELECT ${columns} FROM forms WHERE id = ${formId} AND object_id = ${objectId} AND org_id = ${tx.orgId}`);
  return verifyRecord("forms", found, { id: formId, object_id: objectId, org_id: tx.orgId });
}

/** Lists the forms with the given ids, of any object of the organization. */
export async function listFormsById(tx: OrgTx, formIds: readonly string[]): Promise<FormRecord[]> {
  const found = await selectByIds<FormRecord>(
    tx,
    formIds,
    (ids) => sql`SELECT ${columns} FROM forms WHERE org_id = ${tx.orgId} AND id IN (${ids})`,
  );
  return verifyRecords("forms", found, { org_id: tx.orgId });
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

export async function listForms(tx: OrgTx, objectId: string, selection: FormSelection): Promise<FormRecord[]> {
  const { order, limit, offset, after } = selection;
  const isAfter = after ? sql` AND (created_at, id) > (${after.created_at}, ${after.id})` : empty;
  const found = await tx.all<FormRecord>(sql`
    SELECT ${columns} FROM forms WHERE ${formsOf(tx, objectId, selection)}${isAfter}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`);
  return verifyRecords("forms", found, { object_id: objectId });
}

export async function countForms(tx: OrgTx, objectId: string, condition: FormCondition): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`
    SELECT CAST(COUNT(*) AS INTEGER) AS total FROM forms WHERE ${formsOf(tx, objectId, condition)}`);
  return row?.total ?? 0;
}

function formsOf(tx: OrgTx, objectId: string, { condition, key }: FormCondition): Sql {
  // The concatenation prevents the use of an index on `object_id`. So the database finds the forms by id.
  const object = key === "id" ? sql`object_id || ''` : sql`object_id`;
  return sql`org_id = ${tx.orgId} AND ${object} = ${objectId} AND ${condition}`;
}

/** Lists the active forms of an object, oldest first. With `mode`, lists only the forms that have this mode. */
export async function listActiveForms(tx: OrgTx, objectId: string, mode: Mode | undefined): Promise<FormRecord[]> {
  const condition = mode === undefined ? sql`1 = 1` : hasMode(tx, mode);
  const found = await tx.all<FormRecord>(sql`
    SELECT ${columns} FROM forms WHERE org_id = ${tx.orgId} AND object_id = ${objectId} AND is_active = 1 AND ${condition}
    ORDER BY created_at, id`);
  return verifyRecords("forms", found, { object_id: objectId, is_active: 1 });
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

/** Lists the modes of forms. The modes of each form are in the order in which they were set. */
export function listFormTypes(tx: OrgTx, formIds: readonly string[]): Promise<{ form_id: string; mode: Mode }[]> {
  return selectByIds(
    tx,
    formIds,
    (ids) =>
      sql`SELECT form_id, mode FROM form_types WHERE org_id = ${tx.orgId} AND form_id IN (${ids}) ORDER BY form_id, position`,
  );
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

/** The layout of a form, with its published version. */
export type OwnedLayout = {
  id: string;
  name: string;
  owner_form_id: string;
  published: PublishedHead | undefined;
};

export async function listOwnedLayouts(tx: OrgTx, formIds: readonly string[]): Promise<OwnedLayout[]> {
  // CROSS JOIN keeps the order of the tables. With JOIN, SQLite would read all layouts of the organization.
  const found = await selectByIds<LayoutRecord & { owner_form_id: string }>(
    tx,
    formIds,
    (ids) => sql`
      SELECT ${layoutColumns} FROM forms f CROSS JOIN layouts l
      WHERE f.org_id = ${tx.orgId} AND f.id IN (${ids})
        AND l.org_id = f.org_id AND l.owner_form_id = f.id AND l.status <> 'ARCHIVED'`,
  );
  const layouts = verifyRecords("layouts", found);
  const published = await listPublishedHeads(
    tx,
    layouts.map(({ id }) => id),
  );
  return layouts.map(({ id, name, owner_form_id }) => ({ id, name, owner_form_id, published: published.get(id) }));
}

const layoutColumns = raw(`${hashedColumns("layouts").replace(/\w+/g, "l.$&")}, l.record_hash`);

/** Marks the uploaded files of a form for removal after the commit. */
export async function trashUploads(tx: OrgTx, formId: string, now: string): Promise<void> {
  await tx.write(sql`
    INSERT INTO file_trash (path, created_at) SELECT path, ${now} FROM public_uploads
    WHERE org_id = ${tx.orgId} AND form_id = ${formId}`);
}

type DefaultRecord = { mode: Mode; form_id: string };

export function listDefaults(tx: OrgTx, objectId: string): Promise<DefaultRecord[]> {
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
