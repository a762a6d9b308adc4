/** Objects of one organization by `module/key`, those of the file and those of the store together. */

import type { OrganizationView, SeedOrganization } from "../../schemas/organization.ts";

/** `parent` of an object as the file writes it, in full: an object of the same module may leave its module out. */
export function parentAddress(moduleKey: string, parent: string): string {
  return parent.includes("/") ? parent : `${moduleKey}/${parent}`;
}

type Described = { modules: readonly { key: string; objects: readonly { key: string; parent: string | null }[] }[] };

function* eachObject(described: Described | undefined): Generator<{ address: string; parent: string | undefined }> {
  for (const module of described?.modules ?? []) {
    for (const { key, parent } of module.objects) {
      yield {
        address: `${module.key}/${key}`,
        parent: parent === null ? undefined : parentAddress(module.key, parent),
      };
    }
  }
}

export function objectAddresses(organization: SeedOrganization, before: OrganizationView | undefined): Set<string> {
  return new Set([...eachObject(before), ...eachObject(organization)].map((object) => object.address));
}

/** Who is whose parent when the file has been seeded: where both speak of an object, the file is right. */
export function parentsOf(organization: SeedOrganization, before: OrganizationView | undefined): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { address, parent } of [...eachObject(before), ...eachObject(organization)]) {
    if (parent === undefined) parents.delete(address);
    else parents.set(address, parent);
  }
  return parents;
}
