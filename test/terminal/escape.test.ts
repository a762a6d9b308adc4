import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { guard, jsonText, safeLine, visible, visibleLines } from "../../src/terminal/escape.ts";
import { cpuTime } from "../cpu-time.ts";
import { json } from "../documents/arbitrary-json.ts";

// The characters that must never reach a screen. This list is independent of the tested code.
const dangerous = new RegExp(
  "[\\u0000-\\u0009\\u000B-\\u001F\\u007F-\\u009F\\u061C\\u200B-\\u200F\\u2028-\\u202E\\u2060\\u2066-\\u2069\\uFEFF]" +
    "|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])",
);
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc
    .array(fc.constantFrom("\u001B[31m", "\u009B2J", "\u202E", "\u200D", "::", "##[", "##vso[", "\n", "\r", "\t", "a"))
    .map((parts) => parts.join("")),
);

describe("visible", () => {
  it.each([
    ["plain text, ümlauts and 漢字 😀", "plain text, ümlauts and 漢字 😀"],
    ["\u001B[31mred\u001B]0;title\u0007", "\\u001b[31mred\\u001b]0;title\\u0007"],
    ["admin\u202Enimda", "admin\\u202enimda"],
    ["a\u200Bb\uFEFFc\u2060d\u200D", "a\\u200bb\\ufeffc\\u2060d\\u200d"],
    ["\u009B2J\u007F", "\\u009b2J\\u007f"],
    ["one\ntwo\tthree\r", "one\\ntwo\\tthree\\r"],
    ["\u2028\u2029\u061C\u2066", "\\u2028\\u2029\\u061c\\u2066"],
    ["tag \u{E0041}", "tag \\u{e0041}"],
    ["half \uD83D", "half \\ud83d"],
  ])("shows %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it("escapes every hidden character of any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(visible(text)).not.toMatch(dangerous);
        expect(visible(text)).not.toContain("\n");
        expect(visibleLines(text)).not.toMatch(dangerous);
      }),
      { numRuns: 2000 },
    );
  });

  it("handles a megabyte quickly", async () => {
    expect(await cpuTime(() => visible("\u202Ea".repeat(500_000)))).toBeLessThan(1000);
  });
});

describe("visibleLines", () => {
  it("keeps the lines and replaces tabs by spaces", () => {
    expect(visibleLines("a\r\n\tb\u0007\rc")).toBe("a\n  b\\u0007\\rc");
  });
});

describe("jsonText", () => {
  it("is JSON of the same value without hidden characters and CI commands", () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 4 }), (value, indent) => {
        const text = jsonText(value, indent);
        expect(JSON.parse(text)).toEqual(value);
        expect(text).not.toMatch(dangerous);
        expect(text).not.toMatch(/^\s*::|##\[|##vso\[/m);
      }),
      { numRuns: 1000 },
    );
  });

  it("escapes characters outside the basic plane as two code units", () => {
    expect(jsonText("\u{E0041}😀")).toBe('"\\udb40\\udc41😀"');
  });

  it("has a text for undefined", () => {
    expect(jsonText(undefined)).toBe("null");
  });
});

describe("safeLine", () => {
  it.each([
    ["::error file=a::b", "\\u003a:error file=a::b"],
    ["  ::set-output", "  \\u003a:set-output"],
    ["a ##[group]b", "a #\\u0023[group]b"],
    ["##vso[task.complete]", "#\\u0023vso[task.complete]"],
    ["a::b and ## c", "a::b and ## c"],
  ])("of %j is %j", (line, safe) => {
    expect(safeLine(line)).toBe(safe);
  });
});

describe("guard", () => {
  it("keeps the styles of formctl, and escapes other terminal sequences", () => {
    expect(guard("\u001B[1mbold\u001B[22m \u001B[2J\u001B[8mx\u202E\n\ty")).toBe(
      "\u001B[1mbold\u001B[22m \\u001b[2J\\u001b[8mx\\u202e\n\ty",
    );
  });
});
