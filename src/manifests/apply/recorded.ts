/** What the runs of a plan have recorded of its resources: what is done, and what was sent without an answer. */

import type { RecordedRun } from "./recorded-run.ts";
import type { Ids } from "./step-context.ts";

export type Recorded = {
  done: Map<number, Ids>;
  /** The steps whose outcome they don't know. */
  open: Set<number>;
};

/**
 * By address; what was never sent, or was refused each time, is not among them. A step is open from when it was sent until it
 * is done: that a later try was refused says nothing of an earlier one.
 *
 * @param runs of one plan, the oldest first
 */
export function recordedSteps(runs: readonly RecordedRun[]): Map<string, Recorded> {
  const recorded = new Map<string, Recorded>();
  for (const { lines } of runs) {
    /** What this run has sent, and not been refused. */
    const sent = new Map<string, { of: Recorded; step: number }>();
    for (const line of lines) {
      if (line.event === "begin" || line.event === "end") continue;
      const { resource, step } = line;
      const of = recorded.get(resource) ?? { done: new Map<number, Ids>(), open: new Set<number>() };
      recorded.set(resource, of);
      const key = JSON.stringify([resource, step]);
      if (line.event === "done") of.done.set(step, line.ids);
      if (line.event === "intent") sent.set(key, { of, step });
      else if (line.event === "done" || !line.unknown) sent.delete(key);
    }
    for (const { of, step } of sent.values()) of.open.add(step);
  }
  for (const [address, { done, open }] of recorded) {
    for (const step of done.keys()) open.delete(step);
    if (done.size === 0 && open.size === 0) recorded.delete(address);
  }
  return recorded;
}
