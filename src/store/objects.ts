/** Queries for objects and their fields, for the custom fields of surfaces, and for scripts. */

import sql, { raw, type Sql } from "sql-template-tag";
import { corruptRecord, recordHash, verifyRecords } from "./record-hash.ts";
import type { OrgTx } from "./store.ts";

export type ObjectRecord = {
  id: string;
  org_id: string;
  module_key: string;
  key: string;
  name: string;
  kind: "REGULAR" | "SUBORDINATE";
  parent_object_id: string | null;
  /** Each change of the object's fields raises this number. */
  fields_version: number;
};

/**
 * Finds an object by the keys in its address.
 *
 * @throws StoreError STORE_CORRUPT if a damaged index leads to another object
 */
export async function findObject(tx: OrgTx, moduleKey: string, objectKey: string): Promise<ObjectRecord | undefined> {
  // The second join reads the key from the table, for the check below. `o.key` comes from the index that has found the
  // row. So `o.key` always equals the key of the query, even in a damaged store.
  const found = await tx.first<ObjectRecord>(sql`
    SELECT o.id, o.org_id, m.key AS module_key, r.key, o.name, o.kind, o.parent_object_id, o.fields_version
    FROM modules m JOIN objects o ON o.module_id = m.id AND o.org_id = m.org_id
      JOIN objects r ON r.id = o.id AND r.org_id = o.org_id
    WHERE m.org_id = ${tx.orgId} AND m.key = ${moduleKey} AND o.key = ${objectKey}`);
  if (found && found.key !== objectKey) throw corruptRecord(`the object ${moduleKey}/${objectKey}`);
  return found;
}

/** The id of an object, or a query that finds it. With a query, the id need not be looked up first. */
export type ObjectId = string | Sql;

/** Returns a query that finds the id of the object with the given keys. */
export function objectIdAt(tx: OrgTx, moduleKey: string, objectKey: string): Sql {
  return sql`(
    SELECT o.id FROM modules m JOIN objects o ON o.module_id = m.id AND o.org_id = m.org_id
    WHERE m.org_id = ${tx.orgId} AND m.key = ${moduleKey} AND o.key = ${objectKey})`;
}

/** Returns the address of an object, such as `staffing/candidate`. */
export async function findObjectAddress(tx: OrgTx, objectId: string): Promise<string | undefined> {
  const row = await tx.first<{ address: string }>(sql`
    SELECT m.key || '/' || o.key AS address FROM objects o JOIN modules m ON m.id = o.module_id AND m.org_id = o.org_id
    WHERE o.id = ${objectId} AND o.org_id = ${tx.orgId}`);
  return row?.address;
}

/** Lists the addresses of all objects of an organization, such as `staffing/candidate`. */
export async function listObjectAddresses(tx: OrgTx): Promise<string[]> {
  const rows = await tx.all<{ module_key: string; key: string }>(sql`
    SELECT m.key AS module_key, o.key FROM objects o JOIN modules m ON m.id = o.module_id AND m.org_id = o.org_id
    WHERE m.org_id = ${tx.orgId} ORDER BY m.key, o.key`);
  return rows.map(({ module_key, key }) => `${module_key}/${key}`);
}

/** A field of an object, or a custom field of a surface. The tables of both have these columns. */
export type FieldRecord = {
  id: string;
  key: string;
  name: string;
  type: string;
  is_required: 0 | 1;
  /** JSON text, or null if the field has no default value. */
  default_value: string | null;
  /** JSON text: an array of strings. */
  options: string;
  /** JSON text: an object. */
  config: string;
  position: number;
  value_count: number;
};

export async function listFields(tx: OrgTx, objectId: string): Promise<FieldRecord[]> {
  const found = await tx.all<FieldRecord>(sql`
    SELECT id, key, name, type, is_required, default_value, options, config, position, value_count, record_hash
    FROM fields WHERE object_id = ${objectId} AND org_id = ${tx.orgId} ORDER BY position, key`);
  return verifyRecords("fields", found);
}

