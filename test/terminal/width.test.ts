import { eastAsianWidth } from "get-east-asian-width";
import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { visible } from "../../src/terminal/escape.ts";
import { cut, pad, reflow, textWidth, wrap } from "../../src/terminal/width.ts";

const shown = fc.string({ unit: "grapheme" }).map(visible);

it("wraps lines without losing a word", () => {
  fc.assert(
    fc.property(fc.array(shown, { maxLength: 12 }), fc.integer({ min: 2, max: 40 }), (words, width) => {
      const text = words.join(" ");
      const lines = wrap(text, width);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
});

it("wraps paragraphs, and leaves examples unchanged", () => {
  const text = "One two\nthree four five.\n\nSix:\n\n  seven eight nine ten\n\neleven";
  expect(reflow(text, 10)).toBe("One two\nthree four\nfive.\n\nSix:\n\n  seven eight nine ten\n\neleven");
  expect(reflow(text, 100)).toBe("One two three four five.\n\nSix:\n\n  seven eight nine ten\n\neleven");
});

describe("textWidth", () => {
  it.each([
    ["", 0],
    ["plain", 5],
    ["漢字", 4],
    ["e\u0301", 1],
    ["😀", 2],
    ["👍🏽", 2],
    ["❤️", 2],
    ["🇨🇭🇩🇪", 4],
    ["1️⃣", 2],
    ["ｱｲ", 2],
    ["각", 2],
    ["한", 2],
    ["नि", 2],
  ])("of %s is %i", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it("agrees with string-width on every single character", () => {
    const different: string[] = [];
    for (let code = 0x20; code <= 0x10ffff; code++) {
      // All characters below U+3400, all emoji, and samples of the other characters.
      const isSample = code < 0x3400 || (code >= 0x1f000 && code < 0x1fb00) || code % 61 === 0;
      if (!isSample || (code >= 0xd800 && code <= 0xdfff)) continue;
      const character = String.fromCodePoint(code);
      if (visible(character) !== character) continue;
      if (textWidth(character) !== stringWidth(character)) different.push(`U+${code.toString(16)}`);
    }
    expect(different).toEqual([]);
  });

  it("agrees with string-width on emoji and marks in any order", () => {
    const parts = ["a", "1", "é", "e\u0301", "漢", "😀", "👍🏽", "❤️", "🇨🇭", "한", " ", "#️⃣", "ü\u0308\u0323"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts)), (list) => {
        expect(textWidth(list.join(" "))).toBe(stringWidth(list.join(" ")));
      }),
    );
  });

  it("is that of East Asian Width for letters", () => {
    expect(textWidth("漢")).toBe(eastAsianWidth(0x6f22));
  });

  it("measures a million marks on one letter", () => {
    expect(textWidth(`a${"\u0301".repeat(1_000_000)}`)).toBe(1);
  });
});

describe("cut", () => {
  it("never exceeds the width, and leaves a fitting text unchanged", () => {
    fc.assert(
      fc.property(shown, fc.integer({ min: 0, max: 20 }), (text, width) => {
        const result = cut(text, width);
        expect(textWidth(result)).toBeLessThanOrEqual(width);
        expect(result === text || result.endsWith("…") || width === 0).toBe(true);
        expect(result === text).toBe(textWidth(text) <= width);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["profile", 4, "pro…"],
    ["漢字かな", 4, "漢…"],
    ["漢字かな", 5, "漢字…"],
    ["a b c", 3, "a…"],
    ["abc", 0, ""],
  ])("of %s to %i is %s", (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });
});

describe("pad", () => {
  it("pads either side by columns", () => {
    expect(pad("漢", 4)).toBe("漢  ");
    expect(pad("漢", 4, "right")).toBe("  漢");
    expect(pad("too long", 4)).toBe("too long");
  });
});
