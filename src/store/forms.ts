/** Queries for forms, their modes and layouts, and the default forms of objects. */

import sql, { empty, join, raw, type Sql } from "sql-template-tag";
import type { Mode } from "../schemas/form.ts";
import { selectByIds } from "./id-lists.ts";
import type { LayoutRecord } from "./layouts.ts";
import type { Tx } from "./store.ts";
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

export async function findForm(
  tx: Tx,
  orgId: string,
  objectId: string,
  formId: string,
): Promise<FormRecord | undefined> {
  const found = await tx.first<FormRecord>(sql`
    SELECT ${columns} FROM forms WHERE id = ${formId} AND object_id = ${objectId} AND org_id = ${orgId}`);
  return verifyRecord("forms", found, { id: formId, object_id: objectId, org_id: orgId });
}

/** Lists the forms with the given ids, of any object of an organization. */
export async function listFormsById(tx: Tx, orgId: string, formIds: readonly string[]): Promise<FormRecord[]> {
  const found = await selectByIds<FormRecord>(
    tx,
    formIds,
    (ids) => sql`SELECT ${columns} FROM forms WHERE org_id = ${orgId} AND id IN (${ids})`,
  );
  return verifyRecords("forms", found, { org_id: orgId });
}

/** What a filter selects few forms by: their names or ids. Undefined for a filter that may select any number of forms. */
export type SelectiveKey = "name" | "id" | undefined;

/** A condition on the forms of an object. */
export type FormCondition = { condition: Sql; key: SelectiveKey };

/** The position of a form in the default order. */
export type FormPosition = Pick<FormRecord, "created_at" | "id">;

type FormSelection = FormCondition & {
  order: Sql;
  limit: number;
  offset: number;
  /** Only forms after this position in the default order. */
  after?: FormPosition | undefined;
};

export async function listForms(tx: Tx, objectId: string, selection: FormSelection): Promise<FormRecord[]> {
  const { order, limit, offset, after } = selection;
  const isAfter = after ? sql` AND (created_at, id) > (${after.created_at}, ${after.id})` : empty;
  const found = await tx.all<FormRecord>(sql`
    SELECT ${columns} FROM forms WHERE ${formsOf(objectId, selection)}${isAfter}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`);
  return verifyRecords("forms", found, { object_id: objectId });
}

export async function countForms(tx: Tx, objectId: string, condition: FormCondition): Promise<number> {
  const row = await tx.first<{ total: number }>(sql`
    SELECT CAST(COUNT(*) AS INTEGER) AS total FROM forms WHERE ${formsOf(objectId, condition)}`);
  return row?.total ?? 0;
}

function formsOf(objectId: string, { condition, key }: FormCondition): Sql {
  // The unary plus prevents the use of an index of the object, so that the ids of the condition are looked up.
  const object = key === "id" ? sql`+object_id` : sql`object_id`;
  return sql`${object} = ${objectId} AND ${condition}`;
}

/** Lists the active forms of an object, oldest first. If `mode` is given, lists only forms that have the mode. */
export async function listActiveForms(tx: Tx, objectId: string, mode: Mode | undefined): Promise<FormRecord[]> {
  const condition = mode === undefined ? sql`1 = 1` : hasMode(mode);
  const found = await tx.all<FormRecord>(sql`
    SELECT ${columns} FROM forms WHERE object_id = ${objectId} AND is_active = 1 AND ${condition}
    ORDER BY created_at, id`);
  return verifyRecords("forms", found, { object_id: objectId, is_active: 1 });
}

/** Returns a condition on a row of `forms`: the form has the mode. */
export function hasMode(mode: Mode): Sql {
  return sql`EXISTS (SELECT 1 FROM form_types t WHERE t.form_id = forms.id AND t.mode = ${mode})`;
}

