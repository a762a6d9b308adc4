/**
 * Handles creations of layouts that an earlier run sent and that were not answered: finds them in the journals, and
 * refuses a plan that would create such a layout again, unless the server lists its layouts.
 */

import { LocatedError } from "../../documents/located-error.ts";
import type { Service } from "../../service.ts";
import { isSameServer } from "../lock.ts";
import type { Plan } from "../plan/planned.ts";
import { firstPlace, lineText, type Planned } from "./failures.ts";
import { openLookup } from "./lookup.ts";
import type { AppliedSteps, RecordedRun } from "./recorded-runs.ts";

/**
 * A creation without an answer. `sentAt` is the time of the request, and `journal` the file that contains its entry.
 */
export type UnansweredCreation = { address: string; place: string; sentAt: string; journal: string };

/**
 * Returns the value of --not-created by which the user states that this creation was not carried out. The value does
 * not apply to later creations of the same layout.
 */
export function notCreatedValue({ address, sentAt }: UnansweredCreation): string {
  return `${address}@${sentAt}`;
}

/**
 * Returns the unanswered creations by address. Only the last creation of an address counts: before a run repeats a
 * creation, either the user states that the layout does not exist, or the run looks for the layout and does not find
 * it. A later step of the resource that is done shows that the layout exists.
 *
 * @param runs the runs on one target, the oldest first
 */
export function unansweredCreations(runs: readonly RecordedRun[]): Map<string, UnansweredCreation> {
  const unanswered = new Map<string, UnansweredCreation>();
  for (const { path: journal, place, entries } of runs) {
    /** The index of the creation step, by address. */
    const creating = new Map<string, number>();
    for (const entry of entries) {
      if (entry.event === "begin" || entry.event === "end") continue;
      const { resource: address, step, at: sentAt } = entry;
      if (entry.event === "intent" && entry.operation === "createLayout") {
        creating.set(address, step);
        unanswered.set(address, { address, place, sentAt, journal });
      }
      const isRefused = entry.event === "failed" && !entry.unknown && creating.get(address) === step;
      if (entry.event === "done" || isRefused) unanswered.delete(address);
    }
  }
  return unanswered;
}

/**
 * Returns the unanswered creations on a target, and on targets of the same server in other profiles, which may be the
 * same organization.
 *
 * @param runs the runs on all targets, the oldest first
 */
export function unansweredCreationsAt(place: string, runs: readonly RecordedRun[]): UnansweredCreation[] {
  const here = runs.filter((run) => run.place === place || isSameServer(run.place, place));
  return [...Map.groupBy(here, (run) => run.place).values()].flatMap((of) => [...unansweredCreations(of).values()]);
}

/**
 * Returns the error for layouts that may already exist.
 *
 * @param planned the resources that can't be applied, in the order of `layouts`
 */
function layoutsUnknown(layouts: readonly UnansweredCreation[], planned: readonly Planned[]): LocatedError {
  const [first, ...more] = layouts;
  const { address = "", place = "", sentAt = "" } = first ?? {};
  const others = more.map((one) => `, nor that of ${one.address} at ${one.sentAt}`).join("");
  const flags = layouts.map((one) => ` --not-created "${notCreatedValue(one)}"`).join("");
  return new LocatedError(
    "LAYOUT_UNKNOWN",
    `the creation of ${address} was sent to ${place} at ${sentAt} and not answered${others}, and this server lists no layouts${planned.map(lineText).join("")}`,
    {
      location: firstPlace(planned),
      hint:
        "Look for the layout on the server. If it exists, add its id to .formctl/lock.json: formctl export LAYOUT_ID --into FOLDER. " +
        `Where the server does not show layouts by id, write it there yourself: "${address}": {"layoutId": "LAYOUT_ID", "base": {}}. ` +
        `If it does not exist, create it: formctl apply PATH${flags}`,
    },
  );
}

/**
 * Refuses a plan that creates a layout which may already exist.
 *
 * @param runs the runs on all targets, the oldest first
 * @param notCreated the values of --not-created
 * @throws LAYOUT_UNKNOWN, and what the service throws
 */
export async function requireKnownLayouts(
  { resources }: Plan,
  options: {
    service: Service;
    place: string;
    runs: readonly RecordedRun[];
    appliedSteps: AppliedSteps | undefined;
    notCreated: readonly string[];
  },
): Promise<void> {
  const { service, place, runs, appliedSteps, notCreated } = options;
  const open = unansweredCreationsAt(place, runs).filter((one) => !notCreated.includes(notCreatedValue(one)));
  const byAddress = Map.groupBy(open, ({ address }) => address);
  const lookup = openLookup(service);
  const unknown: UnansweredCreation[] = [];
  const blocked: Planned[] = [];
  for (const resource of resources) {
    const { address, steps } = resource;
    const layouts = byAddress.get(address) ?? [];
    for (const [index, { request }] of layouts.length > 0 ? steps.entries() : []) {
      if (request.operation !== "createLayout" || appliedSteps?.get(address)?.has(index)) continue;
      // If the server lists layouts, formctl looked for this layout when it created or resumed the plan.
      if (await lookup.layoutsNamed(request.body)) continue;
      unknown.push(...layouts);
      blocked.push(resource);
    }
  }
  if (unknown.length > 0) throw layoutsUnknown(unknown, blocked);
}
