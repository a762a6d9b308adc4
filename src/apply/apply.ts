/**
 * Applies a plan. The phases run one after the other. Within a phase, the resources run concurrently. A failed step
 * stops only its own resource.
 */

import pMap from "p-map";
import { type FormctlError, hasCode } from "../base/error.ts";
import { limitConcurrency, limitedService } from "../state/limited-service.ts";
import {
  fieldsOwner,
  type Phase,
  PHASES,
  type Plan,
  type PlannedResource,
  type PlannedStep,
  savesContent,
} from "../plan/planned.ts";
import { findDuplicates, isCreation, openLookup } from "./lookup.ts";
import {
  createStepRunner,
  INTERRUPTED,
  type ResourceProgress,
  type StepOutcome,
  type StepRunnerOptions,
} from "./step-runner.ts";

export type ApplyOptions = Omit<StepRunnerOptions, "onUnwritable" | "creations" | "limited"> & {
  concurrency: number;
  /**
   * Called before and after each step that this run starts. Not called for a step that is skipped because its resource
   * or the run was stopped.
   */
  onStep: (resource: PlannedResource, step: PlannedStep, outcome: StepOutcome | "begun") => void;
};

export type ApplyReport = {
  /** The outcome of every step of the plan, resource by resource. */
  outcomes: readonly StepOutcome[];
  /** The error of writing the journal. Present if this error was the reason for skipped steps. */
  unwritable?: FormctlError;
  /** Whether a signal ended the run before all steps had started. */
  interrupted: boolean;
};

type Work = {
  resource: PlannedResource;
  progress: ResourceProgress;
  outcomes: StepOutcome[];
  /** Why no more requests are sent for the resource. Undefined if the resource can continue. */
  stopped: string | undefined;
};

/**
 * Returns the maximum number of resources in progress. It is larger than the number of concurrent requests. Some
 * resources wait for their journal entries to reach the disk. Meanwhile other resources send requests.
 */
const inProgress = (concurrency: number) => concurrency + Math.floor(concurrency / 2);

export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const { ending, onStep, concurrency } = options;
  const limited = limitConcurrency(concurrency);
  let unwritable: FormctlError | undefined;
  const planned = plan.resources.flatMap(({ steps }) => steps.map(({ request }) => request).filter(isCreation));
  const runStep = createStepRunner({ ...options, limited, creations: planned, onUnwritable: stopAll });

  const work = plan.resources.map((resource): Work => ({
    resource,
    progress: { known: {}, recorded: Promise.resolve() },
    outcomes: [],
    stopped: undefined,
  }));
  for (const phase of PHASES) {
    const inPhase = work.filter(({ resource }) => resource.steps.some((step) => step.phase === phase));
    holdBack(inPhase, phase);
    await pMap(inPhase, (one) => runPhase(one, phase), { concurrency: inProgress(concurrency) });
    // Waits for the last journal entries once for each phase, so that entries of several resources share a flush.
    await Promise.allSettled(inPhase.map(({ progress }) => progress.recorded));
    if (phase === "create") await stopDuplicates(inPhase);
  }
  const outcomes = work.flatMap((one) => one.outcomes);
  const isCutOff = outcomes.some(({ reason }) => reason !== undefined && reason === unwritable?.message);
  return {
    outcomes,
    ...(unwritable && isCutOff && { unwritable }),
    interrupted: outcomes.some(({ reason }) => reason === INTERRUPTED),
  };

  function holdBack(inPhase: readonly Work[], phase: Phase): void {
    const unfinished = work.filter((one) => !one.outcomes.every(isApplied)).map(({ resource }) => resource);
    for (const one of inPhase) one.stopped ??= stopReason() ?? deletionBlocker(one.resource, phase, unfinished);
  }

  async function runPhase(one: Work, phase: Phase): Promise<void> {
    for (const [index, step] of one.resource.steps.entries()) {
      if (step.phase === phase) one.outcomes.push(await outcomeOf(one, step, index));
    }
  }

  async function outcomeOf(one: Work, step: PlannedStep, index: number): Promise<StepOutcome> {
    const { resource, progress } = one;
    const { request } = step;
    const common = { resource: resource.address, step: index, operation: request.operation };
    one.stopped ??= stopReason();
    if (one.stopped !== undefined) return { ...common, status: "skipped", ids: {}, reason: one.stopped };
    onStep(resource, step, "begun");
    const outcome = await runStep(resource, index, progress);
    if (outcome.status !== "done") one.stopped = outcome.reason ?? `${request.operation} ${STOPPED[outcome.status]}`;
    onStep(resource, step, outcome);
    return outcome;
  }

  function stopAll(error: unknown): void {
    if (!hasCode(error, "RECORD_UNWRITABLE")) throw error;
    unwritable ??= error;
  }

  /** Returns why no further step of any resource may start. Undefined if steps may start. */
  function stopReason(): string | undefined {
    if (unwritable) return unwritable.message;
    return ending.aborted ? INTERRUPTED : undefined;
  }

  /** Stops each resource whose created record exists more than once. The user has to choose one of these records. */
  async function stopDuplicates(created: readonly Work[]): Promise<void> {
    const creations = created.flatMap((one) => {
      const outcome = one.outcomes.at(-1)!;
      const { request } = one.resource.steps[outcome.step]!;
      return outcome.status === "done" && isCreation(request) ? [{ one, outcome, request }] : [];
    });
    const lookup = openLookup(
      limitedService(options.service, limited),
      creations.map(({ request }) => request),
    );
    await pMap(
      creations,
      async ({ one, outcome, request }) => {
        const conflict = await findDuplicates(lookup, one.resource.address, request, outcome.ids);
        if (!conflict) return;
        outcome.conflict = conflict;
        one.stopped = "it exists more than once";
      },
      { concurrency },
    );
  }
}

const STOPPED = { failed: "failed", unknown: "may have been done", skipped: "was skipped" } as const;

/** Whether a step is done and its resource may continue. */
export function isApplied({ status, conflict }: StepOutcome): boolean {
  return status === "done" && !conflict;
}

/**
 * Returns why a phase must not delete a form or fields yet. Undefined if the phase may delete them. Deletions wait
 * until the other resources with the same owner of fields (`fieldsOwner`) are finished. One of these resources may
 * replace the deleted form or field.
 */
export function deletionBlocker(
  resource: PlannedResource,
  phase: Phase,
  unfinished: readonly PlannedResource[],
): string | undefined {
  if (!deletes(resource, phase)) return undefined;
  const owner = fieldsOwner(resource);
  const other = unfinished.find((each) => each !== resource && fieldsOwner(each) === owner);
  return other && `nothing is deleted until ${other.address} is finished`;
}

function deletes({ steps }: PlannedResource, phase: Phase): boolean {
  if (phase === "delete") return true;
  if (phase !== "loseFields") return false;
  const saved = steps.map(({ request }) => request).findLast(savesContent);
  // A plan that saves no draft publishes an existing draft. The plan does not record the deleted fields of that draft.
  // So the code assumes that the draft deletes a field.
  if (!saved) return true;
  // Some drafts of the phase `loseFields` delete no field. These drafts show a field that another draft creates late
  // (`waitForFields` in plan.ts).
  return saved.content.stagedFieldDefinitions.some(({ action }) => action === "delete");
}
