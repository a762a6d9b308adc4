/** Plan + service + journal → outcomes. What failed stops its own resource; the others go on. */

import pMap from "p-map";
import { type FormctlError, hasCode } from "../../error.ts";
import type { Service } from "../../service.ts";
import { reasonToKeep } from "./hold-back.ts";
import type { Journal, JournalLine } from "./journal.ts";
import { listingsOf } from "./listings.ts";
import { isCreation, madeTwice } from "./made-twice.ts";
import type { AmbiguousNames } from "../current/read-errors.ts";
import { type Phase, PHASES, type Plan, type PlannedResource, type PlannedStep } from "../plan/planned.ts";
import type { ApplyReport, DoneBefore, StepOutcome } from "./outcome.ts";
import { INTERRUPTED, type Progress, stepsOnRecord } from "./on-record.ts";
import { knownAfter } from "./steps.ts";
import type { Ids } from "./step-context.ts";

export type ApplyOptions = {
  service: Service;
  journal: Journal;
  /** Steps that are not done again. */
  before?: DoneBefore;
  concurrency: number;
  /** A draft with warnings is not published. */
  strict: boolean;
  now: () => Date;
  /** Ends sooner where the signal is aborted. */
  sleep: (milliseconds: number, ending?: AbortSignal) => Promise<void>;
  /** Aborted by the first signal: requests under way are finished, no others begin. */
  ending: AbortSignal;
  /** Told of each step that is sent, and of its outcome. */
  onStep: (resource: PlannedResource, step: PlannedStep, outcome: StepOutcome | "begun") => void;
  /** Told that nothing more is sent until then, because the service asks to wait or takes nothing. */
  onWait?: (until: Date, isAsked: boolean) => void;
};

/** A resource on its way. */
type Work = {
  resource: PlannedResource;
  progress: Progress;
  outcomes: StepOutcome[];
  conflict: AmbiguousNames | undefined;
  /** Why nothing more is sent for it. */
  stopped: string | undefined;
};

export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyReport> {
  const { service, journal, ending, onStep, now, concurrency } = options;
  /** The record can't be written any more: nothing more may be sent. */
  let record: FormctlError | undefined;
  const steps = stepsOnRecord({ ...options, onUnwritable: stopAll });

  const work = plan.resources.map((resource): Work => ({
    resource,
    progress: { known: {}, recorded: Promise.resolve() },
    outcomes: [],
    conflict: undefined,
    stopped: undefined,
  }));
  // Each record says all that is done: a later run goes by it, whatever became of the earlier ones.
  await Promise.all(linesOf(options.before, now().toISOString()).map((line) => journal.write(line))).catch(stopAll);
  for (const phase of PHASES) {
    const waiting = work.filter(({ resource }) => resource.steps.some((step) => step.phase === phase));
    holdBack(waiting, phase);
    await pMap(waiting, (one) => doPhase(one, phase), { concurrency });
    if (phase === "create") await stopTwice(waiting);
  }
  const outcomes = work.flatMap((one) => one.outcomes);
  const conflicts = work.flatMap(({ resource, conflict }) => (conflict ? [[resource.address, conflict] as const] : []));
  const isCutOff = outcomes.some(({ reason }) => reason !== undefined && reason === record?.message);
  return {
    outcomes,
    conflicts: new Map(conflicts),
    ...(record && isCutOff && { unwritable: record }),
    interrupted: outcomes.some(({ reason }) => reason === INTERRUPTED),
  };

  function holdBack(waiting: readonly Work[], phase: Phase): void {
    const unfinished = work.filter(
      ({ conflict, outcomes: of }) => conflict || of.some(({ status }) => status !== "done"),
    );
    const resources = unfinished.map(({ resource }) => resource);
    for (const one of waiting) one.stopped ??= notBegun() ?? reasonToKeep(one.resource, phase, resources);
  }

  async function doPhase(one: Work, phase: Phase): Promise<void> {
    for (const [index, step] of one.resource.steps.entries()) {
      if (step.phase === phase) await doStep(one, step, index);
    }
    await one.progress.recorded.catch(() => undefined);
  }

  async function doStep(one: Work, step: PlannedStep, index: number): Promise<void> {
    const { resource, progress } = one;
    const { request } = step;
    const outcome = { resource: resource.address, step: index, operation: request.operation };
    const before = doneBefore(resource, index);
    if (before) {
      progress.known = knownAfter(progress.known, request, before);
      one.outcomes.push({ ...outcome, status: "done", ids: before, isBefore: true });
      return;
    }
    one.stopped ??= notBegun();
    if (one.stopped !== undefined) {
      one.outcomes.push({ ...outcome, status: "skipped", ids: {}, reason: one.stopped });
      return;
    }
    onStep(resource, step, "begun");
    const ended = await steps.send(resource, index, progress);
    one.outcomes.push(ended);
    if (ended.status !== "done") one.stopped = ended.reason ?? `${request.operation} ${STOPPED[ended.status]}`;
    onStep(resource, step, ended);
  }

  function doneBefore({ address }: PlannedResource, index: number): Ids | undefined {
    return options.before?.get(address)?.get(index);
  }

  function stopAll(error: unknown): void {
    if (!hasCode(error, "RECORD_UNWRITABLE")) throw error;
    record ??= error;
  }

  function notBegun(): string | undefined {
    if (record) return record.message;
    return ending.aborted ? INTERRUPTED : undefined;
  }

  /** Nothing more is sent for what is there twice: a person decides which of the two it is to be. */
  async function stopTwice(created: readonly Work[]): Promise<void> {
    const listings = listingsOf(service);
    await pMap(
      created,
      async (one) => {
        const made = one.outcomes.at(-1)!;
        const { request } = one.resource.steps[made.step]!;
        if (made.status !== "done" || !isCreation(request) || made.isBefore) return;
        one.conflict = await madeTwice(listings, one.resource, request, made.ids);
        if (one.conflict) one.stopped = "it is there more than once";
      },
      { concurrency },
    );
  }
}

function linesOf(before: DoneBefore | undefined, at: string): JournalLine[] {
  return [...(before ?? [])].flatMap(([resource, steps]) =>
    [...steps].map(([step, ids]) => ({ event: "done" as const, at, resource, step, ids })),
  );
}

const STOPPED = { failed: "failed", unknown: "may have been done or not", skipped: "was skipped" } as const;
