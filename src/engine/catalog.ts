/** Loads the fields and scripts that a layout can use, for the draft checks. */

import type { LayoutCatalog, CatalogField } from "../schemas/catalog.ts";
import type { Surface } from "../schemas/layout.ts";
import {
  type FieldOwner,
  listFieldsOf,
  listScripts,
  type FieldRecord,
  findObject,
  listFields,
  listFieldsAt,
  type ObjectRecord,
} from "../store/objects.ts";
import type { LayoutRecord } from "../store/layouts.ts";
import type { OrgTx } from "../store/store.ts";
import { readStored } from "../store/stored-json.ts";

/** The columns of a layout's database row that determine the usable fields. */
type LayoutTarget = Pick<LayoutRecord, "id" | "org_id" | "surface" | "target">;

/** A catalog without modes. `fieldsVersion` is the version of the object's fields; null if the layout has no object. */
export type VersionedCatalog = Omit<LayoutCatalog, "modes"> & { fieldsVersion: number | null };

/** Reads what a layout can show. All queries begin at once, so that they share a round trip. */
export async function readCatalog(tx: OrgTx, layout: LayoutTarget): Promise<VersionedCatalog> {
  const [fields, scripts] = await Promise.all([readFields(tx, layout), readScripts(tx)]);
  return { surface: layout.surface as Surface, ...fields, scripts };
}

/** Same as {@link readCatalog}, for a layout of the given object. */
export async function readObjectCatalog(tx: OrgTx, object: ObjectRecord): Promise<VersionedCatalog> {
  const [fields, scripts] = await Promise.all([readObjectFields(tx, object), readScripts(tx)]);
  return { surface: "DYNAMIC_OBJECT", fields, scripts, fieldsVersion: object.fields_version };
}

async function readScripts(tx: OrgTx): Promise<string[]> {
  return (await listScripts(tx)).flatMap((script) => [script.key, script.id]);
}

type Fields = Required<Pick<VersionedCatalog, "fields" | "fieldsVersion">>;

async function readFields(tx: OrgTx, layout: LayoutTarget): Promise<Fields> {
  const target = readStored("layouts.target", layout.target, layout.id);
  if (layout.surface !== "DYNAMIC_OBJECT") {
    const found = await listFieldsOf(tx, { surface: layout.surface, scopeId: target.scopeId ?? "" });
    return { fields: found.map(toCatalogField), fieldsVersion: null };
  }
  const [moduleKey, objectKey] = [target.moduleKey ?? "", target.objectKey ?? ""];
  // A store on another machine has an empty cache. Then the fields are read together with the object.
  const isCached = tx.cache.has(cacheName(tx, moduleKey, objectKey));
  const [object, listed] = await Promise.all([
    findObject(tx, moduleKey, objectKey),
    isCached ? undefined : listFieldsAt(tx, moduleKey, objectKey),
  ]);
  if (!object) return { fields: [], fieldsVersion: null };
  return { fields: await readObjectFields(tx, object, listed), fieldsVersion: object.fields_version };
}

/**
 * Returns the fields of an object. The result is cached until `fields_version` changes.
 *
 * @param listed the records of the fields, if they were read. Otherwise this function reads them
 */
export async function readObjectFields(
  tx: OrgTx,
  { id, module_key, key, fields_version }: Pick<ObjectRecord, "id" | "module_key" | "key" | "fields_version">,
  listed?: readonly FieldRecord[],
): Promise<readonly CatalogField[]> {
  const name = cacheName(tx, module_key, key);
  const cached = tx.cache.get(name) as { id: string; version: number; fields: readonly CatalogField[] } | undefined;
  if (cached?.id === id && cached.version === fields_version) return cached.fields;
  const fields = (listed ?? (await listFields(tx, id))).map(toCatalogField);
  tx.cache.set(name, { id, version: fields_version, fields });
  return fields;
}

function cacheName({ orgId }: OrgTx, moduleKey: string, objectKey: string): string {
  return `fields of ${orgId}/${moduleKey}/${objectKey}`;
}

/**
 * Returns the owner of the fields that a layout can show (docs/decisions.md, "Staged fields"). With the surface
 * DYNAMIC_OBJECT, these are the fields of the layout's object. With any other surface, these are the custom fields of
 * that surface in the scope of the layout's target.
 *
 * @returns undefined if the object was deleted
 */
export async function fieldOwnerOf(tx: OrgTx, { id, surface, target }: LayoutTarget): Promise<FieldOwner | undefined> {
  const { moduleKey, objectKey, scopeId } = readStored("layouts.target", target, id);
  if (surface !== "DYNAMIC_OBJECT") return { surface, scopeId: scopeId ?? "" };
  const object = await findObject(tx, moduleKey ?? "", objectKey ?? "");
  return object && { objectId: object.id };
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
