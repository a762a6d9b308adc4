/** Errors that a migration does not handle, in real processes: they end as MIGRATION_FAILED with the file. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { demoHome, type Ended, formctl } from "../e2e/program.ts";

const REJECTION = 'void Promise.reject(new Error("not awaited"));';
const TIMER = 'setTimeout(() => { throw new Error("in a timer"); }, 1);';
const STEP = `step("create", () => service.createForm({
    moduleKey: "staffing", objectKey: "candidate", body: { name: "Made", types: ["VIEW"] } }))`;

/** Runs `migrate run` with a migration in JavaScript. */
async function run(source: string, ...options: string[]): Promise<Ended> {
  const home = await demoHome();
  mkdirSync(join(home, "migrations"));
  writeFileSync(join(home, "migrations", "1-stray.js"), source);
  return formctl(["migrate", "run", "--yes", ...options], { home, cwd: home });
}

it.each([
  ["a script", `export default { async run(service, step) {\n  ${REJECTION}\n  await ${STEP};\n} };\n`, 9],
  ["a script without a step", `export default { async run() {\n  ${REJECTION}\n} };\n`, 1],
  ["a transform", `export default { layout: (content) => {\n  ${REJECTION}\n  return content;\n} };\n`, 1],
  ["a module", `const before = 1;\n${REJECTION}\nexport default { layout: (content) => content };\n`, 1],
])("reports a rejection that %s does not await, at its line", async (_what, source, exitCode) => {
  const { code, stdout, stderr } = await run(source, "-o", "json");
  expect(stdout + stderr).toMatch(/"code": ?"MIGRATION_FAILED"/);
  expect(stdout + stderr).toMatch(/"file": ?"migrations\/1-stray.js",\s*"line": ?2,/);
  expect(stderr).not.toMatch(/^\s+at |node:internal|Node\.js v/m);
  expect(code).toBe(exitCode);
});

it("reports an error in a timer while a script runs", async () => {
  const wait = "await new Promise((end) => setTimeout(end, 50));";
  const { code, stderr } = await run(`export default { async run() {\n  ${TIMER}\n  ${wait}\n} };\n`);
  expect([code, stderr]).toEqual([1, expect.stringContaining("in a timer")]);
  expect(stderr).toContain("migrations/1-stray.js:2");
  expect(stderr).not.toMatch(/^\s+at |node:internal|Node\.js v/m);
});

it("reports an error in a timer after the script has ended, and fails", async () => {
  const late = TIMER.replace(", 1)", ", 1500)");
  const { code, stderr } = await run(`export default { async run() {\n  ${late}\n} };\n`);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: migrations\/1-stray\.js:2:\d+: in a timer$/m)]);
  expect(stderr).not.toMatch(/^\s+at |node:internal|Node\.js v/m);
});
