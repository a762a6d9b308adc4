/** Controls of the random plans. The plans find a copy without one rule, and a copy that refuses too much. */

import { expect, it } from "vitest";
import { countOf } from "../effort.ts";
import { controlOf, rehearsePlans } from "../faults/rehearsals.ts";
import { withExtraRule, withoutRule } from "./without-rule.ts";

const SEED = 20_261_122;

/** The rule that is found fastest is the first. */
const RULES = [
  "NOT_FOUND",
  "ASSIGNMENT_DEFAULT_TAKEN",
  "DRAFT_INVALID",
  "DRAFT_MISSING",
  "DRAFT_STALE",
  "FIELD_CHANGES_UNCONFIRMED",
  "FORM_IS_DEFAULT",
  "FORM_TYPE_IS_DEFAULT",
  "IDEMPOTENCY_CONFLICT",
  "LAYOUT_FORM_OWNED",
  "OBJECT_IS_SUBORDINATE",
  "VALIDATION_FAILED",
];

it.each(RULES.slice(0, countOf("rules that a copy lacks")))(
  "find that a copy does not refuse with %s",
  async (code) => {
    const missed = new RegExp(`not foretold: .* ${code}`);
    const { violations } = await controlOf((copy) => withoutRule(copy, code), missed, SEED);
    expect(violations.filter((line) => missed.test(line))).not.toEqual([]);
  },
);

it("find that a copy refuses what the server accepts", async () => {
  const alarm = /false alarm: .* 409 TOO_STRICT/;
  const { violations } = await controlOf((copy) => withExtraRule(copy, "updateForm", "TOO_STRICT"), alarm, SEED);
  expect(violations.filter((line) => alarm.test(line))).not.toEqual([]);
});

it("find nothing if the copy has the rules of the service", async () => {
  expect((await rehearsePlans(40, SEED)).violations).toEqual([]);
});
