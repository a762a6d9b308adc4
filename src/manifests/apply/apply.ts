/** Plan + service + journal → outcomes. What failed stops its own resource; the others go on. */

import pMap from "p-map";
import { NotConfirmed, OutcomeUnknown, type Service } from "../../service.ts";
import { RecordError } from "./append-log.ts";
import type { Expectations } from "./expectations.ts";
import type { Journal, JournalLine } from "./journal.ts";
import {
  type Phase,
  PHASES,
  type Plan,
  type PlannedResource,
  type PlannedStep,
  type StepRequest,
} from "../plan/plan.ts";
import { requireNoWarnings } from "./strict.ts";
import { type Ids, type Known, knownAfter, sendStep } from "./steps.ts";

export type StepOutcome = {
  resource: string;
  step: number;
  operation: string;
  /** `unknown`: it was sent and no answer came; `skipped`: it was not sent. */
  status: "done" | "failed" | "unknown" | "skipped";
  /** What was made: formId, layoutId, draftVersionId, versionId. */
  ids: Ids;
  error?: unknown;
  /** Why it was skipped. */
  reason?: string;
  /** It was accepted, and what came of it can't be read. */
  unconfirmed?: string;
};

export type ApplyReport = {
  /** Of every step of the plan, in its order. */
  outcomes: readonly StepOutcome[];
  /** The program was told to end before everything was begun. */
  interrupted: boolean;
};

/** By resource and number of the step: what a run of the same plan has done before it was cut off. */
export type DoneBefore = ReadonlyMap<string, ReadonlyMap<number, Ids>>;

export type ApplyOptions = {
  service: Service;
  journal: Journal;
  /** Steps that are not done again. */
  before?: DoneBefore;
  concurrency: number;
  /** A draft with warnings is not published. */
  strict: boolean;
  now: () => Date;
  sleep: (milliseconds: number) => Promise<void>;
  /** Aborted by the first signal: requests under way are finished, no others begin. */
  ending: AbortSignal;
  /** Told of each step that is sent, and of its outcome. */
  onStep: (resource: PlannedResource, step: PlannedStep, outcome: StepOutcome | "begun") => void;
};

/** A resource on its way. */
type Work = {
  resource: PlannedResource;
  known: Known;
  outcomes: StepOutcome[];
  /** Why nothing more is sent for it. */
  stopped: string | undefined;
  /** The line of its last step may still be on its way to the disk; the next step waits for it. */
  recorded: Promise<void>;
};

export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const { journal, ending, onStep, now } = options;
  const run = now().toISOString();
  const expectations: Expectations = new Set();
  /** The record can't be written any more: nothing more may be sent. */
  let record: RecordError | undefined;
  let interrupted = false;

  const work = plan.resources.map((resource): Work => ({
    resource,
    known: {},
    outcomes: [],
    stopped: undefined,
    recorded: Promise.resolve(),
  }));
  // Each record says all that is done: a later run goes by it, whatever became of the earlier ones.
  await Promise.all(linesOf(options.before, run).map((line) => journal.write(line))).catch(stopAll);
  for (const phase of PHASES) {
    const waiting = work.filter(({ resource }) => resource.steps.some((step) => step.phase === phase));
    await pMap(waiting, (one) => doPhase(one, phase), { concurrency: options.concurrency });
  }
  return { outcomes: work.flatMap(({ outcomes }) => outcomes), interrupted };

  async function doPhase(one: Work, phase: Phase): Promise<void> {
    for (const [index, step] of one.resource.steps.entries()) {
      if (step.phase === phase) await doStep(one, step, index);
    }
    await one.recorded.catch(() => undefined);
  }

  async function doStep(one: Work, step: PlannedStep, index: number): Promise<void> {
    const { resource } = one;
    const { address } = resource;
    const { request } = step;
    const outcome = { resource: address, step: index, operation: request.operation };
    const before = options.before?.get(address)?.get(index);
    if (before) {
      one.known = knownAfter(one.known, request, before);
      one.outcomes.push({ ...outcome, status: "done", ids: before });
      return;
    }
    one.stopped ??= notBegun();
    if (one.stopped !== undefined) {
      one.outcomes.push({ ...outcome, status: "skipped", ids: {}, reason: one.stopped });
      return;
    }
    onStep(resource, step, "begun");
    const ended = await send();
    one.outcomes.push(ended);
    if (ended.status !== "done") one.stopped = `${request.operation} ${STOPPED[ended.status]}`;
    onStep(resource, step, ended);

    async function send(): Promise<StepOutcome> {
      const { service, sleep, strict } = options;
      const at = () => now().toISOString();
      const place = { resource: address, step: index };
      const intend = async (mutation: string) => {
        const line = { event: "intent", at: at(), ...place, operation: request.operation, mutation } as const;
        await Promise.all([one.recorded, journal.write(line)]);
      };
      const context = { service, resource, known: one.known, run, expectations, sleep, intend };
      const done = (ids: Ids) => {
        one.known = knownAfter(one.known, request, ids);
        one.recorded = journal.write({ event: "done", at: at(), ...place, ids });
        one.recorded.catch(stopAll);
        return { ...outcome, status: "done", ids } as const;
      };
      try {
        if (strict && request.operation === "publishLayout") await requireNoWarnings(context, request);
        return done(await sendStep(context, request));
      } catch (error) {
        // It was accepted, and nothing that follows needs to know more of it.
        if (error instanceof NotConfirmed && !MAKES_IDS.has(request.operation))
          return { ...done({}), unconfirmed: error.message };
        // It was not sent: the signal came while it waited for what it had to read first.
        const wasStopped = ending.aborted && error === ending.reason;
        const unknown = isUnknown(error);
        const { code = (error as Error).name, message } = error as Error & { code?: string };
        if (error instanceof RecordError) stopAll(error);
        else await journal.write({ event: "failed", at: at(), ...place, code, message, unknown }).catch(stopAll);
        if (wasStopped) return { ...outcome, status: "skipped", ids: {}, reason: toldToEnd() };
        return { ...outcome, status: unknown ? "unknown" : "failed", ids: {}, error };
      }
    }
  }

  function notBegun(): string | undefined {
    if (record) return record.message;
    return ending.aborted ? toldToEnd() : undefined;
  }

  function toldToEnd(): string {
    interrupted = true;
    return "interrupted";
  }

  function stopAll(error: unknown): void {
    if (!(error instanceof RecordError)) throw error;
    record ??= error;
  }
}

function linesOf(before: DoneBefore | undefined, at: string): JournalLine[] {
  return [...(before ?? [])].flatMap(([resource, steps]) =>
    [...steps].map(([step, ids]) => ({ event: "done" as const, at, resource, step, ids })),
  );
}

const MAKES_IDS = new Set<StepRequest["operation"]>(["createForm", "createLayout", "saveDraft", "publishLayout"]);

const STOPPED = { failed: "failed", unknown: "may have been done or not", skipped: "was skipped" } as const;

/** Whether a write that ended so may have been done: also where a disk failed while it was written. */
function isUnknown(error: unknown): boolean {
  if (error instanceof OutcomeUnknown || error instanceof NotConfirmed) return true;
  return (error as { code?: unknown }).code === "STORE_OUTCOME_UNKNOWN";
}
