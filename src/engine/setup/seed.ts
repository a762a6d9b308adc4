/** Brings an organization file into the store: adds and updates by key, removes nothing. */

import {
  type CustomFieldView,
  customFieldKey,
  type KeyedView,
  OrganizationFile,
  type SeedChange,
  type SeedFile,
} from "../../schemas/organization.ts";
import { readShape } from "../../schemas/shape.ts";
import {
  putCustomField,
  putKeyed,
  putMember,
  putOrganization,
  replaceMemberRoles,
} from "../../store/organization-writes.ts";
import { type KeyedTable, listObjectsWithForms } from "../../store/organizations.ts";
import type { Store, Tx } from "../../store/store.ts";
import type { IdKind, NewId } from "../ids.ts";
import { invalid } from "../refuse.ts";
import { fieldColumns, seededField } from "./seed-fields.ts";
import { seedObjects } from "./seed-objects.ts";
import { findSeedProblems } from "./seed-problems.ts";
import { type Seeding, settle } from "./seeding.ts";
import { showOrganizations } from "./show.ts";

/** Reads a file by its schema and seeds it, all of it or nothing. @throws ServiceError 400 */
export async function seedFile(store: Store, file: OrganizationFile, newId: NewId): Promise<SeedChange[]> {
  const shape = readShape(OrganizationFile, file);
  if (!shape.ok) throw invalid(shape.problems);
  return store.write((tx) => seedOrganizations(tx, shape.value, newId));
}

/**
 * @returns one line a record that was added or updated; none for what is as the file says
 * @throws ServiceError 400 with every id that clashes and every name that leads nowhere, each at its path
 */
export async function seedOrganizations(tx: Tx, file: SeedFile, newId: NewId): Promise<SeedChange[]> {
  const stored = await showOrganizations(tx);
  const problems = findSeedProblems(file, stored, await listObjectsWithForms(tx));
  if (problems.length > 0) throw invalid(problems);
  const changes: SeedChange[] = [];
  for (const organization of file.organizations) {
    const before = stored.find((one) => one.key === organization.key);
    await seedOrganization({ tx, newId, changes, organization, before });
  }
  return changes;
}

async function seedOrganization(seeding: Seeding): Promise<void> {
  const { tx, organization, before } = seeding;
  const wanted = keyedView(seeding, "organization", organization, before);
  await settle(seeding, "organization", organization.key, before && keyedPart(before), wanted, () =>
    putOrganization(tx, wanted),
  );
  const orgId = wanted.id;
  const roleIds = await seedKeyed(seeding, orgId, "role", "roles");
  await seedMembers(seeding, orgId, roleIds);
  await seedKeyed(seeding, orgId, "script", "scripts");
  await seedCustomFields(seeding, orgId);
  const moduleIds = await seedKeyed(seeding, orgId, "module", "modules");
  await seedObjects(seeding, orgId, moduleIds);
}

function keyedPart({ key, id, name }: KeyedView): KeyedView {
  return { key, id, name };
}

function keyedView(
  { newId }: Seeding,
  kind: IdKind,
  entry: { id?: string | undefined; key: string; name: string },
  before: { id: string } | undefined,
): KeyedView {
  return { key: entry.key, id: before?.id ?? entry.id ?? newId(kind), name: entry.name };
}

/** @returns ids by key: those of the file and those that were there before */
async function seedKeyed(
  seeding: Seeding,
  orgId: string,
  kind: "role" | "script" | "module",
  table: KeyedTable,
): Promise<Map<string, string>> {
  const { tx, organization, before } = seeding;
  const stored = new Map(before?.[table].map((one) => [one.key, keyedPart(one)]));
  const ids = new Map([...stored.values()].map((one) => [one.key, one.id]));
  for (const entry of organization[table]) {
    const known = stored.get(entry.key);
    const wanted = keyedView(seeding, kind, entry, known);
    ids.set(entry.key, wanted.id);
    await settle(seeding, kind, entry.key, known, wanted, () => putKeyed(tx, table, orgId, wanted));
  }
  return ids;
}

async function seedMembers(seeding: Seeding, orgId: string, roleIds: ReadonlyMap<string, string>): Promise<void> {
  const { tx, newId, organization, before } = seeding;
  const stored = new Map(before?.members.map((one) => [one.email, one]));
  for (const { email, name, id, roles } of organization.members) {
    const known = stored.get(email);
    const wanted = {
      email,
      id: known?.id ?? id ?? newId("member"),
      name,
      roles: roles ? [...roles].sort() : (known?.roles ?? []),
    };
    await settle(seeding, "member", email, known, wanted, async () => {
      await putMember(tx, orgId, wanted);
      await replaceMemberRoles(
        tx,
        orgId,
        wanted.id,
        wanted.roles.map((key) => roleIds.get(key)!),
      );
    });
  }
}

async function seedCustomFields(seeding: Seeding, orgId: string): Promise<void> {
  const { tx, newId, organization, before } = seeding;
  const stored = new Map(before?.customFields.map((one) => [customFieldKey(one), one]));
  for (const entry of organization.customFields) {
    const key = customFieldKey(entry);
    const known = stored.get(key);
    const { surface, scopeId } = entry;
    const wanted: CustomFieldView = { surface, scopeId, ...seededField(entry, known, newId) };
    await settle(seeding, "customField", key, known, wanted, () =>
      putCustomField(tx, orgId, { surface, scope_id: scopeId ?? "", ...fieldColumns(wanted) }),
    );
  }
}
