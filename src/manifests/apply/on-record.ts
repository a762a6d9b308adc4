/** One step on record: a line before its request, the request as soon as the service takes it, and a line with what came of it. */

import { hasCode } from "../../error.ts";
import { NotConfirmed, type Service } from "../../service.ts";
import type { PlannedResource, PlannedStep } from "../plan/planned.ts";
import type { StepOutcome } from "./outcome.ts";
import type { Expectations } from "./expectations.ts";
import type { Journal } from "./journal.ts";
import { type Listings, listingsOf } from "./listings.ts";
import { isCreation } from "./made-twice.ts";
import { createPace } from "./pace.ts";
import { knownAfter, sendStep } from "./steps.ts";
import type { Ids, Known, StepContext } from "./step-context.ts";
import { requireNoWarnings } from "./strict.ts";

export type StepsOnRecord = {
  /** Sends it. `progress` is what is known of the resource, and is brought up to date. */
  send(resource: PlannedResource, index: number, progress: Progress): Promise<StepOutcome>;
};

export type Progress = {
  known: Known;
  /** The line of the last step may still be on its way to the disk; the next step waits for it. */
  recorded: Promise<void>;
};

export type RecordingOptions = {
  service: Service;
  journal: Journal;
  /** A draft with warnings is not published. */
  strict: boolean;
  now: () => Date;
  /** Ends sooner where the signal is aborted. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  ending: AbortSignal;
  /** Told that nothing more is sent until then, because the service asks to wait or takes nothing. */
  onWait?: (until: Date, isAsked: boolean) => void;
  /** Told of what writing the record has thrown. */
  onUnwritable: (error: unknown) => void;
};

export function stepsOnRecord(options: RecordingOptions): StepsOnRecord {
  const { service, journal, strict, now, sleep, ending, onUnwritable } = options;
  const run = now().toISOString();
  const expectations: Expectations = new Set();
  const validations: StepContext["validations"] = new Map();
  /** Lists from after the last wait, which all share that have waited. */
  let listings: Listings;
  const pace = createPace({
    now,
    sleep,
    ending,
    onWait: (until, isAsked) => options.onWait?.(until, isAsked),
    onResume: () => (listings = listingsOf(service)),
  });

  return {
    async send(resource, index, progress) {
      const { request } = resource.steps[index]!;
      const { operation } = request;
      const place = { resource: resource.address, step: index };
      const outcome = { ...place, operation };
      const at = () => now().toISOString();
      const intend = async (mutation: string) => {
        const line = { event: "intent", at: at(), ...place, operation, mutation } as const;
        await Promise.all([progress.recorded, journal.write(line)]);
      };
      const done = (ids: Ids) => {
        progress.known = knownAfter(progress.known, request, ids);
        progress.recorded = journal.write({ event: "done", at: at(), ...place, ids });
        progress.recorded.catch(onUnwritable);
        return { ...outcome, status: "done", ids } as const;
      };
      try {
        const ids = await pace.keep(async (isAgain) => {
          const again = isAgain ? listings : undefined;
          const { known } = progress;
          const beside = { run, expectations, validations, sleep, again, intend };
          const context: StepContext = { service, resource, known, ...beside };
          if (strict && operation === "publishLayout") await requireNoWarnings(context, request);
          return sendStep(context, request);
        });
        return done(ids);
      } catch (error) {
        // It was accepted, and nothing that follows needs to know more of it.
        if (error instanceof NotConfirmed && !isNeeded(resource.steps, index))
          return { ...done({}), unconfirmed: error.message };
        // It was not sent: the signal came while it waited for what it had to read first.
        const wasStopped = ending.aborted && error === ending.reason;
        const unknown = isUnknown(error);
        const { code = (error as Error).name, message } = error as Error & { code?: string };
        if (hasCode(error, "RECORD_UNWRITABLE")) {
          // It was not sent: every request waits for its line.
          onUnwritable(error);
          return { ...outcome, status: "skipped", ids: {}, reason: error.message };
        }
        await journal.write({ event: "failed", at: at(), ...place, code, message, unknown }).catch(onUnwritable);
        if (wasStopped) return { ...outcome, status: "skipped", ids: {}, reason: INTERRUPTED };
        return { ...outcome, status: unknown ? "unknown" : "failed", ids: {}, error };
      }
    },
  };
}

/** Why a step is skipped that a signal came before. */
export const INTERRUPTED = "interrupted";

/** Whether what a step makes is needed later: a record by whoever looks for it, a version by the next one of its layout. */
function isNeeded(steps: readonly PlannedStep[], index: number): boolean {
  const { request } = steps[index]!;
  return isCreation(request) || (makesVersion(steps[index]!) && steps.slice(index + 1).some(makesVersion));
}

function makesVersion({ request: { operation } }: PlannedStep): boolean {
  return operation === "saveDraft" || operation === "publishLayout";
}

/** Whether a write that ended so may have been done: also where a disk failed while it was written. */
function isUnknown(error: unknown): boolean {
  if (hasCode(error, "OUTCOME_UNKNOWN") || error instanceof NotConfirmed) return true;
  return (error as { code?: unknown }).code === "STORE_OUTCOME_UNKNOWN";
}
