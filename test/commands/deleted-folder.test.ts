/**
 * Tests commands whose working directory is deleted while they run. Commands that need the directory fail with a
 * message. All other commands succeed.
 */

import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { openCli } from "./cli.ts";

it.each([
  [["forms", "list", "staffing/candidate"]],
  [["validate"]],
  [["validate", "m"]],
  [["plan"]],
  [["plan", "m", "--out", "plan.json"]],
  [["apply", "m", "--yes"]],
  [["status", "m"]],
  [["export", "staffing/candidate", "--into", "out"]],
  [["schema", "--into", "schemas"]],
  [["local", "init", "--store", "x.db"]],
  [["local", "backup", "FOLDER/b.db"]],
  [["local", "restore", "FOLDER/b.db"]],
  [["local", "seed", "organization.yaml"]],
  [["layouts", "draft", "push", "lay_1", "draft.yaml"]],
  [["forms", "create", "staffing/candidate", "-f", "form.yaml"]],
  [["config", "set", "output", "json"]],
  [["doctor"]],
])("%j", async (argv) => {
  const cli = await openCli();
  rmSync(cli.cwd, { recursive: true });
  const { code, stdout, stderr } = await cli.run(...argv.map((word) => word.replace("FOLDER", cli.cwd)));
  expect([0, 1, 3, 5, 8, 64]).toContain(code);
  expect(code === 0 || /error|fail/.test(stdout + stderr)).toBe(true);
  expect(stdout + stderr).not.toMatch(/^\s+at |internal error/m);
});
