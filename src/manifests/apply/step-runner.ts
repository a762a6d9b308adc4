/**
 * Runs one step:
 *
 * - writes a journal entry
 * - sends the request at the pace that the service accepts
 * - writes the outcome to the journal
 */

import { hasCode, isOutcomeUnknown } from "../../error.ts";
import type { Service } from "../../service.ts";
import type { AmbiguousNames } from "../current/match.ts";
import { createPace, type Limited, limitedService } from "../requests.ts";
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
  /**
   * Called when a wait starts. No request is sent during the wait. `isRequested` is true if the service stated how long
   * to wait.
   */
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
  // The number of concurrent requests is limited. A request whose turn comes during a wait after a 429 is sent after
  // the wait.
  const service = limitedService(options.service, (task) => limited(() => pace.opened().then(task)));
  const shared = {
    service,
    strict,
    sleep,
    runStartedAt: now().toISOString(),
    refusedMembers: new Set(),
    validations: new Map(),
    recentForms,
  } satisfies Partial<StepContext>;
  /** The lookup that is opened after each wait. All waiting requests share this lookup. */
  let lookup: Lookup;
  let recent: ListedForms | undefined = options.listed;
  const pace = createPace({
    now,
    sleep,
    ending,
    onWait: (until, isRequested) => options.onWait?.(until, isRequested),
    onResume: () => (lookup = openLookup(service)),
  });

  return runStep;

  function recentForms(): ListedForms {
    const since = now();
    if (!recent || since.getTime() - recent.since.getTime() > RECENT_MS) {
      recent = { ...openLookup(service, options.creations), since };
    }
    return recent;
  }

  async function runStep(...[resource, index, progress]: Parameters<StepRunner>): ReturnType<StepRunner> {
    const { request } = resource.steps[index]!;
    const { operation } = request;
    const step = { resource: resource.address, step: index };
    const outcome = { ...step, operation };
    const at = () => now().toISOString();
    const recordIntent = async (mutation: string) => {
      const entry = { event: "intent", at: at(), ...step, operation, mutation } as const;
      await Promise.all([progress.recorded, journal.write(entry)]);
    };
    const done = (ids: Ids) => {
      progress.known = idsAfter(progress.known, request, ids);
      progress.recorded = journal.write({ event: "done", at: at(), ...step, ids });
      progress.recorded.catch(onUnwritable);
      return { ...outcome, status: "done", ids } as const;
    };
    try {
      return done(
        await pace.send((isRetry) => {
          const varying = { resource, known: progress.known, lookup: isRetry ? lookup : undefined, recordIntent };
          return sendStep({ ...shared, ...varying }, request);
        }),
      );
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
