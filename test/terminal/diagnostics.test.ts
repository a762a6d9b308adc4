import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic, Located } from "../../src/schemas/diagnostic.ts";
import { countDiagnostics, renderDiagnostics } from "../../src/terminal/diagnostics.ts";
import { coloured, plain } from "../../src/terminal/style.ts";
import { text } from "../documents/arbitrary-json.ts";
import { cpuTime } from "../cpu-time.ts";

const located = (line: number, column: number, more: Partial<Located> = {}): Located => ({
  severity: "error",
  code: "BAD",
  message: "is bad",
  file: "a.yaml",
  line,
  column,
  ...more,
});

const render = (diagnostics: (Diagnostic | Located)[], source: string) =>
  renderDiagnostics(diagnostics, new Map([["a.yaml", source]]), plain);

describe("renderDiagnostics", () => {
  it("sorts by file and line, shows the line with a caret, and counts", () => {
    const source = "kind: Form\nname: x\ntypes: [VIEW, EDIT]\n";
    const printed = render(
      [
        located(1, 1, { file: "b.yaml" }),
        { severity: "warning", code: "WHOLE", message: "has no place", path: "blocks[0].id" },
        located(3, 15),
        located(2, 7, { severity: "warning", code: "SHORT", message: "is short" }),
      ],
      source,
    );
    expect(printed).toBe(`a.yaml:2:7  warning  SHORT  is short
    2 | name: x
      |       ^
a.yaml:3:15  error  BAD  is bad
    3 | types: [VIEW, EDIT]
      |               ^
b.yaml:1:1  error  BAD  is bad
blocks[0].id  warning  WHOLE  has no place
2 errors, 2 warnings
`);
  });

  it("puts the caret below the column after any text", () => {
    expect(render([located(1, 7)], "\t漢\u202Ee\u0301 x")).toBe(`a.yaml:1:7  error  BAD  is bad
    1 |   漢\\u202ee\u0301 x
      |             ^
1 error
`);
  });

  it("cuts a long line around the column", () => {
    const printed = render([located(1, 5001)], `${"a".repeat(5000)}X${"b".repeat(5000)}`);
    const [, line, caret] = printed.split("\n");
    expect(line).toMatch(/^ {4}1 \| …a+Xb+…$/);
    expect(line!.length).toBeLessThan(120);
    expect(line![caret!.indexOf("^")]).toBe("X");
  });

  it("shows no line that is blank or past the end", () => {
    expect(render([located(2, 1), located(9, 1)], "a\n  \n")).toBe(
      "a.yaml:2:1  error  BAD  is bad\na.yaml:9:1  error  BAD  is bad\n2 errors\n",
    );
  });

  it("is empty without diagnostics", () => {
    expect(render([], "")).toBe("");
  });

  it.each([40, 60, 80])("wraps messages between words and cuts source lines at %i columns", (width) => {
    const message = "has the unknown field expiry_date. Valid fields: candidate_id, kind, issued_on, expires_on";
    const source = `label: ${"x".repeat(30)} expiry_date ${"y".repeat(200)}\n`;
    const printed = renderDiagnostics([located(1, 39, { message })], new Map([["a.yaml", source]]), plain, width);
    const lines = printed.split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    const [, caret = ""] = lines.slice(-4);
    const excerpt = lines.find((line) => line.startsWith("    1 | "))!;
    expect(excerpt.slice(caret.indexOf("^"))).toMatch(/^expiry_date y+…$/);
    const words = lines.slice(0, lines.indexOf(excerpt)).map((line) => line.trim());
    expect(words.join(" ").replace(/ {2,}/g, " ")).toBe(`a.yaml:1:39 error BAD ${message}`);
  });

  it.each([24, 40, 60])("breaks a place between its location, severity and code at %i columns", (width) => {
    const file = `${"x".repeat(width - 8)}.y`;
    const printed = renderDiagnostics([located(1, 1, { file, message: "is bad" })], new Map(), plain, width);
    expect(printed).toBe(`${file}:1:1\n    error  BAD  is bad\n1 error\n`);
  });

  it("paints severities", () => {
    expect(renderDiagnostics([located(1, 1)], new Map(), coloured)).toContain("\u001B[31merror\u001B[39m");
  });

  it("escapes commands for the terminal and for CI services", () => {
    const place = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(text, text, place, place, (source, message, line, column) => {
        const printed = render([located(line, column, { message, file: "a.yaml" })], source);
        expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(printed).not.toMatch(/^\s*::|##\[|##vso\[/m);
      }),
    );
  });

  it("prints ten thousand problems of one long line in time", async () => {
    const source = "x: 1, ".repeat(20_000);
    const many = Array.from({ length: 10_000 }, (_, index) => located(1, index * 10 + 1));
    expect(await cpuTime(() => render(many, source))).toBeLessThan(2000);
  });
});

describe("countDiagnostics", () => {
  it("counts in words", () => {
    expect(countDiagnostics([])).toBe("no errors");
    expect(countDiagnostics([located(1, 1, { severity: "warning" })])).toBe("1 warning");
  });
});
