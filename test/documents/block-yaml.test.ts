import * as fc from "fast-check";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { blockYaml } from "../../src/documents/block-yaml.ts";
import { propertyRuns } from "../effort.ts";
import { json } from "./arbitrary-json.ts";

const dumped = (value: unknown) => dump(value, { noRefs: true, lineWidth: -1, skipInvalid: true });
const printed = (value: unknown) => blockYaml(value, (scalar) => dumped({ a: scalar }).slice(3, -1));

/** Texts that YAML would read as another type or as syntax, and near misses. */
const TEXTS = [
  "yes",
  "No",
  "y",
  "N",
  "on",
  "OFF",
  "null",
  "~",
  "True",
  "nan",
  ".nan",
  "inf",
  "1",
  "-1",
  "0x1",
  "1e3",
  "1_000",
  "2001-01-01",
  "190:20:30",
  "=",
  "<<",
  "yes ",
  "it's",
  "n/a",
  "off-site",
  "é",
  "ÿ",
  "\u0131",
  "\u017f",
  "\u212a",

  "-",
  "- a",
  "a: b",
  "a:b",
  "a:",
  "a #b",
  "a#b",
  "#a",
  "{a",
  "a}",
  "[",
  "a, b",
  "'a",
  "a'b",
  '"a"',
  "`a",
  "|",
  ">",

  "%a",
  "@a",
  "a@b",
  "!a",
  "a!",
  "&a",
  "*a",
  "?",
  "? a",
  " a",
  "a ",
  "",
  "\t",
  "a\tb",
  "---",
  "...",
  "--- a",
  "::a",
  "\u00a0",
  "a\u00a0b",
  "\ufeff",
  "a\u0085b",
  "\u200b",
  "😀",
  "a\nb",
  "\n",
  "a\n\n",
  "a".repeat(1030),
];
const text = fc.array(fc.constantFrom(...TEXTS, " "), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));

describe("blockYaml", () => {
  it("prints what js-yaml prints, or nothing", () => {
    const runs = propertyRuns(5000);
    let quick = 0;
    const same = (value: unknown) => {
      const own = printed(value);
      if (own === undefined) return;
      quick++;
      expect(own).toBe(dumped(value));
    };
    for (const each of TEXTS) same({ [each]: [each, { [each]: each }] });
    fc.assert(fc.property(json, same), { numRuns: propertyRuns(2000) });
    fc.assert(fc.property(fc.dictionary(text, fc.array(text), { noNullPrototype: true }), same), { numRuns: runs });
    expect(quick).toBeGreaterThan(runs / 5);
  });

  it("prints empty and nested lists and objects, and numbers", () => {
    const value = {
      a: [],
      b: {},
      c: [[1, [2]], [{}], { d: undefined }, undefined],
      e: { f: { g: null } },
      h: [-0, 1.5],
    };
    expect(printed(value)).toBe(dumped(value));
    expect(printed([{ a: [{ b: 1, c: 2 }] }])).toBe("- a:\n    - b: 1\n      c: 2\n");
  });

  it("prints no value that js-yaml prints in another style", () => {
    for (const value of [{ a: "b\nc" }, { ["a".repeat(1025)]: 1 }, { a: new Date(0) }, { a: 1n }, "a", null, 1]) {
      expect(printed(value)).toBeUndefined();
    }
  });
});
