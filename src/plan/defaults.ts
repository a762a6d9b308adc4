/** Plans defaults: the default form for each mode, and the order in which layouts become the organization's default. */

import type { Located } from "../schemas/diagnostic.ts";
import type { ModeWord, Mode } from "../schemas/words.ts";
import { holdersOf, type Current, type DefaultHolder, type FormState, type LayoutState } from "../state/state.ts";
import { pageKeyOf } from "../lists/layouts.ts";
import type { Wanted, WantedForm, WantedLayout } from "../manifests/manifest.ts";
import { manifestProblem } from "../manifests/problems.ts";
import { defaultAspects } from "./digests.ts";
import type { Digests, Phase, Plan, PlannedResource } from "./planned.ts";

/** A form of a plan. `wanted` is undefined if the plan deletes the form. */
export type DefaultsSubject = { address: string; state: FormState | undefined; wanted: WantedForm | undefined };

export type DefaultsPlan = {
  take: readonly Mode[];
  leave: readonly Mode[];
  /**
   * Modes for which another form of the plan takes the default from this form. This form needs no step for these modes.
   */
  handOver: readonly Mode[];
  /** The current default forms for the modes in `take`. */
  from: readonly { mode: Mode; name: string }[];
  /**
   * Modes in `leave` for which the form can no longer be the default. An example is a mode that the form loses. Empty
   * if the manifest of the form manages defaults.
   */
  forced: readonly Mode[];
  /** Digests of the current default forms for the modes in `take` and `leave`. */
  replaces: Digests;
};

/**
 * Plans the defaults of one object. Returns them by the address of the form. The default for a mode moves from one form
 * to another in one step. So the mode always has a default.
 */
export function planDefaults(
  subjects: readonly DefaultsSubject[],
  forms: readonly FormState[],
): Map<string, DefaultsPlan> {
  const holders = holdersOf(forms);
  const isShown = forms.every(({ defaultFor }) => defaultFor);
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
    const replaces = isShown ? defaultAspects([...take, ...leave], holders) : {};
    plans.set(address, { take, leave, handOver, from, forced: wanted?.defaultFor ? [] : leave, replaces });
  }
  return plans;
}

/**
 * Returns a problem for each manifest that makes an inactive form a default and does not set `isActive`. Without this
 * check, the service would refuse the default in the middle of an apply.
 */
export function inactiveDefaults(wanted: readonly Wanted[], current: Current): Located[] {
  return wanted.flatMap((each) => {
    if (each.kind !== "Form" || each.isActive !== undefined || !each.defaultFor?.length) return [];
    if (current.forms.get(each.address)?.form.isActive !== false) return [];
    const message = "defaultFor is set, but the form is inactive and can't be a default. Add isActive: true";
    return [each.locate(manifestProblem("DEFAULT_INACTIVE", message, "defaultFor"))];
  });
}

export type AssignmentOrder = {
  phase: Phase;
  /**
   * Present if the layout must temporarily stop being the organization's default. The reason is that modes move between
   * this layout and another default layout.
   */
  leavesFirst?: true;
  /**
   * Other layouts that stay the organization's default for a desired mode of this layout. With a rival, the server
   * refuses to make this layout the default.
   */
  rivals: readonly DefaultHolder[];
};

export type AssignmentsSubject = { wanted: WantedLayout; state: LayoutState | undefined };

export const USUAL_ORDER: AssignmentOrder = { phase: "access", rivals: [] };

/**
 * Returns the phases of the writes of assignments, by the address of the layout. A layout without an entry uses
 * `USUAL_ORDER`. The phases are chosen so that a mode of a page (a surface with a target) never has two default
 * layouts.
 */
export function orderAssignments(
  layouts: readonly AssignmentsSubject[],
  holders: readonly DefaultHolder[],
): Map<string, AssignmentOrder> {
  const planned = new Map(
    layouts.flatMap((layout) => (layout.state ? [[layout.state.layoutId, layout] as const] : [])),
  );
  const holdersOfPage = Map.groupBy(holders, ({ page }) => page);
  const orders = new Map<string, AssignmentOrder>();
  for (const { wanted, state } of layouts) {
    if (wanted.assignments?.organizationDefault !== true) continue;
    const modes = wanted.supportedModes;
    const before = state?.supportedModes ?? [];
    const others = (holdersOfPage.get(pageKeyOf(wanted)) ?? []).filter(
      (holder) =>
        holder.layoutId !== state?.layoutId &&
        overlap([...modes, ...before], [...holder.modes, ...laterModes(holder, planned)]),
    );
    // A default layout becomes the default for a mode with the step that adds the mode. It stays the default until the
    // step that removes the mode.
    const isDefault = state?.assignments?.organizationDefault === true;
    const rivals: DefaultHolder[] = [];
    let phase: Phase = before.every((mode) => modes.includes(mode)) ? USUAL_ORDER.phase : "narrowContent";
    let leavesFirst = false;
    for (const holder of others) {
      const other = planned.get(holder.layoutId);
      if (other?.wanted.assignments?.organizationDefault === false) {
        if (isDefault) orders.set(other.wanted.address, { phase: "create", rivals: [] });
        else if (phase === "access") phase = "defaults";
      } else if (!overlap(laterModes(holder, planned), modes)) {
        phase = "narrowContent";
        leavesFirst ||= isDefault;
      } else {
        rivals.push(holder);
      }
    }
    orders.set(wanted.address, { phase, rivals, ...(leavesFirst && { leavesFirst }) });
  }
  return orders;
}

/**
 * Returns a problem for each layout that the plan makes the organization's default while another layout stays the
 * default for one of its modes (`rivals`). Without this check, the service would refuse the assignment in the middle of
 * an apply.
 */
export function takenDefaults({ resources }: Plan, wanted: readonly Wanted[], current: Current): Located[] {
  const planned = new Set(resources.map(({ address }) => address));
  const layouts = wanted.filter((each) => each.kind === "Layout").filter(({ address }) => planned.has(address));
  const takers = new Set(resources.filter(takesDefault).map(({ address }) => address));
  if (takers.size === 0) return [];
  const orders = orderAssignments(
    layouts.map((each) => ({ wanted: each, state: current.layouts.get(each.address) })),
    current.organizationDefaults,
  );
  return layouts.flatMap((each) => {
    const rivals = takers.has(each.address) ? (orders.get(each.address)?.rivals ?? []) : [];
    return rivals.map(({ name, layoutId }) => {
      const path = "assignments.organizationDefault";
      const message = `${path}: the layout "${name}" (${layoutId}) is the organization's default, and no manifest of this plan changes that`;
      return each.locate({ severity: "error", code: "ASSIGNMENT_DEFAULT_TAKEN", message, path });
    });
  });
}

function takesDefault({ steps }: PlannedResource): boolean {
  return steps.some(({ request }) => request.operation === "replaceAssignments" && request.organizationDefault);
}

/** Returns the modes of a layout after the plan is applied. */
function laterModes(holder: DefaultHolder, planned: ReadonlyMap<string, AssignmentsSubject>): readonly ModeWord[] {
  return planned.get(holder.layoutId)?.wanted.supportedModes ?? holder.modes;
}

function overlap(some: readonly ModeWord[], others: readonly ModeWord[]): boolean {
  return some.some((mode) => others.includes(mode));
}
