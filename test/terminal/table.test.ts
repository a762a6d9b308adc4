import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { coloured, plain } from "../../src/terminal/style.ts";
import { fields, printTable, table, type Column } from "../../src/terminal/table.ts";
import { testTerminal } from "./test-terminal.ts";
import { text } from "../documents/arbitrary-json.ts";
import { cpuTime } from "../cpu-time.ts";

type Row = { id: string; name: string; count: number; active: boolean | null };

const columns: Column<Row>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name, shrink: true },
  { title: "count", value: ({ count }) => count, align: "right" },
  { title: "active", value: ({ active }) => active },
];
const rows: Row[] = [
  { id: "frm_1", name: "Candidate profile, the long one", count: 7, active: true },
  { id: "frm_20", name: "漢字", count: 1200, active: null },
];
// Vowels and finals of Hangul are left out: terminals draw them into the previous character, but string-width counts
// them.
const drawn = text.filter((value) => !/[\u1160-\u11FF\uD7B0-\uD7FF]/u.test(value));
const row = fc.record({ id: drawn, name: drawn, count: fc.integer(), active: fc.boolean() });

describe("a table that does not fit", () => {
  const listed: Column<Row>[] = [
    { title: "name", value: ({ name }) => name, essential: true },
    { title: "id", value: ({ id }) => id, id: true, yields: true },
    { title: "count", value: ({ count }) => count, yields: true },
    { title: "active", value: ({ active }) => active },
  ];
  const ids: Row[] = [
    { id: "frm_aox5crhyqkyrrg3vhxtwc3pb", name: "Candidate profile", count: 7, active: true },
    { id: "frm_cijmwbq3q2bytc6ij7a5hpyy", name: "Candidate intake", count: 12, active: false },
  ];
  const printed = (width: number) => table(listed, ids, { width, style: plain });

  it("shortens ids before it hides a column", () => {
    expect(printed(62)).toContain("frm_aox5crhyqkyrrg3vhxtwc3pb");
    expect(printed(61)).toBe(
      [
        "NAME               ID          COUNT  ACTIVE",
        "Candidate profile  frm_aox5cr  7      yes",
        "Candidate intake   frm_cijmwb  12     no",
        "",
      ].join("\n"),
    );
  });

  it("hides columns with yields first, the last one first, and never the name", () => {
    expect(printed(43)).toMatch(/^NAME +ID +ACTIVE\nCandidate profile +frm_aox5cr +yes\n/);
    expect(printed(36)).toMatch(/^NAME +ACTIVE\nCandidate profile +yes\n/);
    expect(printed(24)).toBe("NAME\nCandidate profile\nCandidate intake\n");
    expect(printed(10)).toBe("NAME\nCandidate\nprofile\nCandidate\nintake\n");
  });

  it("hides a column that yields late after the others", () => {
    const late = listed.map((column) => (column.title === "count" ? { ...column, yields: "late" as const } : column));
    expect(table(late, ids, { width: 36, style: plain })).toMatch(/^NAME +COUNT +ACTIVE\n/);
    expect(table(late, ids, { width: 28, style: plain })).toMatch(/^NAME +ACTIVE\n/);
  });

  it("shortens ids to starts that are unique in the list", () => {
    const alike = ids.map((each, index) => ({ ...each, id: `frm_aox5crhyqky${index}rg3vhxtwc3pb` }));
    expect(table(listed, alike, { width: 61, style: plain })).toContain("frm_aox5crhyqky1  ");
    const same = ids.map((each) => ({ ...each, id: "frm_1" }));
    expect(table(listed, same, { width: 30, style: plain })).toMatch(/Candidate profile +yes/);
  });

  it("reports on stderr how many columns are hidden", () => {
    const terminal = testTerminal({ outIsTTY: true, columns: 36 });
    printTable(terminal, listed, ids, "");
    expect(terminal.stderr).toBe("2 columns hidden; -o wide\n");
    const wide = testTerminal({ outIsTTY: true, columns: 61 });
    printTable(wide, listed, ids, "");
    expect(wide.stderr).toBe("");
  });

  it("wraps a long name, so that other columns have room", () => {
    const long = [{ ...ids[0]!, name: "The candidate profile of the whole organization" }];
    expect(table(listed, long, { width: 40, style: plain })).toBe(
      [
        "NAME                  ID          ACTIVE",
        "The candidate         frm_aox5cr  yes",
        "profile of the whole",
        "organization",
        "",
      ].join("\n"),
    );
  });
});

describe("a column of times", () => {
  const times: Column<Row>[] = [{ title: "saved", value: ({ name }) => name, time: true }];
  const some = ["2026-11-19T09:30:00.123Z", "never"].map((name) => ({ ...rows[0]!, name }));

  it("is relative to now on a terminal, and complete elsewhere", () => {
    const now = new Date("2026-11-22T10:00:00Z");
    expect(table(times, some, { width: 80, style: plain, now })).toBe("SAVED\n3 days ago\nnever\n");
    expect(table(times, some, { width: Infinity, style: plain })).toBe("SAVED\n2026-11-19T09:30:00Z\nnever\n");
  });
});

