/** Organizations and what hangs on them: roles, members, scripts, modules, objects and fields, as they are read. */

import sql, { raw } from "sql-template-tag";
import type { FieldRecord } from "./objects.ts";
import { sound } from "./record-hash.ts";
import type { Tx } from "./store.ts";

export type KeyedRecord = { id: string; key: string; name: string };
/** Tables whose rows are no more than a key and a name within an organization. */
export type KeyedTable = "roles" | "scripts" | "modules";
export type MemberRecord = { id: string; email: string; name: string };
export type OrganizationObjectRecord = KeyedRecord & {
  module_id: string;
  kind: "REGULAR" | "SUBORDINATE";
  parent_object_id: string | null;
};
export type ObjectFieldRecord = FieldRecord & { object_id: string };
/** `scope_id` is empty where the field belongs to the whole surface. */
export type CustomFieldRecord = FieldRecord & { surface: string; scope_id: string };

const fieldColumns = raw(
  "id, key, name, type, is_required, default_value, options, config, position, value_count, record_hash",
);

export function listOrganizations(tx: Tx): Promise<KeyedRecord[]> {
  return tx.all<KeyedRecord>(sql`SELECT id, key, name FROM organizations ORDER BY key`);
}

export function listKeyed(tx: Tx, table: KeyedTable, orgId: string): Promise<KeyedRecord[]> {
  return tx.all<KeyedRecord>(sql`SELECT id, key, name FROM ${raw(table)} WHERE org_id = ${orgId} ORDER BY key`);
}

export function listMembers(tx: Tx, orgId: string): Promise<MemberRecord[]> {
  return tx.all<MemberRecord>(sql`SELECT id, email, name FROM memberships WHERE org_id = ${orgId} ORDER BY email`);
}

export function listMemberRoles(tx: Tx, orgId: string): Promise<{ membership_id: string; key: string }[]> {
  return tx.all(sql`
    SELECT mr.membership_id, r.key FROM membership_roles mr JOIN roles r ON r.id = mr.role_id
    WHERE mr.org_id = ${orgId} ORDER BY r.key`);
}

export function listObjects(tx: Tx, orgId: string): Promise<OrganizationObjectRecord[]> {
  return tx.all<OrganizationObjectRecord>(sql`
    SELECT id, module_id, key, name, kind, parent_object_id FROM objects WHERE org_id = ${orgId} ORDER BY key`);
}

export async function listObjectFields(tx: Tx, orgId: string): Promise<ObjectFieldRecord[]> {
  const found = await tx.all<ObjectFieldRecord>(sql`
    SELECT object_id, ${fieldColumns} FROM fields WHERE org_id = ${orgId} ORDER BY position, key`);
  return sound("fields", found);
}

export async function listCustomFields(tx: Tx, orgId: string): Promise<CustomFieldRecord[]> {
  const found = await tx.all<CustomFieldRecord>(sql`
    SELECT surface, scope_id, ${fieldColumns} FROM custom_fields
    WHERE org_id = ${orgId} ORDER BY surface, scope_id, position, key`);
  return sound("custom_fields", found);
}

/** The ids of all objects that have a form. */
export async function listObjectsWithForms(tx: Tx): Promise<Set<string>> {
  const rows = await tx.all<{ object_id: string }>(sql`SELECT DISTINCT object_id FROM forms`);
  return new Set(rows.map((row) => row.object_id));
}
