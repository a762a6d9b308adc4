/**
 * Resumes a saved plan that an earlier run did not finish. Finds out which steps are applied, and whether the plan is
 * stale. An apply of manifests creates a new plan instead. From earlier runs, such an apply uses only the ids of
 * created records (lock-update.ts).
 */

import pMap from "p-map";
import { DEFAULT_FLAG, type Mode } from "../../schemas/words.ts";
import type { Service } from "../../service.ts";
import { digestOf } from "../content/compare.ts";
import { replacedDefault } from "../plan/digests.ts";
import { objectText } from "../address.ts";
import type { Plan, PlannedResource, StepRequest } from "../plan/planned.ts";
import { isNotFound } from "./create.ts";
import { isCreation, openLookup } from "./lookup.ts";
import { areAspectsChanged, areVersionsChanged, type Reading, readStepState } from "./reconcile.ts";
import { type AppliedSteps, type Ids, type RecordedRun, type RecordedSteps, recordedSteps } from "./recorded-runs.ts";
import { idsAfter, type KnownIds } from "./steps.ts";

export type ResumeOptions = {
  service: Service;
  /** The unfinished runs of this plan, the oldest first. */
  runs: readonly RecordedRun[];
  concurrency: number;
  /**
   * Returns the addresses of resources whose state differs from what the plan read. Called with the resources without
   * an applied step. If an applied step moved a default to another form, the passed service still shows this default at
   * its former form.
   */
  findStale: (untouched: Plan, service: Service) => Promise<string[]>;
};

export type Resumed = {
  appliedSteps: AppliedSteps;
  /** The addresses that another user changed after the plan was created or last ran. */
  stale: string[];
};

/** Finds the applied steps and the stale resources of a plan. @throws AmbiguousNames, and the errors of the service */
export async function resumePlan(
  plan: Plan,
  { service, runs, concurrency, findStale }: ResumeOptions,
): Promise<Resumed> {
  const recorded = recordedSteps(runs);
  const appliedSteps = new Map<string, ReadonlyMap<number, Ids>>();
  const changed: string[] = [];
  const untouched: PlannedResource[] = [];
  const lookup = openLookup(service);
  await pMap(
    plan.resources,
    async (resource) => {
      const steps = recorded.get(resource.address);
      const applied = steps && (await findApplied({ service, lookup, resource, known: {} }, steps));
      if (applied === "changed") changed.push(resource.address);
      else if (applied) appliedSteps.set(resource.address, applied);
      else untouched.push(resource);
    },
    { concurrency },
  );
  const before = withEarlierDefaults(service, plan, appliedSteps);
  const stale = new Set([...changed, ...(await findStale({ ...plan, resources: untouched }, before))]);
  return {
    appliedSteps,
    stale: plan.resources.flatMap(({ address }) => (stale.has(address) ? [address] : [])),
  };
}

/**
 * Finds the applied steps of a resource. A step is applied if the journal records this, or if the target shows its
 * effect. Two kinds of steps are looked for on the target:
 *
 * - every step before the last unanswered step, and that step
 * - every creation, even without a journal entry. A journal may be incomplete, and no record may be created twice
 *
 * @returns the applied steps, or "changed" if another user changed the resource. Undefined if no step is applied. In
 *   that case, the resource has to be in the state that the plan read
 */
async function findApplied(
  reading: Reading,
  { applied: recorded, unanswered }: RecordedSteps,
): Promise<Map<number, Ids> | "changed" | undefined> {
  const { steps } = reading.resource;
  const lastUnanswered = Math.max(-1, ...unanswered);
  const applied = new Map(recorded);
  let known: KnownIds = {};
  /** The last applied step of each operation. A later step may have replaced the effect of an earlier step. */
  const last = new Map<StepRequest["operation"], { request: StepRequest; known: KnownIds }>();
  try {
    for (const [index, { request }] of steps.entries()) {
      let ids = applied.get(index);
      if (!ids && (index <= lastUnanswered || isCreation(request))) {
        const found = await readStepState({ ...reading, known }, request);
        if (found.state === "applied") applied.set(index, (ids = found.ids));
      }
      // Without the record, no later step can be applied. If the journal contains an applied step, the record was
      // deleted after that step.
      if (!ids && isCreation(request)) return applied.size === 0 ? undefined : "changed";
      if (!ids) continue;
      last.set(request.operation, { request, known });
      known = idsAfter(known, request, ids);
    }
    if (applied.size === 0) return undefined;
    for (const step of lastingSteps(last)) {
      const asThen = { ...reading, known: { ...known, draft: step.known.draft } };
      if ((await readStepState(asThen, step.request)).state === "notApplied") return "changed";
    }
    const now = { ...reading, known };
    const isChanged =
      (await areVersionsChanged(now, { steps, applied })) || (await areAspectsChanged(now, { steps, applied }));
    return isChanged ? "changed" : applied;
  } catch (error) {
    // The record was deleted.
    if (isNotFound(error)) return "changed";
    throw error;
  }
}

/** Returns the steps whose effect must still exist. */
function lastingSteps<T extends { request: StepRequest }>(last: ReadonlyMap<StepRequest["operation"], T>): T[] {
  const deletion = last.get("deleteForm");
  if (deletion) return [deletion];
  return [...last].flatMap(([operation, step]) => {
    // An update may have replaced the values from the creation.
    if (operation === "createForm" && last.has("updateForm")) return [];
    if (operation === "createLayout" && last.has("updateLayout")) return [];
    // A publication or another draft may have replaced a draft.
    return operation === "saveDraft" ? [] : [step];
  });
}

/**
 * Returns a service whose lists of forms hide the default changes of the applied steps. Each moved default is shown at
 * the form that had it when the plan was created. Otherwise `findStale` would mistake a change of the plan for a change
 * of another user. A plan moves each default only once. So the form that lost a default in a step had this default when
 * the plan was created.
 */
function withEarlierDefaults(service: Service, { resources }: Plan, appliedSteps: AppliedSteps): Service {
  /** The digest of the id of the original default form, by object and mode. */
  const moved = new Map<string, Map<Mode, string>>();
  for (const { address, object, steps } of resources) {
    for (const [index, { request, replaces = {} }] of steps.entries()) {
      if (request.operation !== "updateFormDefaults" || !object || !appliedSteps.get(address)?.has(index)) continue;
      const ofObject = moved.get(objectText(object)) ?? new Map<Mode, string>();
      moved.set(objectText(object), ofObject);
      for (const mode of [...request.take, ...request.leave]) {
        const holder = replaces[replacedDefault(mode)];
        if (holder !== undefined) ofObject.set(mode, holder);
      }
    }
  }
  if (moved.size === 0) return service;
  return {
    ...service,
    async listForms(input, options) {
      const page = await service.listForms(input, options);
      const holders = [...(moved.get(objectText(input)) ?? [])];
      const data = page.data.map((form) => {
        const flags = holders.map(([mode, holder]) => [DEFAULT_FLAG[mode], digestOf(form.id) === holder]);
        return { ...form, ...(Object.fromEntries(flags) as object) };
      });
      return { ...page, data };
    },
  };
}