describe("table", () => {
  it("aligns columns and ends lines without spaces", () => {
    expect(table(columns, rows, { width: Infinity, style: plain })).toBe(
      [
        "ID      NAME                             COUNT  ACTIVE",
        "frm_1   Candidate profile, the long one      7  yes",
        "frm_20  漢字                              1200  -",
        "",
      ].join("\n"),
    );
  });

  it("cuts the columns with shrink on a narrow terminal", () => {
    expect(table(columns, rows, { width: 40, style: plain })).toBe(
      [
        "ID      NAME               COUNT  ACTIVE",
        "frm_1   Candidate profil…      7  yes",
        "frm_20  漢字                1200  -",
        "",
      ].join("\n"),
    );
  });

  it("wraps a column into further lines without losing text", () => {
    const wrapping: Column<Row>[] = [
      { title: "id", value: ({ id }) => id },
      { title: "name", value: ({ name }) => name, wraps: true },
      { title: "count", value: ({ count }) => count, align: "right" },
    ];
    expect(table(wrapping, rows, { width: 36, style: plain })).toBe(
      [
        "ID      NAME                   COUNT",
        "frm_1   Candidate profile,         7",
        "        the long one",
        "frm_20  漢字                    1200",
        "",
      ].join("\n"),
    );
    const long = [{ id: "a", name: `漢字漢字漢字 ${"x".repeat(9)} yz`, count: 1, active: null }];
    expect(table(wrapping.slice(1, 2), long, { width: 7, style: plain })).toBe(
      "NAME\n漢字漢\n字漢字\nxxxxxxx\nxx yz\n",
    );
  });

  it("paints words and not the space around them", () => {
    const painted: Column<Row>[] = [
      { title: "id", value: ({ id }) => id, paint: (_row, style) => style.green },
      { title: "count", value: ({ count }) => count, align: "right", paint: (_row, style) => style.red },
    ];
    expect(table(painted, rows, { width: 80, style: coloured })).toBe(
      [
        "\u001B[1mID\u001B[22m      \u001B[1mCOUNT\u001B[22m",
        "\u001B[32mfrm_1\u001B[39m       \u001B[31m7\u001B[39m",
        "\u001B[32mfrm_20\u001B[39m   \u001B[31m1200\u001B[39m",
        "",
      ].join("\n"),
    );
  });

  it("keeps every line within the width for any cells", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 4, max: 60 }), (some, width) => {
        const lines = table(columns, some, { width, style: plain }).split("\n");
        expect(lines.length).toBeGreaterThanOrEqual(some.length + 2);
        for (const line of lines) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expect(line).toBe(line.trimEnd());
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("escapes cursor movements, hidden characters and CI commands in cells", () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (some) => {
        const printed = table(columns, some, { width: Infinity, style: plain });
        expect(printed.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(printed).not.toMatch(/^\s*::|##\[|##vso\[/m);
        expect(printed.split("\n")).toHaveLength(some.length + 2);
      }),
      { numRuns: 1000 },
    );
  });

  it("prints five thousand rows in linear time", async () => {
    const timeOf = (count: number) => {
      const many = Array.from({ length: count }, (_, index) => ({ ...rows[0]!, id: `frm_${index}` }));
      return cpuTime(() => table(columns, many, { width: 50, style: coloured }), 10);
    };
    await timeOf(5000);
    const [few, many] = [await timeOf(500), await timeOf(5000)];
    // The usual time is about 20 ms. A slow or busy machine may take longer.
    expect(many).toBeLessThan(250);
    expect(many).toBeLessThan(40 * Math.max(few, 0.5));
  });
});

describe("printTable", () => {
  it("prints rows to stdout", () => {
    const terminal = testTerminal();
    printTable(terminal, columns, rows, "No forms.");
    expect(terminal.stdout).toContain("frm_20");
    expect(terminal.stderr).toBe("");
  });

  it("prints a message to stderr without rows", () => {
    const terminal = testTerminal();
    printTable(terminal, columns, [], "No forms yet.");
    expect(terminal.stdout).toBe("");
    expect(terminal.stderr).toBe("No forms yet.\n");
  });
});

describe("fields", () => {
  it("aligns values, gives each item of a list a line, and leaves out what is absent", () => {
    const pairs = [
      ["Id", "frm_1"],
      ["Types", ["VIEW", "EDIT"]],
      ["Config", null],
      ["Absent", undefined],
      ["None", []],
    ] as const;
    expect(fields(pairs, { width: Infinity, style: plain })).toBe(
      ["Id:      frm_1", "Types:   VIEW", "         EDIT", "Config:  -", "None:    -", ""].join("\n"),
    );
  });

  it("wraps between words, and escapes hidden characters", () => {
    const printed = fields([["Name", `a\u202Eb xxxx yyy ${"z".repeat(20)}`]], { width: 20, style: coloured });
    expect(printed).toBe(`\u001B[2mName:\u001B[22m  a\\u202eb xxxx\n       yyy\n       ${"z".repeat(20)}\n`);
  });
});
