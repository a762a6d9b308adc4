/** Defines the entries of a journal. Reads from journals which runs ended, and which steps were applied or unanswered. */

import * as z from "zod/mini";
import { isSafeKey } from "../../schemas/json.ts";
import type { Plan, PlannedResource } from "../plan/planned.ts";

/**
 * The name of a target or the address of a resource. These names become members of the lock file. A journal may come
 * from another user, so names such as `__proto__` are refused.
 */
const name = z.string().check(z.refine(isSafeKey, "must not be the name of a member that every object has"));
const ofStep = { at: z.string(), resource: name, step: z.int() };

/** An entry of a journal. No entry contains a secret. */
export const JournalEntry = z.discriminatedUnion("event", [
  /** `plan` is the digest of the plan, `place` the key of the target. */
  z.object({ event: z.literal("begin"), at: z.string(), plan: z.string(), place: name }),
  /**
   * Written before the request is sent. `mutation` is the id by which the service recognizes the write. Empty if the
   * write has no id.
   */
  z.object({ event: z.literal("intent"), ...ofStep, operation: z.string(), mutation: z.string() }),
  /** `ids` are the ids of the records and versions that the step created. */
  z.object({ event: z.literal("done"), ...ofStep, ids: z.record(z.string(), z.string()) }),
  /** `unknown` is true if the request was sent and may have been carried out. */
  z.object({ event: z.literal("failed"), ...ofStep, code: z.string(), message: z.string(), unknown: z.boolean() }),
  z.object({ event: z.literal("end"), at: z.string(), outcome: z.enum(["done", "partial", "failed"]) }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;

export type RecordedRun = {
  /** The file of the journal. */
  path: string;
  /** The digest of the plan. */
  plan: string;
  /** The key of the target. */
  target: string;
  entries: readonly JournalEntry[];
  /** Absent if the run was interrupted. */
  outcome?: "done" | "partial" | "failed";
};

/** The ids that a step returned: formId, layoutId, firstDraftId, draftVersionId, versionId. */
export type Ids = Readonly<Record<string, string>>;

/**
 * The steps that earlier runs of the same plan applied, by address and index. The value of each step is the ids that
 * the step returned.
 */
export type AppliedSteps = ReadonlyMap<string, ReadonlyMap<number, Ids>>;

/** Returns the resources with remaining steps, and the total number of these steps. */
export function remainingSteps(
  { resources }: Plan,
  applied: AppliedSteps | undefined,
): { resources: readonly PlannedResource[]; steps: number } {
  const count = ({ address, steps }: PlannedResource) => steps.length - (applied?.get(address)?.size ?? 0);
  const remaining = resources.filter((resource) => count(resource) > 0);
  return { resources: remaining, steps: remaining.reduce((sum, resource) => sum + count(resource), 0) };
}

/**
 * Returns the unfinished runs of a plan, the oldest first. A new run of the same plan continues them. Leaves out each
 * of the following runs, and all runs before it:
 *
 * - a completed run of this plan
 * - a run of a different plan that wrote to a resource of this plan
 */
export function unfinishedRuns(
  runs: readonly RecordedRun[],
  { plan, addresses }: { plan: string; addresses: ReadonlySet<string> },
): RecordedRun[] {
  const touches = ({ entries }: RecordedRun) =>
    entries.some((entry) => "resource" in entry && addresses.has(entry.resource));
  const last = runs.findLastIndex((run) => (run.plan === plan ? run.outcome === "done" : touches(run)));
  return runs.slice(last + 1).filter((run) => run.plan === plan);
}

/** Returns the runs after the last run with an outcome, the oldest first. All these runs were interrupted. */
export function interruptedRuns(runs: readonly RecordedRun[]): RecordedRun[] {
  return runs.slice(runs.findLastIndex((run) => run.outcome !== undefined) + 1);
}

/** What the runs of one plan recorded about a resource. */
export type RecordedSteps = {
  applied: Map<number, Ids>;
  /** The indexes of the sent steps with an unknown outcome. */
  unanswered: Set<number>;
};

/**
 * Returns the recorded steps of each resource, by address. Leaves out resources without an applied or unanswered step.
 * A step remains unanswered until an entry states that it is done. The refusal of a later attempt does not show the
 * outcome of an earlier attempt.
 *
 * @param runs the runs of one plan, the oldest first
 */
export function recordedSteps(runs: readonly RecordedRun[]): Map<string, RecordedSteps> {
  const recorded = new Map<string, RecordedSteps>();
  for (const { entries } of runs) {
    /** The sent steps of this run without an entry that states their outcome. */
    const sent = new Map<string, { of: RecordedSteps; step: number }>();
    for (const entry of entries) {
      if (entry.event === "begin" || entry.event === "end") continue;
      const { resource, step } = entry;
      const of = recorded.get(resource) ?? { applied: new Map<number, Ids>(), unanswered: new Set<number>() };
      recorded.set(resource, of);
      const key = JSON.stringify([resource, step]);
      if (entry.event === "done") of.applied.set(step, entry.ids);
      if (entry.event === "intent") sent.set(key, { of, step });
      else if (entry.event === "done" || !entry.unknown) sent.delete(key);
    }
    for (const { of, step } of sent.values()) of.unanswered.add(step);
  }
  for (const [address, { applied, unanswered }] of recorded) {
    for (const step of applied.keys()) unanswered.delete(step);
    if (applied.size === 0 && unanswered.size === 0) recorded.delete(address);
  }
  return recorded;
}
