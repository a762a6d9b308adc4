/** Loads the fields and scripts that a layout can use, for the draft checks. */

import type { LayoutCatalog, CatalogField } from "../schemas/catalog.ts";
import type { Mode } from "../schemas/form.ts";
import type { Surface } from "../schemas/layout.ts";
import {
  type FieldOwner,
  listFieldsOf,
  listScripts,
  type FieldRecord,
  findObject,
  listFields,
  type ObjectRecord,
} from "../store/objects.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import type { OrgTx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";

/** The columns of a layout's database row that determine the usable fields. */
type LayoutTarget = Pick<LayoutRecord, "id" | "org_id" | "surface" | "target">;

/** The catalog and the version of the object's fields. The version is null if the layout has no object. */
export type VersionedCatalog = LayoutCatalog & { fieldsVersion: number | null };

export async function readCatalog(tx: OrgTx, layout: LayoutTarget, modes: readonly Mode[]): Promise<VersionedCatalog> {
  const object = await objectOf(tx, layout);
  if (object) return readObjectCatalog(tx, object, modes);
  return {
    surface: layout.surface as Surface,
    modes,
    fields: await readCustomFields(tx, layout),
    scripts: await readScripts(tx),
    fieldsVersion: null,
  };
}

/** Same as {@link readCatalog}, for a layout of the given object. */
export async function readObjectCatalog(
  tx: OrgTx,
  object: ObjectRecord,
  modes: readonly Mode[],
): Promise<VersionedCatalog> {
  return {
    surface: "DYNAMIC_OBJECT",
    modes,
    fields: await readObjectFields(tx, object),
    scripts: await readScripts(tx),
    fieldsVersion: object.fields_version,
  };
}

async function readScripts(tx: OrgTx): Promise<string[]> {
  return (await listScripts(tx)).flatMap((script) => [script.key, script.id]);
}

/** Returns the fields of an object. The result is cached until `fields_version` changes. */
export async function readObjectFields(
  tx: OrgTx,
  { id, fields_version }: Pick<ObjectRecord, "id" | "fields_version">,
): Promise<readonly CatalogField[]> {
  const name = `fields of ${id}`;
  const cached = tx.cache.get(name) as { version: number; fields: readonly CatalogField[] } | undefined;
  if (cached?.version === fields_version) return cached.fields;
  const fields = (await listFields(tx, id)).map(toCatalogField);
  tx.cache.set(name, { version: fields_version, fields });
  return fields;
}

async function readCustomFields(tx: OrgTx, layout: LayoutTarget): Promise<CatalogField[]> {
  const owner = await fieldOwnerOf(tx, layout);
  return owner ? (await listFieldsOf(tx, owner)).map(toCatalogField) : [];
}

/**
 * Returns the owner of the fields that a layout can show (docs/decisions.md, "Staged fields"). With the surface
 * DYNAMIC_OBJECT, these are the fields of the layout's object. With any other surface, these are the custom fields of
 * that surface in the scope of the layout's target.
 *
 * @returns undefined if the object was deleted
 */
export async function fieldOwnerOf(tx: OrgTx, layout: LayoutTarget): Promise<FieldOwner | undefined> {
  if (layout.surface === "DYNAMIC_OBJECT") {
    const object = await objectOf(tx, layout);
    return object && { objectId: object.id };
  }
  const { scopeId } = readStored("layouts.target", layout.target, layout.id);
  return { surface: layout.surface, scopeId: scopeId ?? "" };
}

async function objectOf(tx: OrgTx, { id, surface, target }: LayoutTarget): Promise<ObjectRecord | undefined> {
  if (surface !== "DYNAMIC_OBJECT") return undefined;
  const { moduleKey, objectKey } = readStored("layouts.target", target, id);
  return findObject(tx, moduleKey ?? "", objectKey ?? "");
}

export function toCatalogField(field: FieldRecord): CatalogField {
  return {
    id: field.id,
    key: field.key,
    name: field.name,
    type: field.type,
    isRequired: field.is_required === 1,
    hasDefault: field.default_value !== null,
    valueCount: field.value_count,
    options: readStored("fields.options", field.options, field.id),
  };
}
