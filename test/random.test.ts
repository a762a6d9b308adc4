/** Random bytes for ids: as many as requested, and different each time. */

import { expect, it } from "vitest";
import { randomBytes } from "../src/random.ts";

it("returns as many bytes as requested, with every value of a byte", () => {
  for (const length of [0, 1, 24, 1_536]) expect(randomBytes(length)).toHaveLength(length);
  expect(new Set(randomBytes(100_000)).size).toBe(256);
});

it("returns different bytes each time", () => {
  const all = Array.from({ length: 1_000 }, () => randomBytes(16).toString("hex"));
  expect(new Set(all).size).toBe(1_000);
});
