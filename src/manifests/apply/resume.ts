/** Going on with a plan where an earlier run of it has ended: what is done already, and whether it is still so. */

import pMap from "p-map";
import type { Service } from "../../service.ts";
import type { DoneBefore } from "./outcome.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { type Recorded, recordedSteps } from "./recorded.ts";
import type { Plan, PlannedResource, StepRequest } from "../plan/planned.ts";
import { isCreation } from "./made-twice.ts";
import { listingsOf } from "./listings.ts";
import { hasMoved } from "./moved.ts";
import { isOverwriting } from "./overwritten.ts";
import { isGone } from "./present.ts";
import { type Place, standing } from "./stands.ts";
import { knownAfter } from "./steps.ts";
import type { Ids, Known } from "./step-context.ts";

export type ResumeOptions = {
  service: Service;
  /** Of this plan and no other, the oldest first. */
  runs: readonly RecordedRun[];
  concurrency: number;
  /** The addresses whose state is not the one that the plan was made from, beside what it has done itself. */
  stale: (rest: Plan, before: DoneBefore) => Promise<string[]>;
};

export type Resumed = {
  before: DoneBefore;
  /** What somebody else has changed since the plan was made, or since the earlier run has done its part. */
  stale: string[];
};

/**
 * Compares a resource that no run has come to with what the plan has read, and any other with what was made of it.
 *
 * @throws AmbiguousNames, and what the service throws
 */
export async function resumePlan(plan: Plan, options: ResumeOptions): Promise<Resumed> {
  const recorded = recordedSteps(options.runs);
  const before = new Map<string, ReadonlyMap<number, Ids>>();
  const changed: string[] = [];
  const untouched: PlannedResource[] = [];
  const reading = { service: options.service, listings: listingsOf(options.service) };
  await pMap(
    plan.resources,
    async (resource) => {
      const found = recorded.get(resource.address);
      const looked = found && (await lookAt(resource, found, reading));
      if (looked === "changed") changed.push(resource.address);
      else if (looked) before.set(resource.address, looked);
      else untouched.push(resource);
    },
    { concurrency: options.concurrency },
  );
  const order = new Map(plan.resources.map(({ address }, index) => [address, index]));
  const stale = [...changed, ...(await options.stale({ ...plan, resources: untouched }, before))];
  return { before, stale: stale.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)) };
}

/**
 * Everything up to the last step that was sent is looked for, and a creation in any case: whatever a record lacks, none is
 * sent a second time without having looked.
 *
 * @returns the steps that are done; undefined: none, so that all has to be as the plan has read it
 */
async function lookAt(
  resource: PlannedResource,
  { done, open }: Recorded,
  reading: Pick<Place, "service" | "listings">,
): Promise<Map<number, Ids> | "changed" | undefined> {
  const { steps } = resource;
  const lastOpen = Math.max(-1, ...open);
  const all = new Map(done);
  let known: Known = {};
  /** The last step of each kind: what an earlier one has made, a later one may have replaced. */
  const last = new Map<StepRequest["operation"], { request: StepRequest; known: Known }>();
  try {
    for (const [index, { request }] of steps.entries()) {
      let ids = done.get(index);
      if (!ids && (index <= lastOpen || isCreation(request))) {
        const found = await standing({ ...reading, resource, known }, request);
        if (typeof found === "object") all.set(index, (ids = found.ids));
      }
      // Of what is not there, nothing else can be.
      if (!ids && isCreation(request)) return all.size === 0 ? undefined : "changed";
      if (!ids) continue;
      last.set(request.operation, { request, known });
      known = knownAfter(known, request, ids);
    }
    if (all.size === 0) return undefined;
    for (const step of lasting(last)) {
      const here = { ...reading, resource, known: { ...known, draft: step.known.draft } };
      if ((await standing(here, step.request)) === "no") return "changed";
    }
    const place = { ...reading, resource, known };
    return (await hasMoved(place, steps, all)) || (await isOverwriting(place, steps, all)) ? "changed" : all;
  } catch (error) {
    // What was worked on is gone.
    if (isGone(error)) return "changed";
    throw error;
  }
}

/** Those whose effect is to be there still. */
function lasting<T extends { request: StepRequest }>(last: ReadonlyMap<StepRequest["operation"], T>): T[] {
  const deletion = last.get("deleteForm");
  if (deletion) return [deletion];
  return [...last].flatMap(([operation, step]) => {
    // A record is compared with what it was made and what it was changed to, and not with the first of them alone.
    if (operation === "createForm" && last.has("updateForm")) return [];
    if (operation === "createLayout" && last.has("updateLayout")) return [];
    // Drafts are followed by others.
    return operation === "saveDraft" ? [] : [step];
  });
}
