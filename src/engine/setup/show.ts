/** Shows organizations in the format of the organization file, with all ids. */

import type { FieldType } from "../../schemas/words.ts";
import type { Surface } from "../../schemas/layout.ts";
import type { FieldView, ObjectView, OrganizationView } from "../../schemas/organization.ts";
import type { FieldRecord } from "../../store/objects.ts";
import {
  type KeyedRecord,
  listCustomFields,
  listKeyed,
  listMemberRoles,
  listMembers,
  listObjectFields,
  listObjects,
  listOrganizations,
} from "../../store/organizations.ts";
import { inOrganization, type OrgTx, type Tx } from "../../store/store.ts";
import { readStored, readStoredOrNull } from "../../store/stored-json.ts";
import { chooseOrganization } from "./choose-organization.ts";

/** Returns the organization with the key, or all organizations sorted by key. Fields are in their stored order. */
export async function showOrganizations(tx: Tx, key?: string): Promise<OrganizationView[]> {
  const views: OrganizationView[] = [];
  const organizations = key === undefined ? await listOrganizations(tx) : [await chooseOrganization(tx, key)];
  for (const organization of organizations)
    views.push(await showOrganization(inOrganization(tx, organization.id), organization));
  return views;
}

async function showOrganization(tx: OrgTx, { id, key, name }: KeyedRecord): Promise<OrganizationView> {
  const memberRoles = Map.groupBy(await listMemberRoles(tx), (row) => row.membership_id);
  const members = await listMembers(tx);
  const customFields = await listCustomFields(tx);
  const modules = await listKeyed(tx, "modules");
  const objects = Map.groupBy(await showObjects(tx, modules), (object) => object.moduleId);
  return {
    key,
    id,
    name,
    roles: (await listKeyed(tx, "roles")).map(keyedView),
    members: members.map((member) => ({
      email: member.email,
      id: member.id,
      name: member.name,
      roles: (memberRoles.get(member.id) ?? []).map((role) => role.key),
    })),
    scripts: (await listKeyed(tx, "scripts")).map(keyedView),
    customFields: customFields.map((field) => ({
      surface: field.surface as Surface,
      scopeId: field.scope_id === "" ? null : field.scope_id,
      ...fieldView(field),
    })),
    modules: modules.map((module) => ({
      ...keyedView(module),
      objects: (objects.get(module.id) ?? []).map(({ view }) => view),
    })),
  };
}

async function showObjects(
  tx: OrgTx,
  modules: readonly KeyedRecord[],
): Promise<{ moduleId: string; view: ObjectView }[]> {
  const records = await listObjects(tx);
  const fields = Map.groupBy(await listObjectFields(tx), (field) => field.object_id);
  const moduleKeys = new Map(modules.map((module) => [module.id, module.key]));
  const byId = new Map(records.map((record) => [record.id, record]));
  return records.map((record) => {
    const parent = record.parent_object_id === null ? undefined : byId.get(record.parent_object_id);
    const isNear = parent?.module_id === record.module_id;
    const view: ObjectView = {
      ...keyedView(record),
      kind: record.kind,
      // As in the organization file, the address of a parent in the same module omits the module.
      parent: parent ? (isNear ? parent.key : `${moduleKeys.get(parent.module_id)}/${parent.key}`) : null,
      fields: (fields.get(record.id) ?? []).map(fieldView),
    };
    return { moduleId: record.module_id, view };
  });
}

function keyedView({ key, id, name }: KeyedRecord): KeyedRecord {
  return { key, id, name };
}

function fieldView(field: FieldRecord): FieldView {
  return {
    key: field.key,
    id: field.id,
    name: field.name,
    type: field.type as FieldType,
    required: field.is_required === 1,
    options: readStored("fields.options", field.options, field.id),
    default: readStoredOrNull("fields.default_value", field.default_value, field.id),
    valueCount: field.value_count,
    config: readStored("fields.config", field.config, field.id),
  };
}
