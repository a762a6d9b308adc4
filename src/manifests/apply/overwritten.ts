/** Whether somebody has changed what the rest of a plan would overwrite: every aspect is compared with what the plan had read. */

import { wholeForm } from "../../lists/whole-form.ts";
import { MODES } from "../../schemas/words.ts";
import { readLayout } from "../../service.ts";
import { holdersOf, toFormState } from "../current/forms.ts";
import { toLayoutState } from "../current/layouts.ts";
import { canonicalAccess, canonicalAssignments } from "../plan/changes.ts";
import { replacedAspect, replacedDefaults, replacedForm, replacedMembers } from "../plan/digests.ts";
import type { PlannedStep } from "../plan/planned.ts";
import type { Replaced } from "../plan/planned.ts";
import { type Place, standing } from "./stands.ts";
import { formPath, layoutOf } from "./steps.ts";

/**
 * What a step has written already is compared with what it made, elsewhere, and not with what was there before.
 *
 * @param done the numbers of the steps that are done
 * @throws what the service throws
 */
export async function isOverwriting(
  place: Place,
  steps: readonly PlannedStep[],
  done: { has(step: number): boolean },
): Promise<boolean> {
  const aspectsOf = (of: readonly PlannedStep[]) => of.flatMap(({ replaces }) => Object.keys(replaces ?? {}));
  const written = new Set(aspectsOf(steps.filter((_, index) => done.has(index))));
  const rest = steps.filter((_, index) => !done.has(index));
  const left = new Set(aspectsOf(rest).filter((aspect) => !written.has(aspect)));
  if (left.size === 0) return false;
  const now = place.resource.kind === "Form" ? await ofForm(place, left) : await ofLayout(place, left);
  for (const { request, replaces = {} } of rest) {
    // What is not shown now is not known to be another.
    const isOther = ([aspect, digest]: [string, string]) =>
      left.has(aspect) && now[aspect] !== undefined && now[aspect] !== digest;
    if (!Object.entries(replaces).some(isOther)) continue;
    // Whoever has made it the same loses nothing.
    if (typeof (await standing(place, request)) !== "object") return true;
  }
  return false;
}

async function ofForm({ service, resource, known, listings }: Place, aspects: ReadonlySet<string>): Promise<Replaced> {
  const path = formPath(resource, known);
  const states = (await listings.formsOf(path)).map(toFormState);
  const listed = states.find((state) => state.form.id === path.formId)?.listed;
  const isTold = states.every(({ defaultFor }) => defaultFor);
  return {
    ...(listed && { ...replacedMembers(aspects, await wholeForm(service, path, listed)), ...replacedForm(listed) }),
    ...(isTold && replacedDefaults(MODES, holdersOf(states))),
    ...(aspects.has("access") && replacedAspect("access", canonicalAccess(await service.getFormAccess(path)))),
  };
}

async function ofLayout({ service, resource, known }: Place, aspects: ReadonlySet<string>): Promise<Replaced> {
  const layout = await readLayout(service, layoutOf(resource, known));
  if (!layout) return {};
  const state = toLayoutState(layout);
  const { assignments } = state;
  return {
    ...replacedMembers(aspects, state),
    ...replacedAspect("assignments", assignments && canonicalAssignments(assignments)),
  };
}
