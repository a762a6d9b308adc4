/** Tests the search for tokens: it finds tokens, and no temporary folder escapes it. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWellFormedToken } from "../src/base/secret.ts";
import { holdsToken, newCanary } from "./canary.ts";
import { startRun } from "./run/nested-run.ts";

const ROOT = join(import.meta.dirname, "..");

describe("the canary", () => {
  it("is a token like those of the program, and known by its beginning", () => {
    const canary = newCanary();
    expect(isWellFormedToken(canary)).toBe(true);
    expect(newCanary()).not.toBe(canary);
    expect(holdsToken(`x${canary}x`)).toBe(true);
    expect(holdsToken(canary.slice(5, 40))).toBe(true);
    expect(holdsToken(canary.slice(-10))).toBe(false);
  });

  it("fails a run in which it is printed or left in a file, though each test has passed: the control", async () => {
    const { code, output: said } = await startRun("leaks.ts").ended;
    expect(said).toMatch(/Tests +4 passed/);
    expect(code).toBe(1);
    const places = said.split("\n").filter((line) => line.startsWith("test/run/cases/leaks.ts: "));
    expect(places.map((place) => place.slice("test/run/cases/leaks.ts: ".length)).sort()).toEqual([
      expect.stringMatching(/^stderr of .*formctl.js forms create .* "a command as a process"$/),
      expect.stringMatching(/^stderr of formctl forms create .* "a command in this process"$/),
      expect.stringMatching(/^stdout of .*formctl.js forms create .* "a command as a process"$/),
      expect.stringMatching(/^stdout of formctl forms create .* "a command in this process"$/),
      expect.stringMatching(/^the file \d+\/local.db$/),
      expect.stringMatching(/^the file \d+\/planted.log$/),
      "the file local.db",
    ]);
    expect(said).not.toContain("fctl_AQEB");
  });
});

it("is looked for in every folder that a test makes", () => {
  const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const makers = files.filter((file) => /\bmkdtemp(Sync)?\(/.test(readFileSync(join(ROOT, "test", file), "utf8")));
  // Attack loops, machines and mutants also run without vitest, and therefore without a canary. The folder of the
  // database server is inside a searched one.
  const unsearched = ["faults/loop.ts", "machines/run.ts", "mutants/project-copy.ts", "postgres-programs.ts"];
  expect(makers.sort()).toEqual([...unsearched, "run/setup.ts", "temporary.ts"]);
});
