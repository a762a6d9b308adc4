/** Merges the user's change of a form with the changes that another user made at the same time. */

import type { FormAnswer } from "../../schemas/answers.ts";
import { canonicalJson, isJsonObject, type JsonObject } from "../../schemas/json.ts";
import type { Patch } from "./form-input.ts";

/** A value that another user changed in a member of the patch. `own` is absent if the user did not change it. */
export type ForeignChange = { path: string; before: unknown; theirs: unknown; own?: { value: unknown } };

/**
 * Compares the patch with the changes of another user. The config is compared by its members.
 *
 * @param before the form that the user edited
 * @param now the current form
 * @returns the changes of the other user in the members of the patch, and the patch that keeps them. If both users
 *   changed a value, the patch has the value of the user
 */
export function mergeForm(
  before: FormAnswer,
  now: FormAnswer,
  patch: Patch,
): { foreign: ForeignChange[]; merged: Patch } {
  const foreign: ForeignChange[] = [];
  const merged: Patch = { ...patch };
  for (const member of Object.keys(patch) as (keyof Patch)[]) {
    if (isSame(before[member], now[member])) continue;
    const [own, old, theirs] = [patch[member], before[member], now[member]];
    if (isJsonObject(own) && isJsonObject(old) && isJsonObject(theirs)) {
      foreign.push(...foreignMembers(member, { own, old, theirs }));
      merged.config = mergedMembers({ own, old, theirs });
    } else if (!isSame(own, theirs)) foreign.push({ path: member, before: old, theirs, own: { value: own } });
  }
  return { foreign, merged };
}

type Versions = { own: JsonObject; old: JsonObject; theirs: JsonObject };

function foreignMembers(member: string, { own, old, theirs }: Versions): ForeignChange[] {
  return namesOf({ own, old, theirs })
    .filter((name) => !isSame(old[name], theirs[name]) && !isSame(own[name], theirs[name]))
    .map((name) => ({
      path: `${member}.${name}`,
      before: old[name],
      theirs: theirs[name],
      ...(!isSame(own[name], old[name]) && { own: { value: own[name] } }),
    }));
}

function mergedMembers({ own, old, theirs }: Versions): JsonObject {
  const values = namesOf({ own, old, theirs }).map(
    (name) => [name, isSame(own[name], old[name]) ? theirs[name] : own[name]] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const namesOf = ({ own, old, theirs }: Versions) => [
  ...new Set([...Object.keys(theirs), ...Object.keys(old), ...Object.keys(own)]),
];

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}
