/** Reads the members of a form that a transform can change. Also computes their values after the steps of a plan. */

import { digestOf } from "../contents/compare.ts";
import { accessRows, exportForm } from "../export/exported.ts";
import type { NameOf } from "../manifests/references.ts";
import { sortedModes, type Mode, type ModeWord } from "../schemas/words.ts";
import type { PlannedStep } from "../plan/planned.ts";
import type { FormState } from "../state/state.ts";
import type { AccessAnswer } from "../schemas/answers.ts";
import type { FormMembers } from "./definition.ts";
import type { ObjectKey } from "../lists/addresses.ts";

/** Finds no names, so members contain the ids of roles and users. A record must not depend on names. */
export const noNames: NameOf = () => undefined;

/**
 * Returns the members of a form as a manifest has them.
 *
 * @param state the form. If its access was not read, the result has no `access`
 */
export function membersOf(object: ObjectKey, state: FormState, nameOf: NameOf): FormMembers {
  const {
    kind: _kind,
    object: _object,
    ...members
  } = exportForm(object, { ...state, content: undefined }, nameOf).members;
  return members as FormMembers;
}

/** Returns the digest of each member. The order of modes and of access rows makes no difference. */
export function memberDigests(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([member, value]) => [member, digestOf(value)]));
}

/** Returns the members of a form after some steps. Roles and users are ids, not names. */
export function membersAfter(state: FormState, object: ObjectKey, steps: readonly PlannedStep[]): FormMembers {
  const after = membersOf(object, state, noNames);
  let { access } = state;
  let types: readonly ModeWord[] = state.form.types;
  let defaultFor: readonly Mode[] = state.defaultFor ?? [];
  for (const { request } of steps) {
    if (request.operation === "updateForm") {
      Object.assign(after, request.body);
      types = request.body.types ?? types;
    } else if (request.operation === "replaceFormAccess") access = request.body;
    else if (request.operation === "updateFormDefaults") {
      const { take, leave } = request;
      defaultFor = [...defaultFor.filter((mode) => !take.includes(mode) && !leave.includes(mode)), ...take];
    }
  }
  after.types = sortedModes(types);
  if (access) after["access"] = accessRows(withModes(access, types), noNames);
  if (state.defaultFor) after["defaultFor"] = sortedModes(defaultFor);
  return after;
}

/** Returns the access without modes that the form no longer has. Rows without modes are deleted (R74). */
export function withModes({ users, roles }: AccessAnswer, modes: readonly ModeWord[]): AccessAnswer {
  const kept = <T extends { types: ModeWord[] }>(rows: readonly T[]): T[] =>
    rows
      .map((row) => ({ ...row, types: row.types.filter((mode) => modes.includes(mode)) }))
      .filter(({ types }) => types.length > 0);
  return { users: kept(users), roles: kept(roles) };
}
