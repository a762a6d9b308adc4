/**
 * Decides what happens with a layout whose creation was sent in an earlier run and not answered. If the server lists
 * layouts, a plan finds the layout by its name (lookup.ts). Otherwise the plan is refused, until the user states with
 * --not-created that the layout does not exist.
 */

import { LocatedError } from "../documents/located-error.ts";
import type { Service } from "../service.ts";
import { isSameServer } from "../state/lock.ts";
import type { Plan } from "../plan/planned.ts";
import { firstPlace, lineText, type Planned } from "./failures.ts";
import { openLookup } from "./lookup.ts";
import type { RecordedRun } from "./recorded-runs.ts";

/**
 * An unanswered creation of a layout. `sentAt` is the time of the request. `journal` is the file with the entry of the
 * request.
 */
export type UnansweredCreation = { address: string; target: string; sentAt: string; journal: string };

/**
 * Returns the value of --not-created for this creation. With this value, the user states that the creation was not
 * carried out. The value does not apply to later creations of the same layout.
 */
export function notCreatedValue({ address, sentAt }: UnansweredCreation): string {
  return `${address}@${sentAt}`;
}

/**
 * Returns the unanswered creations by address. Only the last creation of an address counts. A run repeats a creation in
 * two cases:
 *
 * - The user stated that the earlier creation was not carried out.
 * - The run looked for the layout, and did not find it.
 *
 * If a later step of the resource is done, the layout exists. The creation of this layout is then not returned.
 *
 * @param runs the runs on one target, the oldest first
 */
export function unansweredCreations(runs: readonly RecordedRun[]): Map<string, UnansweredCreation> {
  const unanswered = new Map<string, UnansweredCreation>();
  for (const { path: journal, target, entries } of runs) {
    /** The index of the creation step, by address. */
    const creating = new Map<string, number>();
    for (const entry of entries) {
      if (entry.event === "begin" || entry.event === "end") continue;
      const { resource: address, step, at: sentAt } = entry;
      if (entry.event === "intent" && entry.operation === "createLayout") {
        creating.set(address, step);
        unanswered.set(address, { address, target, sentAt, journal });
      }
      const isRefused = entry.event === "failed" && !entry.unknown && creating.get(address) === step;
      if (entry.event === "done" || isRefused) unanswered.delete(address);
    }
  }
  return unanswered;
}

/**
 * Returns the unanswered creations on a target, and on targets of the same server in other profiles. These targets may
 * be the same organization.
 *
 * @param runs the runs on all targets, the oldest first
 */
export function unansweredCreationsAt(target: string, runs: readonly RecordedRun[]): UnansweredCreation[] {
  const ofServer = runs.filter((run) => run.target === target || isSameServer(run.target, target));
  return [...Map.groupBy(ofServer, (run) => run.target).values()].flatMap((of) => [
    ...unansweredCreations(of).values(),
  ]);
}

/**
 * Refuses a plan that creates a layout which may already exist: an earlier creation had no answer, and the server does
 * not list layouts.
 *
 * @param runs the runs on all targets, the oldest first
 * @param notCreated the values of --not-created
 * @throws LAYOUT_UNKNOWN, and the errors of the service
 */
export async function requireKnownLayouts(
  { resources }: Plan,
  options: {
    service: Service;
    target: string;
    runs: readonly RecordedRun[];
    notCreated: readonly string[];
  },
): Promise<void> {
  const { service, target, runs, notCreated } = options;
  const open = unansweredCreationsAt(target, runs).filter((one) => !notCreated.includes(notCreatedValue(one)));
  const byAddress = Map.groupBy(open, ({ address }) => address);
  const lookup = openLookup(service);
  const unknown: UnansweredCreation[] = [];
  const blocked: Planned[] = [];
  for (const resource of resources) {
    const { address, steps } = resource;
    const layouts = byAddress.get(address) ?? [];
    for (const { request } of layouts.length > 0 ? steps : []) {
      if (request.operation !== "createLayout") continue;
      // If the server lists layouts, formctl has already searched for this layout and not found it.
      if (await lookup.layoutsNamed(request.body)) continue;
      unknown.push(...layouts);
      blocked.push(resource);
    }
  }
  if (unknown.length > 0) throw layoutsUnknown(unknown, blocked);
}

/**
 * Returns the error for layouts that may already exist.
 *
 * @param planned the resources that can't be applied, in the order of `layouts`
 */
function layoutsUnknown(layouts: readonly UnansweredCreation[], planned: readonly Planned[]): LocatedError {
  const [first, ...more] = layouts;
  const { address = "", target = "", sentAt = "" } = first ?? {};
  const others = more.map((one) => `, nor that of ${one.address} at ${one.sentAt}`).join("");
  const flags = layouts.map((one) => ` --not-created "${notCreatedValue(one)}"`).join("");
  return new LocatedError(
    "LAYOUT_UNKNOWN",
    `the creation of ${address} was sent to ${target} at ${sentAt} and not answered${others}, and this server lists no layouts${planned.map(lineText).join("")}`,
    {
      location: firstPlace(planned),
      hint:
        "Look for the layout on the server. If it exists, add its id to .formctl/lock.json: formctl export LAYOUT_ID --into FOLDER. " +
        `Where the server does not show layouts by id, write it there yourself: "${address}": {"layoutId": "LAYOUT_ID", "base": {}}. ` +
        `If it does not exist, create it: formctl apply PATH${flags}`,
    },
  );
}
