/** The test of random promotions and transforms. `npm run test:faults -- "rehearsed promotions"` runs 10,000. */

import { expect, it } from "vitest";
import { REQUIRED_REFUSALS, rehearseSources } from "../faults/rehearsed-sources.ts";

/** @param part the plans of each part differ */
export function testRehearsedSources(part: number, plans: number): void {
  it(`foretells every refusal of a promotion or transform, and no other (${plans} plans)`, async () => {
    const { violations, facts } = await rehearseSources(plans, 20_261_128 + part);
    expect(violations).toEqual([]);
    for (const kind of Object.keys(REQUIRED_REFUSALS)) expect([kind, facts[kind]]).toEqual([kind, expect.any(Number)]);
    for (const source of ["promotion", "transform"]) expect(facts[source]).toBeGreaterThan(plans / 5);
  });
}
