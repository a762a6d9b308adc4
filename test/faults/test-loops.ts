/** Tests a seeded sample of each attack loop. `npm run test:faults` runs the loops at their full numbers. */

import { describe, expect, it } from "vitest";
import type { Loop } from "./loop.ts";
import { groups } from "./loops.ts";

const SEED = 20_261_122;

export function testLoops(group: keyof typeof groups): void {
  const loops: readonly Loop[] = groups[group];
  describe.each(loops.map((loop) => [loop.name, loop] as const))(
    "the loop %s",
    (_name, { sample, skipped, run, control }) => {
      const reason = skipped?.();

      it("finds no violation in a sample", async ({ skip }) => {
        skip(reason !== undefined, reason);
        const { count, violations } = await run(sample, SEED);
        expect(violations).toEqual([]);
        expect(count).toBe(sample);
      });

      it("finds the violations of its control", async ({ skip }) => {
        skip(reason !== undefined, reason);
        expect((await control(SEED)).violations).not.toEqual([]);
      });
    },
  );
}
