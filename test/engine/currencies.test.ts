/** The catalog of currencies against ISO 4217. */

import { data } from "currency-codes";
import { describe, expect, it } from "vitest";
import { CURRENCY_LINES, CURRENCY_LIST_DATE } from "../../src/engine/currency-catalog.ts";

const names = new Map(CURRENCY_LINES.split("\n").map((line) => [line.slice(0, 3), line.slice(4)]));

describe("the catalog of currencies", () => {
  it("is the list of June 2024 in `currency-codes`, with the later amendments", () => {
    const withdrawn = [
      "ANG", // the Caribbean guilder replaced it in 2025
      "BGN", // Bulgaria joined the euro in 2026
      "CUC", // Cuba withdrew its second peso
    ];
    const added = { XAD: "Arab Accounting Dinar", XCG: "Caribbean Guilder" };
    const kept = data.filter(({ code }) => !withdrawn.includes(code)).map((each) => [each.code, each.currency.trim()]);
    expect(Object.fromEntries(names)).toEqual({ ...Object.fromEntries(kept), ...added });
  });

  it("has the 178 codes of the list, including those for tests and for no currency", () => {
    const codes = [...names.keys()];
    expect(codes).toHaveLength(178);
    expect(CURRENCY_LINES.split("\n")).toHaveLength(codes.length);
    expect(codes).toEqual([...codes].sort());
    expect(codes.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
    expect(names.has("XTS") && names.has("XXX")).toBe(true);
  });

  it("follows the changes up to its date", () => {
    expect(CURRENCY_LIST_DATE).toBe("2026-01-01");
    expect(["ZWG", "SLE", "XCG", "XAD", "EUR"].filter((code) => !names.has(code))).toEqual([]);
    expect(["HRK", "BGN", "ANG", "ZWL", "CUC", "SLL"].filter((code) => names.has(code))).toEqual([]);
  });

  it("has the trimmed names of the list", () => {
    expect(names.get("PLN")).toBe("Zloty");
    expect(names.get("XCG")).toBe("Caribbean Guilder");
    expect(names.get("KMF")).toBe("Comorian Franc");
    expect(names.get("TOP")).toBe("Pa’anga");
    expect([...names.values()].filter((name) => name.trim() !== name || name === "")).toEqual([]);
  });
});
