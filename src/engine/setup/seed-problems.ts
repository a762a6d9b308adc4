/**
 * Finds the problems of an organization file that depend on the store. Examples are conflicting ids and unknown names.
 */

import { nearest } from "../../base/nearest.ts";
import {
  customFieldKey,
  type OrganizationView,
  type SeedFile,
  type SeedOrganization,
} from "../../schemas/organization.ts";
import { formatPath, type PathStep } from "../../schemas/path.ts";
import type { ShapeProblem } from "../../schemas/shape.ts";

export function findSeedProblems(
  file: SeedFile,
  stored: readonly OrganizationView[],
  objectsWithForms: ReadonlySet<string>,
): ShapeProblem[] {
  const storedByKey = new Map(stored.map((organization) => [organization.key, organization]));
  return [
    ...findIdProblems(file, stored),
    ...file.organizations.flatMap((organization, index) => {
      const before = storedByKey.get(organization.key);
      return [
        ...findRoleProblems(organization, before),
        ...findParentProblems(organization, before),
        ...findKindProblems(organization, before, objectsWithForms),
      ].map(({ path, message }) => ({ path: formatPath(["organizations", index, ...path]), message }));
    }),
  ];
}

type Problem = { path: PathStep[]; message: string };

/** Finds conflicting ids. In the store, an id belongs to one record of its kind. The id of a record can't change. */
function findIdProblems(file: SeedFile, stored: readonly OrganizationView[]): ShapeProblem[] {
  const problems: ShapeProblem[] = [];
  const owners = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const { kind, address, id } of listIds(stored)) {
    owners.set(`${kind} ${id}`, address);
    ids.set(`${kind} ${address}`, id!);
  }
  for (const { kind, address, id, path } of listIds(file.organizations)) {
    if (id === undefined) continue;
    const problem = (message: string) => problems.push({ path: formatPath(path), message });
    const known = ids.get(`${kind} ${address}`);
    const owner = owners.get(`${kind} ${id}`);
    if (known !== undefined && known !== id) problem(`is ${known} in the store, and ids can't change`);
    else if (owner !== undefined && owner !== address) problem(`is already the id of the ${kind} ${owner}`);
    owners.set(`${kind} ${id}`, address);
  }
  return problems;
}

type IdOwner = { kind: string; address: string; id: string | undefined; path: PathStep[] };
type Entry = { id?: string | undefined; key: string };

/** Lists every record that can have an id. The file and the store's organizations have the same structure. */
function* listIds(
  organizations: readonly (Entry & {
    roles: readonly Entry[];
    members: readonly { id?: string | undefined; email: string }[];
    scripts: readonly Entry[];
    customFields: readonly (Entry & { surface: string; scopeId: string | null })[];
    modules: readonly (Entry & { objects: readonly (Entry & { fields: readonly Entry[] })[] })[];
  })[],
): Generator<IdOwner> {
  for (const [index, organization] of organizations.entries()) {
    const at: PathStep[] = ["organizations", index];
    const own = (kind: string, address: string, id: string | undefined, ...steps: PathStep[]) => ({
      kind,
      address: `${organization.key}: ${address}`,
      id,
      path: [...at, ...steps, "id"],
    });
    yield { kind: "organization", address: organization.key, id: organization.id, path: [...at, "id"] };
    for (const [i, role] of organization.roles.entries()) yield own("role", role.key, role.id, "roles", i);
    for (const [i, member] of organization.members.entries())
      yield own("member", member.email, member.id, "members", i);
    for (const [i, script] of organization.scripts.entries()) yield own("script", script.key, script.id, "scripts", i);
    for (const [i, field] of organization.customFields.entries())
      yield own("custom field", customFieldKey(field), field.id, "customFields", i);
    for (const [m, module] of organization.modules.entries()) {
      yield own("module", module.key, module.id, "modules", m);
      for (const [o, object] of module.objects.entries()) {
        const address = `${module.key}/${object.key}`;
        yield own("object", address, object.id, "modules", m, "objects", o);
        for (const [f, field] of object.fields.entries())
          yield own("field", `${address}/${field.key}`, field.id, "modules", m, "objects", o, "fields", f);
      }
    }
  }
}

function findRoleProblems(organization: SeedOrganization, before: OrganizationView | undefined): Problem[] {
  const known = new Set([...organization.roles, ...(before?.roles ?? [])].map((role) => role.key));
  return organization.members.flatMap((member, index) =>
    (member.roles ?? []).flatMap((key, position) =>
      known.has(key)
        ? []
        : [
            {
              path: ["members", index, "roles", position],
              message: `"${key}" is not a role of ${organization.key}${didYouMean(key, known)}`,
            },
          ],
    ),
  );
}

function findParentProblems(organization: SeedOrganization, before: OrganizationView | undefined): Problem[] {
  const known = objectAddresses(organization, before);
  const parents = parentsOf(organization, before);
  return organization.modules.flatMap((module, m) =>
    module.objects.flatMap((object, o) => {
      if (object.parent === null) return [];
      const path = ["modules", m, "objects", o, "parent"];
      const parent = parentAddress(module.key, object.parent);
      if (!known.has(parent)) {
        return [
          {
            path,
            message: `is not an object of ${organization.key}: ${parent} does not exist${didYouMean(parent, known)}`,
          },
        ];
      }
      const self = `${module.key}/${object.key}`;
      return isOwnAncestor(self, parents) ? [{ path, message: `makes ${self} its own ancestor` }] : [];
    }),
  );
}

function isOwnAncestor(self: string, parents: ReadonlyMap<string, string>): boolean {
  const seen = new Set<string>();
  for (let above = parents.get(self); above !== undefined && !seen.has(above); above = parents.get(above)) {
    if (above === self) return true;
    seen.add(above);
  }
  return false;
}

function findKindProblems(
  organization: SeedOrganization,
  before: OrganizationView | undefined,
  objectsWithForms: ReadonlySet<string>,
): Problem[] {
  const stored = new Map(
    before?.modules.flatMap((module) => module.objects.map((object) => [`${module.key}/${object.key}`, object])),
  );
  return organization.modules.flatMap((module, m) =>
    module.objects.flatMap((object, o) => {
      const known = stored.get(`${module.key}/${object.key}`);
      if (!known || known.kind === object.kind || !objectsWithForms.has(known.id)) return [];
      // A subordinate object has no forms (R10). Therefore the forms must be deleted before the kind can change.
      return [
        {
          path: ["modules", m, "objects", o, "kind"],
          message: `is ${known.kind} and can't change: the object has forms`,
        },
      ];
    }),
  );
}

function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known);
  return found === undefined ? "" : `. Did you mean "${found}"?`;
}

/** Returns the full address of a parent. The file can omit the module if the parent is in the same module. */
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

function objectAddresses(organization: SeedOrganization, before: OrganizationView | undefined): Set<string> {
  return new Set([...eachObject(before), ...eachObject(organization)].map((object) => object.address));
}

/**
 * Returns the address of each object's parent after seeding, by the object's address. The file takes precedence over
 * the store.
 */
export function parentsOf(organization: SeedOrganization, before: OrganizationView | undefined): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { address, parent } of [...eachObject(before), ...eachObject(organization)]) {
    if (parent === undefined) parents.delete(address);
    else parents.set(address, parent);
  }
  return parents;
}
