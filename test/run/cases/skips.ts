/** Tests that are skipped with a reason that CI expects, and with another reason. */

import { describe, expect, it } from "vitest";
import { skipTests } from "../../skip.ts";

describe("tests that a machine of CI may skip", () => {
  skipTests("root may write everywhere");
  it.each([1, 2])("test %i", () => expect.unreachable());
});

it("a test that CI must run", ({ skip }) => {
  skip("PostgreSQL can't start");
  expect.unreachable();
});

it("a test", () => {
  expect(process.env["CI"]).toBeUndefined();
});