export async function insertForm(tx: Tx, form: FormRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO forms
      (id, org_id, object_id, name, name_folded, is_active, is_public, public_token, config, created_at, updated_at,
       record_hash)
    VALUES (${form.id}, ${form.org_id}, ${form.object_id}, ${form.name}, ${foldName(form.name)}, ${form.is_active},
            ${form.is_public}, ${form.public_token}, ${form.config}, ${form.created_at}, ${form.updated_at},
            ${recordHash("forms", form)})`);
}

export async function updateForm(tx: Tx, form: FormRecord): Promise<void> {
  await tx.run(sql`
    UPDATE forms SET name = ${form.name}, name_folded = ${foldName(form.name)}, is_active = ${form.is_active},
      is_public = ${form.is_public}, public_token = ${form.public_token}, config = ${form.config},
      updated_at = ${form.updated_at}, record_hash = ${recordHash("forms", form)}
    WHERE id = ${form.id}`);
}

/** Deletes a form. Foreign keys delete its modes, access, uploads, layout and versions (R83). */
export async function deleteForm(tx: Tx, formId: string): Promise<void> {
  await tx.run(sql`DELETE FROM forms WHERE id = ${formId}`);
}

/** Converts a name to the text that is compared in case-insensitive comparisons. */
export function foldName(name: string): string {
  return name.toLowerCase();
}

/** Lists the modes of forms. The modes of each form are in the order in which they were set. */
export function listFormTypes(tx: Tx, formIds: readonly string[]): Promise<{ form_id: string; mode: Mode }[]> {
  return selectByIds(
    tx,
    formIds,
    (ids) => sql`SELECT form_id, mode FROM form_types WHERE form_id IN (${ids}) ORDER BY form_id, position`,
  );
}

/** Replaces the modes of a form. A removed mode is also removed from the form's access rows (R74). */
export async function replaceFormTypes(tx: Tx, form: FormRecord, modes: readonly Mode[]): Promise<void> {
  await tx.run(sql`DELETE FROM form_types WHERE form_id = ${form.id} AND mode NOT IN (${join(modes)})`);
  for (const [position, mode] of modes.entries()) {
    await tx.run(sql`
      INSERT INTO form_types (form_id, org_id, object_id, mode, position)
      VALUES (${form.id}, ${form.org_id}, ${form.object_id}, ${mode}, ${position})
      ON CONFLICT (form_id, mode) DO UPDATE SET position = excluded.position`);
  }
}

/** The layout that a form owns, with the parts of its published version that lists of forms need. */
export type OwnedLayout = {
  id: string;
  name: string;
  owner_form_id: string;
  /** Undefined if no version has been published. */
  published: PublishedHead | undefined;
};

export async function listOwnedLayouts(tx: Tx, formIds: readonly string[]): Promise<OwnedLayout[]> {
  const found = await selectByIds<LayoutRecord & { owner_form_id: string }>(
    tx,
    formIds,
    (ids) => sql`
      SELECT ${layoutColumns} FROM layouts WHERE owner_form_id IN (${ids}) AND status <> 'ARCHIVED'`,
  );
  const layouts = verifyRecords("layouts", found);
  const published = await listPublishedHeads(
    tx,
    layouts.map(({ id }) => id),
  );
  return layouts.map(({ id, name, owner_form_id }) => ({ id, name, owner_form_id, published: published.get(id) }));
}

const layoutColumns = raw(`${hashedColumns("layouts")}, record_hash`);

/** Marks the uploaded files of a form for removal after the transaction is committed. */
export async function trashUploads(tx: Tx, formId: string, now: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO file_trash (path, created_at) SELECT path, ${now} FROM public_uploads WHERE form_id = ${formId}`);
}

type DefaultRecord = { mode: Mode; form_id: string };

export function listDefaults(tx: Tx, objectId: string): Promise<DefaultRecord[]> {
  return tx.all<DefaultRecord>(sql`SELECT mode, form_id FROM form_defaults WHERE object_id = ${objectId}`);
}

export async function putDefault(tx: Tx, form: FormRecord, mode: Mode): Promise<void> {
  await tx.run(sql`
    INSERT INTO form_defaults (org_id, object_id, mode, form_id)
    VALUES (${form.org_id}, ${form.object_id}, ${mode}, ${form.id})
    ON CONFLICT (object_id, mode) DO UPDATE SET form_id = excluded.form_id`);
}

export async function deleteDefault(tx: Tx, objectId: string, mode: Mode): Promise<void> {
  await tx.run(sql`DELETE FROM form_defaults WHERE object_id = ${objectId} AND mode = ${mode}`);
}
