/** Which form becomes an object's default for a mode, and which gives it up without a successor. */

import type { Mode } from "../../schemas/words.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import { complaint } from "../complaints.ts";
import type { Wanted, WantedForm } from "../manifest.ts";
import type { Replaced } from "./planned.ts";
import { replacedDefaults } from "./replaced.ts";
import type { Current, FormState } from "../state.ts";

/** A form that is planned: by its manifest, or to be deleted. */
export type DefaultsSubject = { address: string; state: FormState | undefined; wanted: WantedForm | undefined };

export type DefaultsPlan = {
  take: readonly Mode[];
  leave: readonly Mode[];
  /** What another form takes over: nothing has to be done for it. */
  handOver: readonly Mode[];
  /** The forms that hold what is taken. */
  from: readonly { mode: Mode; name: string }[];
  /** What it has to give up though no manifest says so: it can't hold it any more. */
  forced: readonly Mode[];
  /** Who holds what is taken and left. */
  replaces: Replaced;
};

/**
 * The changes of defaults of one object, by the address of the form that makes each: a mode that is taken is taken from
 * whoever holds it, in one step, so that it is never without a default in between.
 */
export function planDefaults(
  subjects: readonly DefaultsSubject[],
  forms: readonly FormState[],
): Map<string, DefaultsPlan> {
  const holders = holdersOf(forms);
  const isTold = forms.every(({ defaultFor }) => defaultFor);
  const takers = new Set(subjects.flatMap(({ wanted }) => wanted?.defaultFor ?? []));
  const plans = new Map<string, DefaultsPlan>();
  for (const { address, state, wanted } of subjects) {
    const held = state?.defaultFor ?? [];
    const isKept = (mode: Mode) => wanted !== undefined && wanted.types.includes(mode) && wanted.isActive !== false;
    const claims = wanted?.defaultFor ?? held.filter(isKept);
    const take = (wanted?.defaultFor ?? []).filter((mode) => !held.includes(mode));
    const leave = held.filter((mode) => !claims.includes(mode) && !takers.has(mode));
    const handOver = held.filter((mode) => !(wanted?.defaultFor ?? []).includes(mode) && takers.has(mode));
    const from = take.flatMap((mode) => {
      const holder = holders.get(mode);
      return holder && holder !== state ? [{ mode, name: holder.form.name }] : [];
    });
    const replaces = isTold ? replacedDefaults([...take, ...leave], holders) : {};
    plans.set(address, { take, leave, handOver, from, forced: wanted?.defaultFor ? [] : leave, replaces });
  }
  return plans;
}

/** By mode, the form that is the default now, as far as the server tells. */
export function holdersOf(forms: readonly FormState[]): Map<Mode, FormState> {
  const holders = new Map<Mode, FormState>();
  for (const state of forms) for (const mode of state.defaultFor ?? []) holders.set(mode, state);
  return holders;
}

/**
 * Forms that would become a default and are inactive there, of which their manifests say nothing: the service would refuse
 * it after everything before it had been done.
 */
export function inactiveDefaults(wanted: readonly Wanted[], current: Current): Located[] {
  return wanted.flatMap((each) => {
    if (each.kind !== "Form" || each.isActive !== undefined || !each.defaultFor?.length) return [];
    if (current.forms.get(each.address)?.form.isActive !== false) return [];
    const message =
      "defaultFor names modes, and the form is inactive there, so that it can't be a default. Add isActive: true";
    return [each.locate(complaint("DEFAULT_INACTIVE", message, "defaultFor"))];
  });
}
