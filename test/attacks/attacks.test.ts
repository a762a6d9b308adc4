import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../mutants/sample.ts";
import { ATTACKS } from "./attacks.ts";
import { guardMutant } from "./guards.ts";
import { attackTable } from "./table.ts";

const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");

it.each(ATTACKS)("$name: the test and the control exist", ({ test, control }) => {
  const titles = typeof control === "string" ? [test.title, control] : [test.title];
  expect(titles.filter((title) => !textOf(test.file).includes(title))).toEqual([]);
  if (typeof control !== "string") guardMutant(control);
});

it("docs/security.md has the table of the attacks: npm run test:attacks -- --table", () => {
  expect(textOf("docs/security.md")).toContain(attackTable(ATTACKS));
});

it("names each attack once", () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
});
