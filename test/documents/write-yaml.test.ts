import { describe, expect, it } from "vitest";
import { toYaml } from "../../src/documents/write-yaml.ts";

describe("toYaml", () => {
  it("quotes texts that would be read as another type", () => {
    expect(toYaml({ a: "yes", b: "12", c: "x: y", d: "# no", e: "plain", f: "0x1f", g: "" })).toBe(
      "a: 'yes'\nb: '12'\nc: 'x: y'\nd: '# no'\ne: plain\nf: '0x1f'\ng: ''\n",
    );
  });

  it("repeats equal parts instead of writing an alias", () => {
    const part = { x: 1 };
    expect(toYaml({ a: part, b: part })).toBe("a:\n  x: 1\nb:\n  x: 1\n");
  });

  it("does not fold a long line, and keeps the line breaks of a text", () => {
    const long = "word ".repeat(100).trim();
    expect(toYaml({ long, lines: "one\ntwo\n" })).toBe(`long: ${long}\nlines: |\n  one\n  two\n`);
  });

  it("leaves out undefined members", () => {
    expect(toYaml({ a: undefined, b: 1 })).toBe("b: 1\n");
    expect(toYaml(undefined)).toBe("null\n");
  });

  it("escapes hidden characters and CI log commands", () => {
    expect(toYaml({ a: "x\u202Ey", b: "::error::", c: "one\n::two", d: "##[group]", "\u200B": "\u{E0041}" })).toBe(
      'a: "x\\u202ey"\nb: "::error::"\nc: "one\\n::two"\nd: "#\\u0023[group]"\n"\\u200b": "\\U000e0041"\n',
    );
  });
});
