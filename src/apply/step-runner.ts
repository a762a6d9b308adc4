/**
 * Runs one step:
 *
 * - writes a journal entry
 * - sends the request, and waits if the service limits the rate
 * - writes the outcome to the journal
 */

import { hasCode, isOutcomeUnknown } from "../base/error.ts";
import { type Service, withOptions } from "../service.ts";
import type { AmbiguousNames } from "../state/match.ts";
import { type Limited, limitedService } from "../state/limited-service.ts";
import type { PlannedResource, PlannedStep } from "../plan/planned.ts";
import type { Journal } from "./journal.ts";
import { type CreateRequest, isCreation, type ListedForms, type Lookup, openLookup } from "./lookup.ts";
import type { Ids } from "./recorded-runs.ts";
import { idsAfter, type KnownIds, sendStep, type StepContext } from "./steps.ts";

export type StepOutcome = {
  resource: string;
  step: number;
  operation: string;
  /** `unknown`: the step was sent and may have been carried out. `skipped`: the step was not sent. */
  status: "done" | "failed" | "unknown" | "skipped";
  ids: Ids;
  /** Present if an earlier run of the same plan applied the step. */
  doneBefore?: true;
  error?: unknown;
  /** Why the step was skipped. */
  reason?: string;
  /** The message of the error, if the service accepted the step but does not show its effect. */
  unconfirmed?: string;
  /**
   * Present if the created record exists more than once. The creation is done, but no more requests are sent for the
   * resource.
   */
  conflict?: AmbiguousNames;
};

/** The `reason` of steps that were skipped after a signal. */
export const INTERRUPTED = "interrupted";

/** The state of a resource between its steps. The step runner updates this state. */
export type ResourceProgress = {
  known: KnownIds;
  /** Resolves when the journal entry of the last step is on disk. The next step waits for this promise. */
  recorded: Promise<void>;
};

export type StepRunner = (resource: PlannedResource, index: number, progress: ResourceProgress) => Promise<StepOutcome>;

export type StepRunnerOptions = {
  service: Service;
  journal: Journal;
  /** Refuses to publish a draft with warnings. */
  strict: boolean;
  now: () => Date;
  /** Waits, and ends early when the signal is aborted. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  /**
   * Aborted at the first signal (such as SIGINT). The steps in progress are finished, and may still send requests. No
   * other steps start.
   */
  ending: AbortSignal;
  /** Called once for each wait after a 429. `isRequested` is true if the service stated how long to wait. */
  onWait?: (until: Date, isRequested: boolean) => void;
  onUnwritable: (error: unknown) => void;
  limited: Limited;
  creations: readonly CreateRequest[];
  /** The forms that the plan has read. Absent for a saved plan. */
  listed?: ListedForms | undefined;
};

/**
 * How long a list of forms is reused. Each creation needs a recent list, and a plan can create hundreds of forms in one
 * object.
 */
const RECENT_MS = 5_000;

export function createStepRunner(options: StepRunnerOptions): StepRunner {
  const { journal, strict, now, sleep, ending, onUnwritable, limited } = options;
  const service = withOptions(limitedService(options.service, limited), {
    stopWaiting: ending,
    onWait(until, isRequested) {
      lookup = undefined;
      options.onWait?.(until, isRequested);
    },
  });
  /** Finds the records after a wait. The requests that waited share this lookup. */
  let lookup: Lookup | undefined;
  const shared = {
    strict,
    sleep,
    runStartedAt: now().toISOString(),
    validations: new Map(),
    lookup: () => (lookup ??= openLookup(service)),
    recentForms,
  } satisfies Partial<StepContext>;
  let recent: ListedForms | undefined = options.listed;

  return runStep;

  function recentForms(): ListedForms {
    const since = now();
    if (!recent || since.getTime() - recent.since.getTime() > RECENT_MS) {
      recent = { ...openLookup(service, options.creations), since };
    }
    return recent;
  }

  async function runStep(...[resource, index, progress]: Parameters<StepRunner>): ReturnType<StepRunner> {
    const { request, writes } = resource.steps[index]!;
    const { operation } = request;
    const step = { resource: resource.address, step: index };
    const outcome = { ...step, operation };
    const at = () => now().toISOString();
    let lastMutation = "";
    const recordIntent = async (mutation: string) => {
      lastMutation = mutation;
      const entry = { event: "intent", at: at(), ...step, operation, mutation, writes } as const;
      await Promise.all([progress.recorded, journal.write(entry)]);
    };
    const done = (ids: Ids) => {
      progress.known = idsAfter(progress.known, request, ids);
      progress.recorded = journal.write({ event: "done", at: at(), ...step, ids });
      progress.recorded.catch(onUnwritable);
      return { ...outcome, status: "done", ids } as const;
    };
    try {
      const repeating = withOptions(service, { beforeRepeat: () => recordIntent(lastMutation) });
      const context = { ...shared, service: repeating, resource, known: progress.known, recordIntent };
      return done(await sendStep(context, request));
    } catch (error) {
      // The server accepted the request. Its answer omits the ids, but no later step needs them.
      if (hasCode(error, "NOT_CONFIRMED") && !isNeeded(resource.steps, index))
        return { ...done({}), unconfirmed: error.message };
      if (hasCode(error, "RECORD_UNWRITABLE")) {
        // The request was not sent: every request waits for its journal entry.
        onUnwritable(error);
        return { ...outcome, status: "skipped", ids: {}, reason: error.message };
      }
      const unknown = isOutcomeUnknown(error);
      const { code = (error as Error).name, message } = error as Error & { code?: string };
      await journal.write({ event: "failed", at: at(), ...step, code, message, unknown }).catch(onUnwritable);
      // The request was not sent: the signal came during an earlier wait or read.
      if (ending.aborted && error === ending.reason)
        return { ...outcome, status: "skipped", ids: {}, reason: INTERRUPTED };
      return { ...outcome, status: unknown ? "unknown" : "failed", ids: {}, error };
    }
  }
}

/**
 * Whether later steps need the ids of a step. The ids of a record are always needed. The id of a version is needed only
 * if a later step publishes or replaces the version.
 */
function isNeeded(steps: readonly PlannedStep[], index: number): boolean {
  const step = steps[index]!;
  return isCreation(step.request) || (createsVersion(step) && steps.slice(index + 1).some(createsVersion));
}

function createsVersion({ request: { operation } }: PlannedStep): boolean {
  return operation === "saveDraft" || operation === "publishLayout";
}
