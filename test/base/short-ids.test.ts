import { describe, expect, it } from "vitest";
import { findByShortId, mayBeShortId, shortenIds } from "../../src/base/short-ids.ts";

const ONE = "frm_aox5crhyqkyrrg3vhxtwc3pb";
const OTHER = "frm_cijmwbq3q2bytc6ij7a5hpyy";
const ALIKE = "frm_aox5crhq3q2bytc6ij7a5hpy";

describe("shortenIds", () => {
  it.each([
    [
      [ONE, OTHER],
      ["frm_aox5cr", "frm_cijmwb"],
    ],
    [
      [ONE, OTHER, ALIKE],
      ["frm_aox5crhy", "frm_cijmwbq3", "frm_aox5crhq"],
    ],
    [
      [ONE, ONE],
      ["frm_aox5cr", "frm_aox5cr"],
    ],
    [["3f2a91c0-77aa-4a27-8c1b-b2a7a2f0c001"], ["3f2a91"]],
    [
      ["frm_1", ONE],
      ["frm_1", ONE],
    ],
    [
      ["x".repeat(40), `${"x".repeat(39)}y`],
      ["x".repeat(40), `${"x".repeat(39)}y`],
    ],
    [[], []],
  ])("of %j is %j", (ids, shortened) => {
    expect(shortenIds(ids)).toEqual(shortened);
    for (const text of shortened) expect(text.length >= 20 || text.length < 6 || mayBeShortId(text)).toBe(true);
  });
});

describe("findByShortId", () => {
  const items = [ONE, OTHER, ALIKE].map((id) => ({ id }));

  it("finds the only item whose id starts with the text", () => {
    expect(findByShortId(items, "frm_cijmwb", "forms")).toEqual({ id: OTHER });
    expect(findByShortId(items, "frm_zzzzzz", "forms")).toBeUndefined();
    expect(findByShortId(items, "frm_ci", "forms")).toBeUndefined();
    expect(findByShortId(items, "Candidate profile", "forms")).toBeUndefined();
  });

  it("refuses a start of several ids, and names them", () => {
    const find = () => findByShortId(items, "frm_aox5crh", "forms");
    expect(find).toThrow(`the ids of 2 forms start with frm_aox5crh: ${ONE}, ${ALIKE}`);
  });
});
