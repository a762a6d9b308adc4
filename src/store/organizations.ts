/** Queries that read and write whole organizations: roles, members, scripts, modules, objects and fields. */

import sql, { raw } from "sql-template-tag";
import type { FieldRecord } from "./objects.ts";
import { verifyRecords, recordHash } from "./record-hash.ts";
import type { Tx } from "./store.ts";

export type KeyedRecord = { id: string; key: string; name: string };
/** Tables whose rows consist of a key and a name within an organization. */
export type KeyedTable = "roles" | "scripts" | "modules";
export type MemberRecord = { id: string; email: string; name: string };
export type OrganizationObjectRecord = KeyedRecord & {
  module_id: string;
  kind: "REGULAR" | "SUBORDINATE";
  parent_object_id: string | null;
};
export type ObjectFieldRecord = FieldRecord & { object_id: string };
/** `scope_id` is empty if the field belongs to the whole surface. */
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
  return verifyRecords("fields", found);
}

export async function listCustomFields(tx: Tx, orgId: string): Promise<CustomFieldRecord[]> {
  const found = await tx.all<CustomFieldRecord>(sql`
    SELECT surface, scope_id, ${fieldColumns} FROM custom_fields
    WHERE org_id = ${orgId} ORDER BY surface, scope_id, position, key`);
  return verifyRecords("custom_fields", found);
}

/** Returns the ids of all objects that have a form. */
export async function listObjectsWithForms(tx: Tx): Promise<Set<string>> {
  const rows = await tx.all<{ object_id: string }>(sql`SELECT DISTINCT object_id FROM forms`);
  return new Set(rows.map((row) => row.object_id));
}

export async function putOrganization(tx: Tx, { id, key, name }: KeyedRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO organizations (id, key, name) VALUES (${id}, ${key}, ${name})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name`);
}

export async function putKeyed(tx: Tx, table: KeyedTable, orgId: string, record: KeyedRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO ${raw(table)} (id, org_id, key, name) VALUES (${record.id}, ${orgId}, ${record.key}, ${record.name})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name`);
}

export async function putMember(tx: Tx, orgId: string, { id, email, name }: MemberRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO memberships (id, org_id, email, name) VALUES (${id}, ${orgId}, ${email}, ${name})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name`);
}

export async function replaceMemberRoles(
  tx: Tx,
  orgId: string,
  membershipId: string,
  roleIds: readonly string[],
): Promise<void> {
  await tx.run(sql`DELETE FROM membership_roles WHERE membership_id = ${membershipId}`);
  for (const roleId of roleIds) {
    await tx.run(sql`
      INSERT INTO membership_roles (membership_id, role_id, org_id) VALUES (${membershipId}, ${roleId}, ${orgId})`);
  }
}

export async function putObject(tx: Tx, orgId: string, object: OrganizationObjectRecord): Promise<void> {
  await tx.run(sql`
    INSERT INTO objects (id, org_id, module_id, key, name, kind, parent_object_id)
    VALUES (${object.id}, ${orgId}, ${object.module_id}, ${object.key}, ${object.name}, ${object.kind},
            ${object.parent_object_id})
    ON CONFLICT (id) DO UPDATE SET
      name = excluded.name, kind = excluded.kind, parent_object_id = excluded.parent_object_id`);
}

/** Writes a field of an object. An existing field keeps its position; a new field is added at the end. */
export async function putObjectField(tx: Tx, orgId: string, field: Omit<ObjectFieldRecord, "position">): Promise<void> {
  await tx.run(sql`
    INSERT INTO fields
      (id, org_id, object_id, key, name, type, is_required, default_value, options, config, position, value_count,
       record_hash)
    VALUES (${field.id}, ${orgId}, ${field.object_id}, ${field.key}, ${field.name}, ${field.type}, ${field.is_required},
            ${field.default_value}, ${field.options}, ${field.config},
            (SELECT COALESCE(MAX(position) + 1, 0) FROM fields WHERE object_id = ${field.object_id}),
            ${field.value_count}, ${recordHash("fields", field)})
    ${onKnownField}`);
}

/** Same as {@link putObjectField}, for a custom field of a surface. */
export async function putCustomField(tx: Tx, orgId: string, field: Omit<CustomFieldRecord, "position">): Promise<void> {
  await tx.run(sql`
    INSERT INTO custom_fields
      (id, org_id, surface, scope_id, key, name, type, is_required, default_value, options, config, position, value_count,
       record_hash)
    VALUES (${field.id}, ${orgId}, ${field.surface}, ${field.scope_id}, ${field.key}, ${field.name}, ${field.type},
            ${field.is_required}, ${field.default_value}, ${field.options}, ${field.config},
            (SELECT COALESCE(MAX(position) + 1, 0) FROM custom_fields
             WHERE org_id = ${orgId} AND surface = ${field.surface} AND scope_id = ${field.scope_id}),
            ${field.value_count}, ${recordHash("custom_fields", field)})
    ${onKnownField}`);
}

const onKnownField = raw(`ON CONFLICT (id) DO UPDATE SET
  name = excluded.name, type = excluded.type, is_required = excluded.is_required,
  default_value = excluded.default_value, options = excluded.options, config = excluded.config,
  value_count = excluded.value_count, record_hash = excluded.record_hash`);
