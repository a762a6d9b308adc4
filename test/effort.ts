/**
 * How many times each loop runs. `npm test` runs a sample; `npm run test:full` runs the full counts, and the files named
 * `*.full.test.ts`. `npm run test:faults` runs the attack loops for an hour, with counts of their own.
 */

import { inject } from "vitest";

export type Tier = "sample" | "full";

/** Each loop with its count in a sample and its full count. */
const COUNTS = {
  "chaos runs": { sample: 40, full: 320 },
} satisfies Record<string, Record<Tier, number>>;

/** The count of a loop in this run. */
export function countOf(loop: keyof typeof COUNTS): number {
  return COUNTS[loop][inject("tier")];
}

/** The number of runs of a property: a fifth of the full number in a sample. */
export function propertyRuns(full: number): number {
  return inject("tier") === "full" ? full : Math.ceil(full / 5);
}
