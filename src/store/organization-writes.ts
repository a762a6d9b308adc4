/** Puts the records of an organization where they belong: a new id is a new row, a known one is the same row again. */

import sql, { raw } from "sql-template-tag";
import type {
  CustomFieldRecord,
  KeyedRecord,
  KeyedTable,
  MemberRecord,
  ObjectFieldRecord,
  OrganizationObjectRecord,
} from "./organizations.ts";
import { recordHash } from "./record-hash.ts";
import type { Tx } from "./store.ts";

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

/** A field that is there keeps its position; a new one comes after all others, whatever `position` says. */
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

/** As {@link putObjectField}, for a field of a surface. */
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
