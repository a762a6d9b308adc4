/** Finds the organization of a local store, and the names of its roles and members. The API returns only their ids. */

import { FormctlError } from "../base/error.ts";
import type { KeyedView, OrganizationView } from "../schemas/organization.ts";
import { isIdentifier } from "../schemas/words.ts";
import { nearest } from "../base/nearest.ts";
import { objectOf } from "../schemas/catalog.ts";
import type { CommandContext } from "./command.ts";
import type { ObjectKey } from "../lists/addresses.ts";

export type GranteeKind = "user" | "role";
/** A member or role, by id. */
export type Grantee = { kind: GranteeKind; id: string };

/** The command line accepts each of `names`; `shown` is printed. */
type NamedSubject = { id: string; names: readonly string[]; shown: string };
export type Names = Record<GranteeKind, readonly NamedSubject[]>;

/** Returns the organizations of the local store; undefined if the target is a server. */
async function readOrganizations({
  local,
  target,
}: Pick<CommandContext, "local" | "target">): Promise<OrganizationView[] | undefined> {
  return target.kind === "local" ? (await (await local()).show()).organizations : undefined;
}

/**
 * Returns the organization that the command works in. Undefined in these cases:
 * - The target is a server.
 * - The specified organization does not exist.
 * - No organization is specified, and the store has none or several.
 */
export async function findLocalOrganization(
  context: Pick<CommandContext, "local" | "organization" | "target">,
): Promise<OrganizationView | undefined> {
  const organizations = await readOrganizations(context);
  const { organization: wanted } = context;
  if (wanted === undefined) return organizations?.length === 1 ? organizations[0] : undefined;
  return organizations?.find(({ key }) => key === wanted);
}

/**
 * Returns the members and roles of a form's organization. Undefined if the target is a server, or the store does not
 * have the organization.
 */
export async function readNames(
  context: CommandContext,
  form: { organizationId?: string | undefined },
): Promise<Names | undefined> {
  const organization = (await readOrganizations(context))?.find(({ id }) => id === form.organizationId);
  if (!organization) return undefined;
  return {
    user: organization.members.map(({ id, email, name }) => ({ id, names: [email], shown: `${name} <${email}>` })),
    role: namedRoles(organization.roles),
  };
}

const namedRoles = (roles: readonly KeyedView[]): NamedSubject[] =>
  roles.map(({ id, key, name }) => ({ id, names: [key, name], shown: name }));

export function nameOf(names: Names | undefined, { kind, id }: Grantee): string | undefined {
  return names?.[kind].find((known) => known.id === id)?.shown;
}

/**
 * Resolves an id, a role's key or name, or a member's e-mail address.
 *
 * @param rows the access rows of the form. Their ids are accepted even for a deleted member or role
 * @throws NOT_FOUND if the name is unknown
 * @throws AMBIGUOUS_NAME if the name is ambiguous
 * @throws INVALID_VALUE on a server if the text can't be an id
 */
export function resolveSubject(
  names: Names | undefined,
  kind: GranteeKind,
  wanted: string,
  rows: readonly Grantee[],
): Grantee {
  const text = wanted.trim();
  const all = names?.[kind] ?? [];
  if ([...all, ...rows.filter((row) => row.kind === kind)].some(({ id }) => id === text)) return { kind, id: text };
  const found = all.filter((known) => known.names.some((name) => name.toLowerCase() === text.toLowerCase()));
  const [only] = found;
  if (only && found.length === 1) return { kind, id: only.id };
  const noun = kind === "role" ? "role" : "member";
  if (only) {
    throw new FormctlError(
      "AMBIGUOUS_NAME",
      `${found.length} ${noun}s are named "${text}": ${found.map(({ id }) => id).join(", ")}`,
      `Specify the id: --${noun} ${only.id}`,
    );
  }
  if (!names) {
    if (isIdentifier(text)) return { kind, id: text };
    throw new FormctlError(
      "INVALID_VALUE",
      `"${text}" is not a valid ${noun} id`,
      `On a server, specify each ${noun} by its id.`,
    );
  }
  const near = nearest(
    text,
    all.flatMap((known) => known.names),
  );
  throw new FormctlError(
    "NOT_FOUND",
    `the ${noun} "${text}" does not exist`,
    near ? `Did you mean "${near}"?` : `List the ${noun}s: formctl local show`,
  );
}

/**
 * Returns the address of the parent of a subordinate object. Undefined for other objects, and if the target is a
 * server.
 */
export async function findParent(
  context: CommandContext,
  { moduleKey, objectKey }: ObjectKey,
): Promise<string | undefined> {
  const organization = await findLocalOrganization(context);
  const parent = organization && objectOf(organization, moduleKey, objectKey)?.parent;
  if (!parent) return undefined;
  return parent.includes("/") ? parent : `${moduleKey}/${parent}`;
}

/**
 * Returns the organization's roles. Undefined if the organization is unknown, and always on a server: the API does not
 * list roles.
 */
export async function readRoles(context: CommandContext): Promise<readonly KeyedView[] | undefined> {
  return (await findLocalOrganization(context))?.roles;
}

/** Returns the id of a role. @throws NOT_FOUND, AMBIGUOUS_NAME or INVALID_VALUE (see {@link resolveSubject}) */
export function roleIdOf(roles: readonly KeyedView[] | undefined, wanted: string): string {
  const names: Names | undefined = roles && { user: [], role: namedRoles(roles) };
  return resolveSubject(names, "role", wanted, []).id;
}

/** Returns the name of a role, or its id if the name is unknown. */
export function roleText(roles: readonly KeyedView[] | undefined, roleId: string): string {
  return roles?.find(({ id }) => id === roleId)?.name ?? roleId;
}
