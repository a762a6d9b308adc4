/**
 * The example of the library, type-checked and run from the packed package. It runs on a local store with the demo's
 * manifests. The example migrations are type-checked too. test/e2e/migrations-guide.test.ts runs these migrations.
 */

import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { searchOutput } from "./canary.ts";
import { ROOT } from "./e2e/program.ts";
import { installPackage, run } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders("on disk");

it("validates, plans and applies a folder of manifests, and finds nothing to do the second time", () => {
  const { folder, installed, typeCheck } = installPackage(newFolder());
  cpSync(join(installed, "examples/library/apply-folder.ts"), join(folder, "apply-folder.ts"));
  cpSync(join(installed, "examples/northwind/manifests"), join(folder, "manifests"), { recursive: true });
  cpSync(join(installed, "examples/migrations/code"), join(folder, "migrations"), { recursive: true });
  const migrations = readdirSync(join(folder, "migrations")).map((name) => `migrations/${name}`);
  expect(migrations).toHaveLength(3);
  typeCheck(["apply-folder.ts", ...migrations]);

  const organization = join(ROOT, "examples/northwind/organization.yaml");
  const formctl = join(installed, "bin/formctl.js");
  run(process.execPath, [formctl, "local", "seed", organization, "--store", "formctl.db"], folder);
  const apply = () => run(process.execPath, ["apply-folder.ts", "formctl.db", "."], folder);

  const first = apply();
  searchOutput("the example of the library", { stdout: first, stderr: "" });
  const created = first.match(/^create: /gm)!.length;
  expect(created).toBeGreaterThan(5);
  expect(first).toMatch(new RegExp(`^valid: ${created} manifests$`, "m"));
  expect(first).toMatch(new RegExp(`^applied: ${created} created$`, "m"));
  expect(apply()).toMatch(/^unchanged: 0 created$/m);
});
