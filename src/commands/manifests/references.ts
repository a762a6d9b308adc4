/** Where names of roles and members are looked up: in the local store, or in the project file for a server. */

import { relative } from "node:path";
import { type Named, type References, referencesOf } from "../../manifests/references.ts";
import { formatPath } from "../../schemas/path.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-names.ts";

/** Reads the local store, or nothing but the settings: no server is asked. */
export async function findReferences(context: CommandContext): Promise<References> {
  if (context.target.kind === "remote") return ofProject(context);
  const organization = context.localStore.exists() ? await findLocalOrganization(context) : undefined;
  const references = ofOrganization(organization, "the local store");
  if (!organization) return references;
  const ids = {
    role: new Set(organization.roles.map(({ id }) => id)),
    member: new Set(organization.members.map(({ id }) => id)),
  };
  return { ...references, hasId: (kind, id) => ids[kind].has(id) };
}

/** Whoever an organization knows. Without ids, as in most organization files, a name is as good as one for checking. */
type Subjects = {
  roles: readonly { id?: string | undefined; key: string; name: string }[];
  members: readonly { id?: string | undefined; email: string }[];
};

/** @param source what it is called in complaints */
export function ofOrganization(organization: Subjects | undefined, source: string): References {
  const roles = organization?.roles.map(({ id, key, name }): Named => ({ id: id ?? key, names: [name, key] }));
  const members = organization?.members.map(({ id, email }): Named => ({ id: id ?? email, names: [email] }));
  return referencesOf({ role: roles ?? [], member: members ?? [] }, () => source);
}

/** The profile's own references go before those of the server's origin. */
function ofProject({ target, settings, cwd }: CommandContext): References {
  const { references } = settings;
  const origin = target.kind === "remote" ? target.origin : "";
  const { profile } = target;
  const place = profile !== undefined && Object.hasOwn(references, profile) ? profile : origin;
  const ids = Object.hasOwn(references, place) ? references[place]! : { roles: {}, members: {} };
  const named = (map: Readonly<Record<string, string>>) => {
    const names = new Map<string, string[]>();
    for (const [name, id] of Object.entries(map)) names.set(id, [...(names.get(id) ?? []), name]);
    return [...names].map(([id, all]): Named => ({ id, names: all }));
  };
  const file = settings.files().find(({ kind }) => kind === "project")?.path;
  // Where there are none yet, the profile's name is the shorter one to write them under.
  const key = Object.hasOwn(references, place) ? place : (profile ?? origin);
  const where = `in ${file === undefined ? "formctl.yaml" : relative(cwd, file)}`;
  return referencesOf(
    { role: named(ids.roles), member: named(ids.members) },
    (kind) => `${formatPath(["references", key, `${kind}s`])} ${where}`,
  );
}
