/** Seeds the objects of an organization and their fields, parents before their children. */

import type { ObjectView, OrganizationView, SeedOrganization } from "../../schemas/organization.ts";
import { putObject, putObjectField } from "../../store/organization-writes.ts";
import { parentAddress, parentsOf } from "./object-addresses.ts";
import { fieldColumns, seededField } from "./seed-fields.ts";
import { type Seeding, settle } from "./seeding.ts";

export async function seedObjects(
  seeding: Seeding,
  orgId: string,
  moduleIds: ReadonlyMap<string, string>,
): Promise<void> {
  const { tx, newId, organization, before } = seeding;
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
    await settle(seeding, "object", address, known && describe(known), describe(entry), () =>
      putObject(tx, orgId, {
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
      const wanted = seededField(field, fields.get(field.key), newId);
      await settle(seeding, "field", `${address}/${field.key}`, fields.get(field.key), wanted, () =>
        putObjectField(tx, orgId, { object_id: id, ...fieldColumns(wanted) }),
      );
    }
  }
}

/** The file's objects, each after its parent: a row can only point at one that is there. */
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
