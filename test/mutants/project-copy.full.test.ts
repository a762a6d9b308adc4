/** The control of mutation testing: mutants of one source whose results are known. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectCopy } from "./project-copy.ts";
import { type Mutant, mutantsOf, ROOT } from "./sample.ts";

const FILE = "src/base/nearest.ts";
const TEST = "test/base/nearest.test.ts";

const mutants = mutantsOf(FILE, readFileSync(join(ROOT, FILE), "utf8"));
const idOf = (change: string) => mutants.findIndex((mutant) => mutant.change === change);
const copy = new ProjectCopy();

let accepted: Mutant[];
beforeAll(async () => {
  accepted = await copy.compiled(mutants.filter(({ change }) => /^removed statement: return|found ===/.test(change)));
  await copy.install(mutants);
});
afterAll(() => copy.remove());

it("notices a mutant and names the test", async () => {
  expect(await copy.test([TEST], idOf("found - 1 → found + 1"), 600)).toMatchObject({
    outcome: "failed",
    failed: `${TEST}: nearest ab of ["abc","a"] is abc`,
  });
});

it("does not notice a mutant that behaves like the original", async () => {
  // After an exact match, no other candidate is similar enough.
  const id = idOf("removed statement: return candidate;");
  expect(await copy.test([TEST], id, 600)).toMatchObject({ outcome: "passed" });
});

it("ends tests that take longer than the limit", async () => {
  expect(await copy.test([TEST], 0, 0.2)).toMatchObject({ outcome: "timed out" });
});

it("reports the mutants that a test file reaches, in its process and in a started program", async () => {
  const own = await copy.measure(TEST, 600);
  expect(own.outcome).toBe("passed");
  expect(own.reached).toContain(idOf("found - 1 → found + 1"));
  const { outcome, reached } = await copy.measure("test/e2e/streams.test.ts", 600);
  expect(outcome).toBe("passed");
  expect(reached).toContain(idOf("removed statement: return best;"));
  expect((await copy.measure("test/base/shell-quote.test.ts", 600)).reached).toEqual([]);
});

it("leaves out a mutant that the compiler refuses, here without the last return", () => {
  expect(accepted.map(({ change }) => change)).toEqual([
    "removed statement: return undefined;",
    "found === 0 → found !== 0",
    "found === 0 → true",
    "found === 0 → false",
    "removed statement: return candidate;",
  ]);
});
