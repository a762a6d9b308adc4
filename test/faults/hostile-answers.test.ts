/** A seeded sample of the attack with hostile answers. */

import { expect, it } from "vitest";
import { hostileAnswers } from "./hostile-answers.ts";

const SEED = 20_261_122;

it("ends every command as it should, whatever a server answers", async () => {
  const { count, violations, facts } = await hostileAnswers.run(hostileAnswers.sample, SEED);
  expect(violations).toEqual([]);
  expect(count).toBe(hostileAnswers.sample);
  // Some were refused, and some were read all the same.
  expect(facts).toMatchObject({ "exit 0": expect.any(Number) as number, "exit 7": expect.any(Number) as number });
});

it("finds a program that trusts its answers", async () => {
  expect((await hostileAnswers.control(SEED)).violations.length).toBeGreaterThan(10);
});
