/** Seeds a store with an organization file: adds and updates records by key, and removes none. */

import {
  customFieldKey,
  type CustomFieldView,
  type KeyedView,
  type SeedChange,
  type SeedFile,
  type ObjectView,
  type OrganizationFile,
  type OrganizationView,
  type SeedOrganization,
  type FieldView,
  type SeedField,
} from "../../schemas/organization.ts";
import { OrganizationFile as OrganizationSchema } from "../../schemas/organization-schema.ts";
import { readShape } from "../../schemas/shape.ts";
import {
  putCustomField,
  putKeyed,
  putMember,
  putOrganization,
  replaceMemberRoles,
  putObject,
  putObjectField,
  type KeyedTable,
  listObjectsWithForms,
  listOrganizations,
} from "../../store/organizations.ts";
import type { OnProgress } from "../../local-service.ts";
import { ConstraintViolation, inOrganization, type OrgTx, type Store, type Tx } from "../../store/store.ts";
import type { IdKind, NewId } from "../ids.ts";
import { invalid } from "../refuse.ts";
import { findSeedProblems, parentAddress, parentsOf } from "./seed-problems.ts";
import { showOrganizations } from "./show.ts";
import { canonicalJson } from "../../schemas/json.ts";

/** Seeds a file in one transaction. @throws ServiceError 400 if the file is invalid */
export async function seedFile(
  store: Store,
  file: OrganizationFile,
  newId: NewId,
  onProgress?: OnProgress,
): Promise<SeedChange[]> {
  const shape = readShape(OrganizationSchema, file);
  if (!shape.ok) throw invalid(shape.problems);
  for (let attempt = 1; ; attempt++) {
    try {
      const orgId = await onlyOrganization(store, shape.value);
      return await store.write((tx) => seedOrganizations(tx, shape.value, newId, onProgress), orgId);
    } catch (error) {
      // On PostgreSQL, another process may have added some records of the file in the meantime. The next attempt reads
      // and updates these records.
      if (!(error instanceof ConstraintViolation) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 5;

/**
 * Returns the id of the organization in the file. The seeding locks this organization. Returns undefined if the
 * organization is new, or if the file has several organizations.
 */
async function onlyOrganization(store: Store, { organizations }: SeedFile): Promise<string | undefined> {
  const [only, ...others] = organizations;
  if (!only || others.length > 0) return undefined;
  const stored = await store.read(listOrganizations);
  return stored.find(({ key }) => key === only.key)?.id;
}

/**
 * Checks and writes the organizations of a file in the transaction of the caller.
 *
 * @returns one entry for each added or updated record
 * @throws ServiceError 400 with every problem of seed-problems.ts at its path
 */
export async function seedOrganizations(
  tx: Tx,
  file: SeedFile,
  newId: NewId,
  onProgress?: OnProgress,
): Promise<SeedChange[]> {
  const stored = await showOrganizations(tx);
  const problems = findSeedProblems(file, stored, await objectsWithForms(tx, stored));
  if (problems.length > 0) throw invalid(problems);
  const changes: SeedChange[] = [];
  const total = file.organizations.reduce((sum, organization) => sum + countRecords(organization), 0);
  let done = 0;
  const onRecord = () => onProgress?.(++done, total);
  for (const organization of file.organizations) {
    const before = stored.find((one) => one.key === organization.key);
    const seeded = keyedView(newId, "organization", organization, before);
    const context = { tx: inOrganization(tx, seeded.id), newId, changes, organization, before, onRecord };
    await seedOrganization(context, seeded);
  }
  return changes;
}

async function objectsWithForms(tx: Tx, stored: readonly OrganizationView[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { id } of stored)
    for (const object of await listObjectsWithForms(inOrganization(tx, id))) found.add(object);
  return found;
}

function countRecords({ roles, members, scripts, customFields, modules }: SeedOrganization): number {
  const objects = modules.flatMap((module) => module.objects);
  const lists = [[0], roles, members, scripts, customFields, modules, objects, ...objects.map(({ fields }) => fields)];
  return lists.reduce((sum, { length }) => sum + length, 0);
}

async function seedOrganization(context: SeedContext, seeded: KeyedView): Promise<void> {
  const { tx, organization, before } = context;
  await writeIfChanged(context, "organization", organization.key, before && keyedPart(before), seeded, () =>
    putOrganization(tx, seeded),
  );
  const roleIds = await seedKeyed(context, "role", "roles");
  await seedMembers(context, roleIds);
  await seedKeyed(context, "script", "scripts");
  await seedCustomFields(context);
  const moduleIds = await seedKeyed(context, "module", "modules");
  await seedObjects(context, moduleIds);
}

function keyedPart({ key, id, name }: KeyedView): KeyedView {
  return { key, id, name };
}

function keyedView(
  newId: NewId,
  kind: IdKind,
  entry: { id?: string | undefined; key: string; name: string },
  before: { id: string } | undefined,
): KeyedView {
  return { key: entry.key, id: before?.id ?? entry.id ?? newId(kind), name: entry.name };
}

/** Seeds the roles, scripts or modules. @returns the ids of the records in the file and in the store, by key */
async function seedKeyed(
  context: SeedContext,
  kind: "role" | "script" | "module",
  table: KeyedTable,
): Promise<Map<string, string>> {
  const { tx, newId, organization, before } = context;
  const stored = new Map(before?.[table].map((one) => [one.key, keyedPart(one)]));
  const ids = new Map([...stored.values()].map((one) => [one.key, one.id]));
  for (const entry of organization[table]) {
    const known = stored.get(entry.key);
    const seeded = keyedView(newId, kind, entry, known);
    ids.set(entry.key, seeded.id);
    await writeIfChanged(context, kind, entry.key, known, seeded, () => putKeyed(tx, table, seeded));
  }
  return ids;
}

async function seedMembers(context: SeedContext, roleIds: ReadonlyMap<string, string>): Promise<void> {
  const { tx, newId, organization, before } = context;
  const stored = new Map(before?.members.map((one) => [one.email, one]));
  for (const { email, name, id, roles } of organization.members) {
    const known = stored.get(email);
    const seeded = {
      email,
      id: known?.id ?? id ?? newId("member"),
      name,
      roles: roles ? [...roles].sort() : (known?.roles ?? []),
    };
    await writeIfChanged(context, "member", email, known, seeded, async () => {
      await putMember(tx, seeded);
      await replaceMemberRoles(
        tx,
        seeded.id,
        seeded.roles.map((key) => roleIds.get(key)!),
      );
    });
  }
}

async function seedCustomFields(context: SeedContext): Promise<void> {
  const { tx, newId, organization, before } = context;
  const stored = new Map(before?.customFields.map((one) => [customFieldKey(one), one]));
  for (const entry of organization.customFields) {
    const key = customFieldKey(entry);
    const known = stored.get(key);
    const { surface, scopeId } = entry;
    const seeded: CustomFieldView = { surface, scopeId, ...seededField(entry, known, newId) };
    await writeIfChanged(context, "customField", key, known, seeded, () =>
      putCustomField(tx, { surface, scope_id: scopeId ?? "", ...fieldColumns(seeded) }),
    );
  }
}

export async function seedObjects(context: SeedContext, moduleIds: ReadonlyMap<string, string>): Promise<void> {
  const { tx, newId, organization, before } = context;
  const stored = new Map<string, ObjectView>();
  for (const module of before?.modules ?? [])
    for (const object of module.objects) stored.set(`${module.key}/${object.key}`, object);
  const ids = new Map([...stored].map(([address, object]) => [address, object.id]));

  for (const { address, moduleKey, entry } of inParentOrder(organization, before)) {
    const known = stored.get(address);
    const id = known?.id ?? entry.id ?? newId("object");
    ids.set(address, id);
    const { key, name, kind } = entry;
    const parent = entry.parent === null ? null : parentAddress(moduleKey, entry.parent);
    const describe = (object: { parent: string | null; name: string; kind: string }) => ({
      name: object.name,
      kind: object.kind,
      parent: object.parent === null ? null : parentAddress(moduleKey, object.parent),
    });
    await writeIfChanged(context, "object", address, known && describe(known), describe(entry), () =>
      putObject(tx, {
        id,
        module_id: moduleIds.get(moduleKey)!,
        key,
        name,
        kind,
        parent_object_id: parent === null ? null : ids.get(parent)!,
      }),
    );
    const fields = new Map(known?.fields.map((field) => [field.key, field]));
    for (const field of entry.fields) {
      const seeded = seededField(field, fields.get(field.key), newId);
      await writeIfChanged(context, "field", `${address}/${field.key}`, fields.get(field.key), seeded, () =>
        putObjectField(tx, { object_id: id, ...fieldColumns(seeded) }),
      );
    }
  }
}

/** Returns the objects of the file, parents first. A row can refer only to an existing row. */
function inParentOrder(organization: SeedOrganization, before: OrganizationView | undefined) {
  const parents = parentsOf(organization, before);
  const depth = (address: string) => {
    let steps = 0;
    for (let above = parents.get(address); above !== undefined; above = parents.get(above)) steps += 1;
    return steps;
  };
  return organization.modules
    .flatMap((module) =>
      module.objects.map((entry) => {
        const address = `${module.key}/${entry.key}`;
        return { address, moduleKey: module.key, entry, depth: depth(address) };
      }),
    )
    .sort((a, b) => a.depth - b.depth);
}

/**
 * Returns the field as the file describes it. A stored field keeps its id. It also keeps its number of values, if the
 * file specifies none.
 */
export function seededField(entry: SeedField, known: FieldView | undefined, newId: NewId): FieldView {
  return {
    key: entry.key,
    id: known?.id ?? entry.id ?? newId("field"),
    name: entry.name,
    type: entry.type,
    required: entry.required,
    options: entry.options,
    default: entry.default,
    valueCount: entry.valueCount ?? known?.valueCount ?? 0,
    config: entry.config,
  };
}

export function fieldColumns(field: FieldView) {
  return {
    id: field.id,
    key: field.key,
    name: field.name,
    type: field.type,
    is_required: field.required ? (1 as const) : (0 as const),
    default_value: field.default === null ? null : JSON.stringify(field.default),
    options: JSON.stringify(field.options),
    config: canonicalJson(field.config),
    value_count: field.valueCount,
  };
}

export type SeedContext = {
  tx: OrgTx;
  newId: NewId;
  changes: SeedChange[];
  organization: SeedOrganization;
  /** The organization in the store before seeding. */
  before: OrganizationView | undefined;
  /** Called for each record of the file. */
  onRecord: () => void;
};

/** Writes a record if it is new or differs from the stored record. Then adds the change to `changes`. */
export async function writeIfChanged<View>(
  { changes, organization, onRecord }: SeedContext,
  kind: SeedChange["kind"],
  key: string,
  before: View | undefined,
  seeded: View,
  put: () => Promise<void>,
): Promise<void> {
  onRecord();
  if (before !== undefined && canonicalJson(before) === canonicalJson(seeded)) return;
  await put();
  changes.push({ action: before === undefined ? "added" : "updated", kind, key, organization: organization.key });
}
