/** Fields that layouts place: those of an object, and the custom fields of the other surfaces. And the scripts' names. */

import sql, { raw, type Sql } from "sql-template-tag";
import { type FieldRecord, listFields } from "./objects.ts";
import { recordHash, sound } from "./record-hash.ts";
import type { Tx } from "./store.ts";

/** Whose fields: an object's, or those of a surface and scope of an organization ("" where there is no scope). */
export type FieldOwner = { orgId: string; objectId: string } | { orgId: string; surface: string; scopeId: string };

export async function listFieldsOf(tx: Tx, owner: FieldOwner): Promise<FieldRecord[]> {
  if ("objectId" in owner) return listFields(tx, owner.objectId);
  const found = await tx.all<FieldRecord>(sql`
    SELECT id, key, name, type, is_required, default_value, options, config, position, value_count, record_hash
    FROM custom_fields
    WHERE org_id = ${owner.orgId} AND surface = ${owner.surface} AND scope_id = ${owner.scopeId}
    ORDER BY position, key`);
  return sound("custom_fields", found);
}

export async function insertField(tx: Tx, owner: FieldOwner, field: FieldRecord): Promise<void> {
  const [ownerColumns, ownerValues] =
    "objectId" in owner
      ? [raw("object_id"), sql`${owner.objectId}`]
      : [raw("surface, scope_id"), sql`${owner.surface}, ${owner.scopeId}`];
  await tx.run(sql`
    INSERT INTO ${tableOf(owner)}
      (id, org_id, ${ownerColumns}, key, name, type, is_required, default_value, options, config, position, value_count,
       record_hash)
    VALUES (${field.id}, ${owner.orgId}, ${ownerValues}, ${field.key}, ${field.name}, ${field.type},
            ${field.is_required}, ${field.default_value}, ${field.options}, ${field.config}, ${field.position},
            ${field.value_count}, ${hashOfField(owner, field)})`);
}

/** Everything of a field but its key, which layouts name it by. */
export async function updateField(tx: Tx, owner: FieldOwner, field: FieldRecord): Promise<void> {
  await tx.run(sql`
    UPDATE ${tableOf(owner)}
    SET name = ${field.name}, type = ${field.type}, is_required = ${field.is_required},
        default_value = ${field.default_value}, options = ${field.options}, config = ${field.config},
        value_count = ${field.value_count}, record_hash = ${hashOfField(owner, field)}
    WHERE id = ${field.id} AND org_id = ${owner.orgId}`);
}

export async function deleteField(tx: Tx, owner: FieldOwner, fieldId: string): Promise<void> {
  await tx.run(sql`DELETE FROM ${tableOf(owner)} WHERE id = ${fieldId} AND org_id = ${owner.orgId}`);
}

function hashOfField(owner: FieldOwner, field: FieldRecord): string {
  return recordHash("objectId" in owner ? "fields" : "custom_fields", field);
}

function tableOf(owner: FieldOwner): Sql {
  return raw("objectId" in owner ? "fields" : "custom_fields");
}

export function listScripts(tx: Tx, orgId: string): Promise<{ id: string; key: string }[]> {
  return tx.all(sql`SELECT id, key FROM scripts WHERE org_id = ${orgId} ORDER BY key`);
}
