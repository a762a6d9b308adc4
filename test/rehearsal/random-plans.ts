/** The test of random plans. `npm run test:faults -- rehearsals` runs 10,000. */

import { expect, it } from "vitest";
import { rehearsalsOf } from "../faults/rehearsals.ts";

/** @param part the plans of each part differ */
export function testRandomPlans(part: number, plans: number): void {
  it(`foretells every refusal of a server, and no other (${plans} plans)`, async () => {
    const { count, violations, facts } = await rehearsalsOf(plans, 20_261_122 + part);
    expect(violations).toEqual([]);
    expect(count).toBe(plans);
    // Enough of the plans are refused, on copies of each kind.
    expect(facts["refused"]).toBeGreaterThan(plans / 2);
    expect(facts["partial copies"]).toBeGreaterThan(plans / 10);
    expect(facts["server copies"]).toBeGreaterThan(plans / 5);
  });
}
