/** Defines the entries of a journal. Reads from journals which runs ended, and what they have written. */

import * as z from "zod/mini";
import { isSafeKey } from "../schemas/json.ts";
import type { Written } from "../plan/shown-steps.ts";

/**
 * The name of a target or the address of a resource. These names become members of the lock file. A journal may come
 * from another user, so names such as `__proto__` are refused.
 */
const name = z.string().check(z.refine(isSafeKey, "must not be the name of a member that every object has"));
const ofStep = { at: z.string(), resource: name, step: z.int() };

/** An entry of a journal. No entry contains a secret. */
export const JournalEntry = z.discriminatedUnion("event", [
  /** `plan` is the digest of the plan, `target` the key of the target. */
  z.object({ event: z.literal("begin"), at: z.string(), plan: z.string(), target: name }),
  /**
   * Written before the request is sent. `mutation` is the id by which the service recognizes the write. Empty if the
   * write has no id. `writes` are the digests of what the step writes: see `PlannedStep`.
   */
  z.object({
    event: z.literal("intent"),
    ...ofStep,
    operation: z.string(),
    mutation: z.string(),
    writes: z.exactOptional(z.record(z.string(), z.string())),
  }),
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

type RecordedWrites = {
  done: Map<string, string>;
  unanswered: Map<string, Set<string>>;
  steps: { operation: string; ids: Ids }[];
};

/**
 * Returns what the runs of one plan have written, by address. Leaves out resources without an applied or unanswered
 * step. A step remains unanswered until a later step for the same aspects is done. The refusal of a later attempt does
 * not show the outcome of an earlier attempt.
 *
 * @param runs the runs of one plan, the oldest first
 */
export function recordedWrites(runs: readonly RecordedRun[]): Map<string, Written> {
  const recorded = new Map<string, RecordedWrites>();
  for (const { entries } of runs) {
    /** The sent steps of this run without an entry that states their outcome. */
    const sent = new Map<string, JournalEntry & { event: "intent" }>();
    for (const entry of entries) {
      if (entry.event === "begin" || entry.event === "end") continue;
      const key = JSON.stringify([entry.resource, entry.step]);
      const intent = sent.get(key);
      if (entry.event === "intent") sent.set(key, entry);
      else if (entry.event === "done" || !entry.unknown) sent.delete(key);
      if (entry.event !== "done" || !intent) continue;
      const { done, unanswered, steps } = writesOf(entry.resource);
      for (const [aspect, value] of Object.entries(intent.writes ?? {})) {
        done.set(aspect, value);
        unanswered.delete(aspect);
      }
      steps.push({ operation: intent.operation, ids: entry.ids });
    }
    for (const { resource, writes = {} } of sent.values()) {
      const { unanswered } = writesOf(resource);
      for (const [aspect, value] of Object.entries(writes))
        unanswered.set(aspect, (unanswered.get(aspect) ?? new Set()).add(value));
    }
  }
  return recorded;

  function writesOf(resource: string): RecordedWrites {
    const known = recorded.get(resource) ?? { done: new Map(), unanswered: new Map(), steps: [] };
    recorded.set(resource, known);
    return known;
  }
}
