/** The test of random plans: 5,000 in all parts together. `npm run test:faults -- rehearsals` runs 10,000. */

import { expect, it } from "vitest";
import { rehearsalsOf } from "../faults/rehearsals.ts";

/** The number of plans in one of the four parts. */
const PLANS = 1250;

export function testRandomPlans(part: number): void {
  it(`foretells every refusal of a server, and no other (${PLANS} plans)`, async () => {
    const { count, violations, facts } = await rehearsalsOf(PLANS, 20_261_122 + part);
    expect(violations).toEqual([]);
    expect(count).toBe(PLANS);
    // Enough of the plans are refused, on copies of each kind.
    expect(facts["refused"]).toBeGreaterThan(PLANS / 2);
    expect(facts["partial copies"]).toBeGreaterThan(PLANS / 10);
    expect(facts["server copies"]).toBeGreaterThan(PLANS / 5);
  });
}
