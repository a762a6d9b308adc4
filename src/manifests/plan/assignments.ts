/** When each layout's assignments are written, so that one gives up the organization's default before another takes it. */

import type { ModeWord } from "../../schemas/words.ts";
import { placeOf } from "../current/layout-state.ts";
import type { Located } from "../../schemas/diagnostic.ts";
import type { Wanted, WantedLayout } from "../manifest.ts";
import type { Phase, Plan, PlannedResource } from "./planned.ts";
import type { Current, DefaultHolder, LayoutState } from "../state.ts";

export type AssignmentOrder = {
  phase: Phase;
  /** It is the default, and gives that up before modes move between it and another default. */
  leavesFirst?: true;
  /** Layouts that hold what this one wants, and that nobody plans to change. */
  rivals: readonly DefaultHolder[];
};

export type PlannedLayout = { wanted: WantedLayout; state: LayoutState | undefined };

export const USUAL_ORDER: AssignmentOrder = { phase: "access", rivals: [] };

/**
 * The order of those layouts for which the usual one will not do, by address.
 *
 * @param layouts those that are planned
 * @param holders who is the default now
 */
export function orderAssignments(
  layouts: readonly PlannedLayout[],
  holders: readonly DefaultHolder[],
): Map<string, AssignmentOrder> {
  const planned = new Map(
    layouts.flatMap((layout) => (layout.state ? [[layout.state.layoutId, layout] as const] : [])),
  );
  const holdersIn = Map.groupBy(holders, ({ place }) => place);
  const orders = new Map<string, AssignmentOrder>();
  for (const { wanted, state } of layouts) {
    if (wanted.assignments?.organizationDefault !== true) continue;
    const modes = wanted.supportedModes;
    const there = state?.supportedModes ?? [];
    const others = (holdersIn.get(placeOf(wanted)) ?? []).filter(
      (holder) =>
        holder.layoutId !== state?.layoutId &&
        meet([...modes, ...there], [...holder.modes, ...laterModes(holder, planned)]),
    );
    // A default that gets more modes claims them already when it gets them, and keeps others until it gives them up.
    const hasIt = state?.assignments?.organizationDefault === true;
    const rivals: DefaultHolder[] = [];
    let phase: Phase = there.every((mode) => modes.includes(mode)) ? USUAL_ORDER.phase : "narrowContent";
    let leavesFirst = false;
    for (const holder of others) {
      const other = planned.get(holder.layoutId);
      if (other?.wanted.assignments?.organizationDefault === false) {
        if (hasIt) orders.set(other.wanted.address, { phase: "create", rivals: [] });
        else if (phase === "access") phase = "defaults";
      } else if (!meet(laterModes(holder, planned), modes)) {
        phase = "narrowContent";
        leavesFirst ||= hasIt;
      } else {
        rivals.push(holder);
      }
    }
    orders.set(wanted.address, { phase, rivals, ...(leavesFirst && { leavesFirst }) });
  }
  return orders;
}

/**
 * Layouts of a plan that would become the organization's default beside another that keeps it, which no plan changes: the
 * service would refuse it when everything before it had been done.
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
      const message = `${path}: the layout "${name}" (${layoutId}) is the organization's default here, and no manifest of this plan takes that from it`;
      return each.locate({ severity: "error", code: "ASSIGNMENT_DEFAULT_TAKEN", message, path });
    });
  });
}

function takesDefault({ steps }: PlannedResource): boolean {
  return steps.some(({ request }) => request.operation === "replaceAssignments" && request.organizationDefault);
}

/** The modes that a default will have. */
function laterModes(holder: DefaultHolder, planned: ReadonlyMap<string, PlannedLayout>): readonly ModeWord[] {
  return planned.get(holder.layoutId)?.wanted.supportedModes ?? holder.modes;
}

function meet(some: readonly ModeWord[], others: readonly ModeWord[]): boolean {
  return some.some((mode) => others.includes(mode));
}
