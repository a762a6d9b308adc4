/** Queries that read and write whole organizations: roles, members, scripts, modules, objects and fields. */

import sql, { raw, type Sql } from "sql-template-tag";
import { type FieldOwner, type FieldRecord, insertField, updateField } from "./objects.ts";
import { verifyRecords } from "./record-hash.ts";
import type { OrgTx, Tx } from "./store.ts";

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

/** Reads one organization, to find out whether the store answers. The query is short in a store of any size. */
export function findAnyOrganization(tx: Tx): Promise<{ id: string } | undefined> {
  return tx.first(sql`SELECT id FROM organizations LIMIT 1`);
}

export function listKeyed(tx: OrgTx, table: KeyedTable): Promise<KeyedRecord[]> {
  return tx.all<KeyedRecord>(sql`SELECT id, key, name FROM ${raw(table)} WHERE org_id = ${tx.orgId} ORDER BY key`);
}

export function listMembers(tx: OrgTx): Promise<MemberRecord[]> {
  return tx.all<MemberRecord>(sql`SELECT id, email, name FROM memberships WHERE org_id = ${tx.orgId} ORDER BY email`);
}

export function listMemberRoles(tx: OrgTx): Promise<{ membership_id: string; key: string }[]> {
  return tx.all(sql`
    SELECT mr.membership_id, r.key FROM membership_roles mr JOIN roles r ON r.org_id = mr.org_id AND r.id = mr.role_id
    WHERE mr.org_id = ${tx.orgId} ORDER BY r.key`);
}

export function listObjects(tx: OrgTx): Promise<OrganizationObjectRecord[]> {
  return tx.all<OrganizationObjectRecord>(sql`
    SELECT id, module_id, key, name, kind, parent_object_id FROM objects WHERE org_id = ${tx.orgId} ORDER BY key`);
}

export async function listObjectFields(tx: OrgTx): Promise<ObjectFieldRecord[]> {
  const found = await tx.all<ObjectFieldRecord>(sql`
    SELECT object_id, ${fieldColumns} FROM fields WHERE org_id = ${tx.orgId} ORDER BY position, key`);
  return verifyRecords("fields", found);
}

export async function listCustomFields(tx: OrgTx): Promise<CustomFieldRecord[]> {
  const found = await tx.all<CustomFieldRecord>(sql`
    SELECT surface, scope_id, ${fieldColumns} FROM custom_fields
    WHERE org_id = ${tx.orgId} ORDER BY surface, scope_id, position, key`);
  return verifyRecords("custom_fields", found);
}

/** Returns the ids of the objects that have a form. */
export async function listObjectsWithForms(tx: OrgTx): Promise<Set<string>> {
  const rows = await tx.all<{ object_id: string }>(
    sql`SELECT DISTINCT object_id FROM forms WHERE org_id = ${tx.orgId}`,
  );
  return new Set(rows.map((row) => row.object_id));
}

export async function putOrganization(tx: Tx, { id, key, name }: KeyedRecord): Promise<void> {
  await tx.write(sql`
    INSERT INTO organizations (id, key, name) VALUES (${id}, ${key}, ${name})
    ON CONFLICT (id) DO UPDATE SET name = excluded.name`);
  await tx.write(sql`INSERT INTO organization_state (org_id) VALUES (${id}) ON CONFLICT (org_id) DO NOTHING`);
}

export async function putKeyed(tx: OrgTx, table: KeyedTable, { id, key, name }: KeyedRecord): Promise<void> {
  await updateOrInsert(
    tx,
    sql`UPDATE ${raw(table)} SET name = ${name} WHERE org_id = ${tx.orgId} AND id = ${id}`,
    sql`INSERT INTO ${raw(table)} (id, org_id, key, name) VALUES (${id}, ${tx.orgId}, ${key}, ${name})`,
  );
}

export async function putMember(tx: OrgTx, { id, email, name }: MemberRecord): Promise<void> {
  await updateOrInsert(
    tx,
    sql`UPDATE memberships SET name = ${name} WHERE org_id = ${tx.orgId} AND id = ${id}`,
    sql`INSERT INTO memberships (id, org_id, email, name) VALUES (${id}, ${tx.orgId}, ${email}, ${name})`,
  );
}

export async function replaceMemberRoles(tx: OrgTx, membershipId: string, roleIds: readonly string[]): Promise<void> {
  await tx.write(sql`DELETE FROM membership_roles WHERE org_id = ${tx.orgId} AND membership_id = ${membershipId}`);
  for (const roleId of roleIds) {
    await tx.write(sql`
      INSERT INTO membership_roles (membership_id, role_id, org_id) VALUES (${membershipId}, ${roleId}, ${tx.orgId})`);
  }
}

export async function putObject(tx: OrgTx, object: OrganizationObjectRecord): Promise<void> {
  const { id, module_id, key, name, kind, parent_object_id } = object;
  await updateOrInsert(
    tx,
    sql`
      UPDATE objects SET name = ${name}, kind = ${kind}, parent_object_id = ${parent_object_id}
      WHERE org_id = ${tx.orgId} AND id = ${id}`,
    sql`
      INSERT INTO objects (id, org_id, module_id, key, name, kind, parent_object_id)
      VALUES (${id}, ${tx.orgId}, ${module_id}, ${key}, ${name}, ${kind}, ${parent_object_id})`,
  );
}

/** Writes a field of an object. An existing field keeps its position; a new field is added at the end. */
export async function putObjectField(tx: OrgTx, field: Omit<ObjectFieldRecord, "position">): Promise<void> {
  const owner = { objectId: field.object_id };
  await putField(
    tx,
    owner,
    field,
    sql`SELECT MAX(position) AS last FROM fields
    WHERE org_id = ${tx.orgId} AND object_id = ${field.object_id}`,
  );
}

/** Same as {@link putObjectField}, for a custom field of a surface. */
export async function putCustomField(tx: OrgTx, field: Omit<CustomFieldRecord, "position">): Promise<void> {
  const owner = { surface: field.surface, scopeId: field.scope_id };
  await putField(
    tx,
    owner,
    field,
    sql`SELECT MAX(position) AS last FROM custom_fields
    WHERE org_id = ${tx.orgId} AND surface = ${field.surface} AND scope_id = ${field.scope_id}`,
  );
}

async function putField(tx: OrgTx, owner: FieldOwner, field: Omit<FieldRecord, "position">, last: Sql): Promise<void> {
  if (await updateField(tx, owner, field)) return;
  const found = await tx.first<{ last: number | null }>(last);
  await insertField(tx, owner, { ...field, position: (found?.last ?? -1) + 1 });
}

/**
 * Runs `insert` if `update` finds no row. `INSERT … ON CONFLICT` would name the columns of a key. The keys of SQLite
 * and PostgreSQL have different columns.
 */
async function updateOrInsert(tx: OrgTx, update: Sql, insert: Sql): Promise<void> {
  if ((await tx.run(update)) === 0) await tx.run(insert);
}
