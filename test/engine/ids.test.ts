import { describe, expect, it } from "vitest";
import { randomId } from "../../src/engine/ids.ts";

const ids = (kind: "form" | "layout" | "publicToken", count: number) =>
  Array.from({ length: count }, () => randomId(kind));
/** The different beginnings of ids after their prefix. */
const beginnings = (all: readonly string[]) => new Set(all.map((id) => id.slice(4, 6)));

describe("the ids of new records", () => {
  it("have a prefix and 24 characters of base32, and are unique", () => {
    const all = [...ids("form", 5_000), ...ids("publicToken", 5_000)];
    expect(all.filter((id) => !/^(frm|pub)_[a-z2-7]{24}$/.test(id))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });

  it("begin with the same characters for a run of ids, so that their entries in an index are neighbors", () => {
    // Ids are created in runs with a common beginning. 200 ids belong to one run or to two.
    expect(beginnings([...ids("form", 100), ...ids("layout", 100)]).size).toBeLessThanOrEqual(2);
    expect(beginnings(ids("form", 100_000)).size).toBeGreaterThan(50);
  });

  it("differ from each other in the characters after the beginning of a run", () => {
    expect(new Set(ids("form", 100).map((id) => id.slice(6, 12))).size).toBe(100);
  });

  it("are completely random for public tokens, because these are secrets", () => {
    expect(beginnings(ids("publicToken", 1_000)).size).toBeGreaterThan(500);
  });
});
