/**
 * Tests commands whose working directory was deleted. Commands that read it fail with a message. Commands that write
 * into it create it again, except `local backup`. All other commands succeed.
 */

import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { openCli } from "./cli.ts";

it.each([
  [0, ["forms", "list", "staffing/candidate"]],
  [64, ["validate"]],
  [3, ["validate", "m"]],
  [64, ["plan"]],
  [3, ["plan", "m", "--out", "plan.json"]],
  [3, ["apply", "m", "--yes"]],
  [3, ["status", "m"]],
  [0, ["export", "staffing/candidate", "--into", "out"]],
  [0, ["schema", "--into", "schemas"]],
  [0, ["local", "init", "--store", "x.db"]],
  [3, ["local", "backup", "FOLDER/b.db"]],
  [5, ["local", "restore", "FOLDER/b.db"]],
  [3, ["local", "seed", "organization.yaml"]],
  [3, ["layouts", "draft", "push", "lay_1", "draft.yaml"]],
  [3, ["forms", "create", "staffing/candidate", "-f", "form.yaml"]],
  [0, ["config", "set", "output", "json"]],
  [0, ["doctor"]],
])("exits with %i: %j", async (expected, argv) => {
  const cli = await openCli();
  rmSync(cli.cwd, { recursive: true });
  const { code, stdout, stderr } = await cli.run(...argv.map((word) => word.replace("FOLDER", cli.cwd)));
  expect(stdout + stderr).not.toMatch(/^\s+at |internal error/m);
  expect({ code, hasError: /error/.test(stdout + stderr) }).toEqual({ code: expected, hasError: expected !== 0 });
});
