/** When each layout's assignments are written, so that one gives up the organization's default before another takes it. */

import type { Mode } from "../schemas/form.ts";
import type { DefaultHolder, LayoutState } from "./current.ts";
import { placeOf } from "./find-layouts.ts";
import type { WantedLayout } from "./manifest.ts";
import type { Phase } from "./plan.ts";

export type AssignmentOrder = {
  phase: Phase;
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
    const others = (holdersIn.get(placeOf(wanted)) ?? []).filter(
      (holder) => holder.layoutId !== state?.layoutId && meet(widened(holder, planned.get(holder.layoutId)), modes),
    );
    // A default that gets more modes claims them already when it gets them.
    const hasIt = state?.assignments?.organizationDefault === true;
    const rivals: DefaultHolder[] = [];
    let phase: Phase = USUAL_ORDER.phase;
    for (const holder of others) {
      const other = planned.get(holder.layoutId);
      if (other?.wanted.assignments?.organizationDefault === false) {
        if (hasIt) orders.set(other.wanted.address, { phase: "create", rivals: [] });
        else if (phase === "access") phase = "defaults";
      } else if (other && !hasIt && !meet(other.wanted.supportedModes, modes)) {
        phase = "narrowContent";
      } else {
        rivals.push(holder);
      }
    }
    if (others.length > 0) orders.set(wanted.address, { phase, rivals });
  }
  return orders;
}

/** The modes that a layout holds, and those that it gets in this plan before anybody gives up a default. */
function widened({ modes }: DefaultHolder, planned: PlannedLayout | undefined): readonly Mode[] {
  return [...modes, ...(planned?.wanted.supportedModes ?? [])];
}

function meet(some: readonly Mode[], others: readonly Mode[]): boolean {
  return some.some((mode) => others.includes(mode));
}
