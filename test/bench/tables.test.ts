/** Tests the table of `npm run bench` and its update of docs/performance.md. */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { BENCHMARKS } from "../../bench/benchmarks.ts";
import { type Figure, report } from "../../bench/figures.ts";
import { growthChart } from "../../bench/growth-chart.ts";
import { markdownTable, textTable, withSection } from "../../bench/tables.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), "utf8");

const MET: Figure = {
  name: "GET a form",
  value: "9,000/s",
  yardstick: "static",
  ratio: 0.21,
  target: { least: 0.2 },
  peers: { "json-server": 0.17, "by hand": 0.155 },
};
const MISSED: Figure = { name: "backup", value: "4 s", yardstick: "VACUUM INTO", ratio: 3.1, target: { most: 3 } };
const WITHOUT_TARGET: Figure = { name: "check | a block", value: "1.25 µs", yardstick: "of 1000", ratio: 2.7 };

it("prints each figure with yardstick, target, result and peers, and counts the results", () => {
  const results = [
    { name: "serve", figures: [MET], seconds: 100.2 },
    { name: "store", figures: [MISSED, WITHOUT_TARGET], seconds: 20, failure: "it ended with 1" },
  ];
  expect(textTable(results)).toMatchInlineSnapshot(`
    "Figure             Value  Ratio  Compared to  Target  Result  Peers

    serve, 100 s
    GET a form       9,000/s   0.21  static       ≥ 0.2   met     json-server 0.17, by hand 0.15

    store, 20 s: FAILED, it ended with 1
    backup               4 s   3.10  VACUUM INTO  ≤ 3     MISSED
    check | a block  1.25 µs   2.70  of 1000

    2 targets: 1 met, 1 missed. 2.0 minutes.
    Failed: store
    "
  `);
});

it("leaves out columns that are empty, and marks what is missed", () => {
  expect(markdownTable([MISSED, WITHOUT_TARGET])).toMatchInlineSnapshot(`
    "| Figure | Value | Ratio | Compared to | Target | Result |
    | --- | --: | --: | --- | --- | --- |
    | backup | 4 s | 3.10 | VACUUM INTO | ≤ 3 | **missed** |
    | check \\| a block | 1.25 µs | 2.70 | of 1000 |  |  |"
  `);
});

it.each([0, -0.5, Number.NaN, Infinity])("refuses the ratio %d, which no measurement has", (ratio) => {
  expect(() => report({ ...MISSED, ratio })).toThrow("backup: the ratio is");
});

it("replaces one section of the document and keeps the rest", () => {
  const document = "# T\n\n<!-- begin a -->\nold\n<!-- end a -->\n\n<!-- begin b -->\n<!-- end b -->\nend\n";
  const once = withSection(document, "a", "new");
  expect(once).toBe("# T\n\n<!-- begin a -->\n\nnew\n\n<!-- end a -->\n\n<!-- begin b -->\n<!-- end b -->\nend\n");
  expect(withSection(once, "a", "new")).toBe(once);
  expect(() => withSection(document, "c", "new")).toThrow('no section "c"');
});

it("runs each script that reports figures, and has a section in the document for it", () => {
  const document = read("docs", "performance.md");
  const reporting = readdirSync(join(ROOT, "bench"))
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /import {[^}]*\breport\b[^}]*} from ".\/figures.ts"/.test(read("bench", file)))
    .map((file) => basename(file, ".ts"));
  expect(reporting).toContain("startup");
  expect(reporting.filter((name) => !(name in BENCHMARKS))).toEqual([]);
  for (const name of Object.keys(BENCHMARKS)) expect(() => withSection(document, name, "")).not.toThrow();
});

it("draws a row for each command, further to the right for a larger ratio", () => {
  const figure = (name: string, ratio: number): Figure => ({
    name,
    value: "50 ms",
    yardstick: "with 1,000",
    ratio,
    target: { most: 1.3 },
  });
  const chart = growthChart([figure("forms get <NAME>", 1.05), figure("layouts list", 12)]);
  const centres = [...chart.matchAll(/<circle cx="([\d.]+)"/g)].map(([, x]) => Number(x));
  expect(centres).toHaveLength(2);
  expect(centres[0]).toBeLessThan(centres[1]!);
  expect(chart).toContain("forms get &lt;NAME&gt;");
  expect(chart.match(/missed</g)).toHaveLength(1);
});
