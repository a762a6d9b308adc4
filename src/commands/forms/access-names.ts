/** Who the ids of access rows are: the API can't say, a local store can. */

import { FormctlError, hasCode } from "../../error.ts";
import { nearest } from "../../schemas/nearest.ts";
import type { OrganizationView } from "../../schemas/organization.ts";
import { isIdentifier } from "../../schemas/identifier.ts";
import type { CommandContext } from "../command.ts";
import type { AccessRow, Subject, SubjectKind } from "./access-rows.ts";
import type { ShownForm } from "./form-view.ts";

/** A member or role: `names` are what a person may call it, the first is shown. */
type Known = { id: string; names: readonly string[]; shown: string };
export type Names = Record<SubjectKind, readonly Known[]>;

/** The members and roles of a form's organization; undefined where no local store can be asked. */
export async function readNames(context: CommandContext, form: ShownForm): Promise<Names | undefined> {
  let organizations: OrganizationView[];
  try {
    ({ organizations } = await (await context.local()).show());
  } catch (error) {
    // The target is a server.
    if (hasCode(error, "USAGE")) return undefined;
    throw error;
  }
  const organization = organizations.find(({ id }) => id === form.organizationId);
  if (!organization) return undefined;
  return {
    user: organization.members.map(({ id, email, name }) => ({ id, names: [email], shown: `${name} <${email}>` })),
    role: organization.roles.map(({ id, key, name }) => ({ id, names: [key, name], shown: name })),
  };
}

export function nameOf(names: Names | undefined, { kind, id }: Subject): string | undefined {
  return names?.[kind].find((known) => known.id === id)?.shown;
}

/** `access of role Recruiter: VIEW, EDIT` */
export function lossOf(names: Names | undefined, row: AccessRow): string {
  return `access of ${row.kind} ${nameOf(names, row) ?? row.id}: ${row.types.join(", ")}`;
}

/**
 * The member or role that a person means by an id, a role's key or name, or a member's e-mail address.
 *
 * @param rows what the form has: its ids are taken though nobody knows them any more
 * @throws NOT_FOUND, AMBIGUOUS_NAME when nobody or several are called so, INVALID_VALUE where only ids can be understood
 */
export function resolveSubject(
  names: Names | undefined,
  kind: SubjectKind,
  wanted: string,
  rows: readonly Subject[],
): Subject {
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
      `Name one by its id: --${noun} ${only.id}`,
    );
  }
  if (!names) {
    if (isIdentifier(text)) return { kind, id: text };
    throw new FormctlError(
      "INVALID_VALUE",
      `"${text}" can't be the id of a ${noun}`,
      "A server knows members and roles by their ids.",
    );
  }
  const near = nearest(
    text,
    all.flatMap((known) => known.names),
  );
  throw new FormctlError(
    "NOT_FOUND",
    `there is no ${noun} "${text}"`,
    near ? `Did you mean "${near}"?` : `See who there is: formctl local show`,
  );
}
