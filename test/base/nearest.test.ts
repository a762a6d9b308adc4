import { describe, expect, it } from "vitest";
import { nearest } from "../../src/base/nearest.ts";

describe("nearest", () => {
  it.each([
    ["mian", ["side", "main"], "main"],
    ["MAIN", ["side", "main"], "main"],
    ["full_nmae", ["first_name", "full_name"], "full_name"],
    ["ab", ["abc", "a"], "abc"],
    ["expiry", ["expires_on", "issued_on"], undefined],
    ["a", ["b"], undefined],
    ["", ["a"], undefined],
    ["anything", [], undefined],
  ])("%s of %j is %s", (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected);
  });

  it("prefers the closest, and the first of equals", () => {
    expect(nearest("notse", ["nodes", "notes"])).toBe("notes");
    expect(nearest("cat", ["bat", "hat"])).toBe("bat");
  });

  it("accepts any iterable", () => {
    expect(nearest("mian", new Set(["main"]))).toBe("main");
  });

  it("ignores words over 100 characters", () => {
    const long = "x".repeat(100);
    expect(nearest(long, [long])).toBe(long);
    expect(nearest(`${long}x`, [`${long}x`])).toBeUndefined();
    expect(nearest(long, [`${long}x`])).toBeUndefined();
  });
});
