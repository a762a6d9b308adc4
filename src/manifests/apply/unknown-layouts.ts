/** Layouts whose creation was never answered, on a server that lists none: whether they are there, a person has to say. */

import { LocatedError } from "../../documents/located-error.ts";
import type { Service } from "../../service.ts";
import type { Plan } from "../plan/planned.ts";
import type { DoneBefore } from "./outcome.ts";
import { isSameServer } from "../lock.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { listingsOf } from "./listings.ts";
import { firstPlace, lineText, type Planned } from "./planned-lines.ts";

/** Where and when its creation was sent, and the record that says so. */
export type UnknownLayout = { address: string; place: string; since: string; record: string };

/**
 * Nothing was sent.
 *
 * @param planned the resources that it stops, in the order of their layouts
 */
function layoutsUnknown(layouts: readonly UnknownLayout[], planned: readonly Planned[]): LocatedError {
  const [first, ...more] = layouts;
  const { address = "", place = "", since = "" } = first ?? {};
  const others = more.map((one) => `, nor that of ${one.address} of ${one.since}`).join("");
  const said = layouts.map((one) => ` --not-created "${answerOf(one)}"`).join("");
  return new LocatedError(
    "LAYOUT_UNKNOWN",
    `the creation of ${address} was sent to ${place} at ${since} and not answered${others}, and this server lists no layouts${planned.map(lineText).join("")}`,
    {
      location: firstPlace(planned),
      hint:
        "Look whether it is there. If it is, formctl export LAYOUT_ID --into FOLDER takes its id into .formctl/lock.json, " +
        "and the next apply goes on with it (where the server shows no layout by its id, write the id there: " +
        `"${address}": {"layoutId": "LAYOUT_ID", "base": {}}); if it is not, have it created: formctl apply PATH${said}`,
    },
  );
}

/** What a person says of one that is not there; of a later creation it says nothing. */
export function answerOf({ address, since }: UnknownLayout): string {
  return `${address}@${since}`;
}

/**
 * Those of one place, by address. The last run that has sent a creation counts: it was told to, or has looked. Whatever was
 * done with a layout since, it was known then.
 *
 * @param runs the oldest first
 */
export function unknownLayouts(runs: readonly RecordedRun[]): Map<string, UnknownLayout> {
  const unknown = new Map<string, UnknownLayout>();
  for (const { path: record, place, lines } of runs) {
    /** The steps by which this run creates. */
    const creating = new Map<string, number>();
    for (const line of lines) {
      if (line.event === "begin" || line.event === "end") continue;
      const { resource: address, step, at: since } = line;
      if (line.event === "intent" && line.operation === "createLayout") {
        creating.set(address, step);
        unknown.set(address, { address, place, since, record });
      }
      const isRefused = line.event === "failed" && !line.unknown && creating.get(address) === step;
      if (line.event === "done" || isRefused) unknown.delete(address);
    }
  }
  return unknown;
}

/**
 * Those of a place, and of the same server by another profile, which may be the same organization.
 *
 * @param runs of all places, the oldest first
 */
export function unknownLayoutsAt(place: string, runs: readonly RecordedRun[]): UnknownLayout[] {
  const here = runs.filter((run) => run.place === place || isSameServer(run.place, place));
  return [...Map.groupBy(here, (run) => run.place).values()].flatMap((of) => [...unknownLayouts(of).values()]);
}

/**
 * A creation that might be a second one is not sent.
 *
 * @param runs of all places, the oldest first
 * @param notCreated what a person has said is not there
 * @throws LAYOUT_UNKNOWN, and what the service throws
 */
export async function requireKnown(
  { resources }: Plan,
  options: {
    service: Service;
    place: string;
    runs: readonly RecordedRun[];
    before: DoneBefore | undefined;
    notCreated: readonly string[];
  },
): Promise<void> {
  const { service, place, runs, before, notCreated } = options;
  const asked = Map.groupBy(
    unknownLayoutsAt(place, runs).filter((layout) => !notCreated.includes(answerOf(layout))),
    ({ address }) => address,
  );
  const listings = listingsOf(service);
  const open: UnknownLayout[] = [];
  const stopped: Planned[] = [];
  for (const resource of resources) {
    const { address, steps } = resource;
    const layouts = asked.get(address) ?? [];
    for (const [index, { request }] of layouts.length > 0 ? steps.entries() : []) {
      if (request.operation !== "createLayout" || before?.get(address)?.has(index)) continue;
      // A server that lists layouts has been asked for it when the plan was made or gone on with.
      if (await listings.layoutsNamed(request.body)) continue;
      open.push(...layouts);
      stopped.push(resource);
    }
  }
  if (open.length > 0) throw layoutsUnknown(open, stopped);
}
