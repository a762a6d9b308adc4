/**
 * How many times each loop runs. `npm test` runs a sample; `npm run test:full` runs the full counts, and the files named
 * `*.full.test.ts`. `npm test -- --mode all` runs both in one run, without the samples. `TEST_DEEP=1 npm run test:full` runs larger counts. `npm run test:faults` runs the attack loops for
 * an hour, with counts of their own.
 */

import { inject } from "vitest";

export type Tier = "sample" | "full";

type Counts = Record<Tier, number> & { deep?: number };

/** The tier of this run. */
export const tier: Tier = inject("tier");

/** Each loop with its count in a sample, its full count, and its count in a deep run if that is larger. */
const COUNTS = {
  "chaos applies": { sample: 30, full: 70, deep: 300 },
  "chaos command lines as processes": { sample: 1, full: 2, deep: 8 },
  "chaos command lines": { sample: 14, full: 28, deep: 120 },
  "chaos runs": { sample: 30, full: 80, deep: 320 },
  "cuts of an answer": { sample: 8, full: 16, deep: 32 },
  "commands that read each list without end": { sample: 2, full: 2, deep: 5 },
  "converging manifests": { sample: 40, full: 90, deep: 500 },
  "fuzzed requests": { sample: 3_000, full: 6_000, deep: 20_000 },
  "histories of field changes": { sample: 12, full: 16, deep: 30 },
  "histories of operations": { sample: 10, full: 24, deep: 100 },
  "hostile texts for each one that is also tested alone": { sample: 5, full: 1 },
  "interrupted runs of a saved plan": { sample: 12, full: 18, deep: 60 },
  "interrupted runs without lists": { sample: 10, full: 16, deep: 40 },
  "kinds of lists without end": { sample: 1, full: 4 },
  "killed applies": { sample: 4, full: 6, deep: 12 },
  "killed writers": { sample: 6, full: 14, deep: 50 },
  "megabytes of a malicious file": { sample: 1, full: 4 },
  "moments of an interrupted creation": { sample: 10, full: 150, deep: 1_000 },
  "moments of a kill": { sample: 20, full: 40, deep: 120 },
  "operations that fuzzing may miss": { sample: 2, full: 0 },
  "rehearsed manifests": { sample: 10, full: 14, deep: 40 },
  "rehearsed promotions and transforms": { sample: 200, full: 300, deep: 400 },
  "rehearsed plans": { sample: 150, full: 240, deep: 1_250 },
  "reversed transforms": { sample: 50, full: 110, deep: 500 },
  "rounds of a race for a lock": { sample: 30, full: 40, deep: 150 },
  "rules that a copy lacks": { sample: 1, full: 4, deep: 12 },
  "scenes of killed restores": { sample: 1, full: 4 },
  "writes at which a promotion is killed": { sample: 1, full: 4 },
} satisfies Record<string, Counts>;

const isDeep = process.env["TEST_DEEP"] === "1";

/** The count of a loop in this run. */
export function countOf(loop: keyof typeof COUNTS): number {
  const counts: Counts = COUNTS[loop];
  return tier === "full" && isDeep ? (counts.deep ?? counts.full) : counts[tier];
}

/** The number of runs of a property: a fifth of the full number in a sample. */
export function propertyRuns(full: number): number {
  return tier === "full" ? full : Math.ceil(full / 5);
}
