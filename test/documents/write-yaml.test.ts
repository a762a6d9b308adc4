import { describe, expect, it } from "vitest";
import { toYaml } from "../../src/documents/write-yaml.ts";

describe("toYaml", () => {
  it("quotes what would be read as something else", () => {
    expect(toYaml({ a: "yes", b: "12", c: "x: y", d: "# no", e: "plain", f: "0x1f", g: "" })).toBe(
      "a: 'yes'\nb: '12'\nc: 'x: y'\nd: '# no'\ne: plain\nf: '0x1f'\ng: ''\n",
    );
  });

  it("repeats an equal part instead of naming it", () => {
    const part = { x: 1 };
    expect(toYaml({ a: part, b: part })).toBe("a:\n  x: 1\nb:\n  x: 1\n");
  });

  it("keeps a long text on its line, and the lines of a text of several", () => {
    const long = "word ".repeat(100).trim();
    expect(toYaml({ long, lines: "one\ntwo\n" })).toBe(`long: ${long}\nlines: |\n  one\n  two\n`);
  });

  it("leaves out members that are undefined", () => {
    expect(toYaml({ a: undefined, b: 1 })).toBe("b: 1\n");
    expect(toYaml(undefined)).toBe("null\n");
  });

  it("shows hidden characters by their escapes, and lets no line command a CI log", () => {
    expect(toYaml({ a: "x\u202Ey", b: "::error::", c: "one\n::two", d: "##[group]", "\u200B": "\u{E0041}" })).toBe(
      'a: "x\\u202ey"\nb: "::error::"\nc: "one\\n::two"\nd: "#\\u0023[group]"\n"\\u200b": "\\U000e0041"\n',
    );
  });
});
