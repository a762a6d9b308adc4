/** Who an access command is about: `--role` and `--member`, each as often as needed. */

import { FormctlError } from "../../error.ts";
import { list } from "../command.ts";
import { type Names, resolveSubject } from "./access-names.ts";
import type { Subject } from "./access-rows.ts";

export const subjectOptions = {
  role: list("--role <role>", "A role by its id; in local mode also by its key or name"),
  member: list("--member <member>", "A member by its membership id; in local mode also by its e-mail address"),
};

export type TypedSubjects = { role: readonly string[]; member: readonly string[] };

/** @throws USAGE when nobody was named */
export function requireSubjects({ role, member }: TypedSubjects): void {
  if (role.length + member.length > 0) return;
  throw new FormctlError("USAGE", "specify --role or --member", "Both may be repeated.");
}

/** @throws NOT_FOUND, AMBIGUOUS_NAME or INVALID_VALUE as {@link resolveSubject} does */
export function resolveSubjects(
  { role, member }: TypedSubjects,
  names: Names | undefined,
  rows: readonly Subject[],
): Subject[] {
  const found = [
    ...member.map((text) => resolveSubject(names, "user", text, rows)),
    ...role.map((text) => resolveSubject(names, "role", text, rows)),
  ];
  // Two words may mean the same one: a role's key and its name.
  return [...new Map(found.map((subject) => [`${subject.kind} ${subject.id}`, subject])).values()];
}
