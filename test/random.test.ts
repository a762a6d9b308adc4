/** Random bytes and UUIDs for ids: as many as requested, and different each time. */

import { expect, it } from "vitest";
import { randomBytes, randomUuid } from "../src/random.ts";

it("returns as many bytes as requested, with every value of a byte", () => {
  for (const length of [0, 1, 24, 1_536]) expect(randomBytes(length)).toHaveLength(length);
  expect(new Set(randomBytes(100_000)).size).toBe(256);
});

it("returns different bytes each time", () => {
  const all = Array.from({ length: 1_000 }, () => randomBytes(16).toString("hex"));
  expect(new Set(all).size).toBe(1_000);
});

it("returns UUIDs of version 4, different each time", () => {
  const all = Array.from({ length: 1_000 }, randomUuid);
  expect(new Set(all).size).toBe(1_000);
  for (const each of all) expect(each).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
