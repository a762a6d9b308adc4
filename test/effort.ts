/**
 * How many times each loop runs. `npm test` runs a sample; `npm run test:full` runs the full counts, and the files named
 * `*.full.test.ts`. `npm run test:faults` runs the attack loops for an hour, with counts of their own.
 */

import { inject } from "vitest";

export type Tier = "sample" | "full";

/** The tier of this run. */
export const tier: Tier = inject("tier");

/** Each loop with its count in a sample and its full count. */
const COUNTS = {
  "chaos applies": { sample: 30, full: 100 },
  "chaos command lines as processes": { sample: 1, full: 4 },
  "chaos command lines": { sample: 14, full: 40 },
  "chaos runs": { sample: 30, full: 110 },
  "cuts of an answer": { sample: 8, full: 16 },
  "converging manifests": { sample: 40, full: 170 },
  "fuzzed requests": { sample: 3_000, full: 8_000 },
  "histories of field changes": { sample: 12, full: 20 },
  "histories of operations": { sample: 10, full: 35 },
  "hostile texts for each one that is also tested alone": { sample: 5, full: 1 },
  "interrupted runs of a saved plan": { sample: 12, full: 24 },
  "interrupted runs without lists": { sample: 10, full: 16 },
  "kinds of lists without end": { sample: 1, full: 4 },
  "killed applies": { sample: 4, full: 6 },
  "killed writers": { sample: 6, full: 20 },
  "megabytes of a malicious file": { sample: 1, full: 4 },
  "moments of an interrupted creation": { sample: 10, full: 340 },
  "moments of a kill": { sample: 20, full: 60 },
  "operations that fuzzing may miss": { sample: 2, full: 0 },
  "rehearsed manifests": { sample: 10, full: 20 },
  "rehearsed promotions and transforms": { sample: 200, full: 400 },
  "rehearsed plans": { sample: 150, full: 420 },
  "reversed transforms": { sample: 50, full: 170 },
  "rounds of a race for a lock": { sample: 30, full: 60 },
  "rules that a copy lacks": { sample: 1, full: 12 },
  "scenes of killed restores": { sample: 1, full: 4 },
  "writes at which a promotion is killed": { sample: 1, full: 4 },
} satisfies Record<string, Record<Tier, number>>;

/** Multiplies the full counts, for a longer search: `TEST_EFFORT=3 npm run test:full`. */
const EFFORT = Number(process.env["TEST_EFFORT"] ?? 1);

/** The count of a loop in this run. */
export function countOf(loop: keyof typeof COUNTS): number {
  return tier === "full" ? COUNTS[loop].full * EFFORT : COUNTS[loop].sample;
}

/** The number of runs of a property: a fifth of the full number in a sample. */
export function propertyRuns(full: number): number {
  return tier === "full" ? full * EFFORT : Math.ceil(full / 5);
}
