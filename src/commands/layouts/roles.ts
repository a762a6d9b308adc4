/** The roles that assignments name: by id, and in local mode by key or name. */

import type { KeyedView } from "../../schemas/organization.ts";
import { type Names, resolveSubject } from "../forms/access-names.ts";
import type { CommandContext } from "../command.ts";
import { findLocalOrganization } from "../local-organization.ts";

/** The organization's roles; undefined where only the API can be asked, which does not list them. */
export async function readRoles(context: CommandContext): Promise<readonly KeyedView[] | undefined> {
  return (await findLocalOrganization(context))?.roles;
}

/** @throws NOT_FOUND, AMBIGUOUS_NAME when no role or several are called so, INVALID_VALUE where only ids can be understood */
export function roleIdOf(roles: readonly KeyedView[] | undefined, wanted: string): string {
  const names: Names | undefined = roles && {
    user: [],
    role: roles.map(({ id, key, name }) => ({ id, names: [key, name], shown: name })),
  };
  return resolveSubject(names, "role", wanted, []).id;
}

/** A role as a person knows it: its name, or its id where that is all there is. */
export function roleText(roles: readonly KeyedView[] | undefined, roleId: string): string {
  return roles?.find(({ id }) => id === roleId)?.name ?? roleId;
}
