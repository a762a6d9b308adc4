/** Going on with a plan where an earlier run of it has ended: what is done already, and whether it is still so. */

import pMap from "p-map";
import type { Service } from "../../service.ts";
import type { DoneBefore } from "./apply.ts";
import type { RecordedRun } from "./journal.ts";
import type { Plan, PlannedResource, StepRequest } from "../plan/plan.ts";
import { isGone } from "./present.ts";
import { standing } from "./stands.ts";
import { type Ids, type Known, knownAfter } from "./steps.ts";

/** What the earlier runs have recorded of one resource. */
type Recorded = {
  done: Map<number, Ids>;
  /** The step whose outcome they don't know. */
  open: number | undefined;
};

export type ResumeOptions = {
  service: Service;
  /** Of this plan and no other, the oldest first. */
  runs: readonly RecordedRun[];
  concurrency: number;
  /** The addresses whose state is not the one that the plan was made from. */
  stale: (plan: Plan) => Promise<string[]>;
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
  await pMap(
    plan.resources,
    async (resource) => {
      const found = recorded.get(resource.address);
      const looked = found && (await lookAt(resource, found, options.service));
      if (looked === "changed") changed.push(resource.address);
      else if (looked) before.set(resource.address, looked);
      else untouched.push(resource);
    },
    { concurrency: options.concurrency },
  );
  const order = new Map(plan.resources.map(({ address }, index) => [address, index]));
  const stale = [...changed, ...(await options.stale({ ...plan, resources: untouched }))];
  return { before, stale: stale.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)) };
}

/** @returns the steps that are done; undefined: none, so that all is as the plan has read it */
async function lookAt(
  resource: PlannedResource,
  { done, open }: Recorded,
  service: Service,
): Promise<Map<number, Ids> | "changed" | undefined> {
  const { steps } = resource;
  const all = new Map(done);
  let known: Known = {};
  /** The last step of each kind: what an earlier one has made, a later one may have replaced. */
  const last = new Map<StepRequest["operation"], { request: StepRequest; known: Known }>();
  try {
    for (const [index, { request }] of steps.entries()) {
      let ids = done.get(index);
      if (!ids && index === open) {
        const found = await standing({ service, resource, known }, request);
        if (found === "no" && done.size === 0) return undefined;
        if (found !== "no" && found !== "untold") all.set(index, (ids = found.ids));
      }
      if (!ids) continue;
      last.set(request.operation, { request, known });
      known = knownAfter(known, request, ids);
    }
    // A form is compared with what it was made and what it was changed to, and not with the first of them alone.
    if (last.has("updateForm") || last.has("deleteForm")) last.delete("createForm");
    if (last.has("deleteForm")) last.delete("updateForm");
    for (const step of last.values()) {
      const isDeleting = step.request.operation === "deleteForm";
      const here = { service, resource, known: { ...known, draft: step.known.draft } };
      const found = last.has("deleteForm") && !isDeleting ? "untold" : await standing(here, step.request);
      if (found === "no") return "changed";
    }
  } catch (error) {
    // What was worked on is gone.
    if (isGone(error)) return "changed";
    throw error;
  }
  return (await isOtherDraft(resource, known, service)) ? "changed" : all;
}

/** Whether the draft that was saved and not published yet has been replaced. */
async function isOtherDraft({ layoutId }: PlannedResource, known: Known, service: Service): Promise<boolean> {
  const id = known.layoutId ?? layoutId;
  if (known.draft == null || id === undefined) return false;
  const versions = await service.listVersions({ layoutId: id });
  return versions.every((version) => version.id !== known.draft || version.status !== "DRAFT");
}

function recordedSteps(runs: readonly RecordedRun[]): Map<string, Recorded> {
  const recorded = new Map<string, Recorded>();
  for (const line of runs.flatMap(({ lines }) => lines)) {
    if (line.event === "begin" || line.event === "end") continue;
    const of = recorded.get(line.resource) ?? { done: new Map<number, Ids>(), open: undefined };
    if (line.event === "done") of.done.set(line.step, line.ids);
    // A refusal is certain: it was not done.
    of.open = line.event === "intent" || (line.event === "failed" && line.unknown) ? line.step : undefined;
    recorded.set(line.resource, of);
  }
  for (const [address, { done, open }] of recorded) {
    if (done.size === 0 && open === undefined) recorded.delete(address);
  }
  return recorded;
}