/** Same as {@link listFields}, for an address. So the query needs no look-up of the object before it. */
export async function listFieldsAt(tx: OrgTx, moduleKey: string, objectKey: string): Promise<FieldRecord[]> {
  const found = await tx.all<FieldRecord>(sql`
    SELECT f.id, f.key, f.name, f.type, f.is_required, f.default_value, f.options, f.config, f.position, f.value_count,
           f.record_hash
    FROM modules m JOIN objects o ON o.module_id = m.id AND o.org_id = m.org_id
      JOIN fields f ON f.object_id = o.id AND f.org_id = o.org_id
    WHERE m.org_id = ${tx.orgId} AND m.key = ${moduleKey} AND o.key = ${objectKey} ORDER BY f.position, f.key`);
  return verifyRecords("fields", found);
}

/**
 * The owner of fields: an object, or a surface and scope of the organization. `scopeId` is empty if there is no scope.
 */
export type FieldOwner = { objectId: string } | { surface: string; scopeId: string };

export async function listFieldsOf(tx: OrgTx, owner: FieldOwner): Promise<FieldRecord[]> {
  if ("objectId" in owner) return listFields(tx, owner.objectId);
  const found = await tx.all<FieldRecord>(sql`
    SELECT id, key, name, type, is_required, default_value, options, config, position, value_count, record_hash
    FROM custom_fields
    WHERE org_id = ${tx.orgId} AND surface = ${owner.surface} AND scope_id = ${owner.scopeId}
    ORDER BY position, key`);
  return verifyRecords("custom_fields", found);
}

export async function insertField(tx: OrgTx, owner: FieldOwner, field: FieldRecord): Promise<void> {
  const [ownerColumns, ownerValues] =
    "objectId" in owner
      ? [raw("object_id"), sql`${owner.objectId}`]
      : [raw("surface, scope_id"), sql`${owner.surface}, ${owner.scopeId}`];
  await tx.write(sql`
    INSERT INTO ${tableOf(owner)}
      (id, org_id, ${ownerColumns}, key, name, type, is_required, default_value, options, config, position, value_count,
       record_hash)
    VALUES (${field.id}, ${tx.orgId}, ${ownerValues}, ${field.key}, ${field.name}, ${field.type},
            ${field.is_required}, ${field.default_value}, ${field.options}, ${field.config}, ${field.position},
            ${field.value_count}, ${hashOfField(owner, field)})`);
}

/**
 * Updates a field. The position stays the same. The key never changes, because layouts refer to the field by key.
 *
 * @returns whether the field exists
 */
export async function updateField(
  tx: OrgTx,
  owner: FieldOwner,
  field: Omit<FieldRecord, "position">,
): Promise<boolean> {
  const count = await tx.run(sql`
    UPDATE ${tableOf(owner)}
    SET name = ${field.name}, type = ${field.type}, is_required = ${field.is_required},
        default_value = ${field.default_value}, options = ${field.options}, config = ${field.config},
        value_count = ${field.value_count}, record_hash = ${hashOfField(owner, field)}
    WHERE id = ${field.id} AND org_id = ${tx.orgId}`);
  return count > 0;
}

export async function deleteField(tx: OrgTx, owner: FieldOwner, fieldId: string): Promise<void> {
  await tx.write(sql`DELETE FROM ${tableOf(owner)} WHERE id = ${fieldId} AND org_id = ${tx.orgId}`);
}

function hashOfField(owner: FieldOwner, field: Omit<FieldRecord, "position">): string {
  return recordHash("objectId" in owner ? "fields" : "custom_fields", field);
}

function tableOf(owner: FieldOwner): Sql {
  return raw("objectId" in owner ? "fields" : "custom_fields");
}

export function listScripts(tx: OrgTx): Promise<{ id: string; key: string }[]> {
  return tx.all(sql`SELECT id, key FROM scripts WHERE org_id = ${tx.orgId} ORDER BY key`);
}
