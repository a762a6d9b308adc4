/** Modules' objects and their fields. */

import sql from "sql-template-tag";
import { sound } from "./record-hash.ts";
import type { Tx } from "./store.ts";

export type ObjectRecord = {
  id: string;
  org_id: string;
  module_key: string;
  key: string;
  name: string;
  kind: "REGULAR" | "SUBORDINATE";
  parent_object_id: string | null;
  /** A number that every change of the object's fields raises. */
  fields_version: number;
};

export function findObject(
  tx: Tx,
  orgId: string,
  moduleKey: string,
  objectKey: string,
): Promise<ObjectRecord | undefined> {
  return tx.first<ObjectRecord>(sql`
    SELECT o.id, o.org_id, m.key AS module_key, o.key, o.name, o.kind, o.parent_object_id, o.fields_version
    FROM objects o JOIN modules m ON m.id = o.module_id
    WHERE m.org_id = ${orgId} AND m.key = ${moduleKey} AND o.key = ${objectKey}`);
}

/** `staffing/candidate` of every object of an organization. */
export async function listObjectAddresses(tx: Tx, orgId: string): Promise<string[]> {
  const rows = await tx.all<{ module_key: string; key: string }>(sql`
    SELECT m.key AS module_key, o.key FROM objects o JOIN modules m ON m.id = o.module_id
    WHERE m.org_id = ${orgId} ORDER BY m.key, o.key`);
  return rows.map(({ module_key, key }) => `${module_key}/${key}`);
}

/** A field of an object, or a custom field of a surface: both have the same members. */
export type FieldRecord = {
  id: string;
  key: string;
  name: string;
  type: string;
  is_required: 0 | 1;
  /** JSON text, or null where there is no default. */
  default_value: string | null;
  /** JSON text: an array of strings. */
  options: string;
  /** JSON text: an object. */
  config: string;
  position: number;
  value_count: number;
};

export async function listFields(tx: Tx, objectId: string): Promise<FieldRecord[]> {
  const found = await tx.all<FieldRecord>(sql`
    SELECT id, key, name, type, is_required, default_value, options, config, position, value_count, record_hash
    FROM fields WHERE object_id = ${objectId} ORDER BY position, key`);
  return sound("fields", found);
}
