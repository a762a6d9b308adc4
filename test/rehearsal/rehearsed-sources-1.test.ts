/** Part 1 of 3 of the random promotions and transforms (rehearsed-sources.ts), and their control. */

import { expect, it } from "vitest";
import { countOf } from "../effort.ts";
import { REQUIRED_REFUSALS, rehearseSources, switchedOff } from "../faults/rehearsed-sources.ts";
import { testRehearsedSources } from "./rehearsed-sources.ts";

testRehearsedSources(1, countOf("rehearsed promotions and transforms"));

it("finds that nothing is foretold if the rehearsal is switched off", async () => {
  const { violations, facts } = await rehearseSources(60, 20_261_129, () => switchedOff);
  expect(Object.keys(REQUIRED_REFUSALS).filter((kind) => facts[kind])).toEqual([]);
  for (const source of ["promotion", "transform"])
    expect(violations).toContainEqual(expect.stringMatching(`${source} to a (store|server): not foretold: `));
});
