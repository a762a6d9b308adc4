/** Tests `formctl config` through command lines. */

import { join } from "node:path";
import { expect, it } from "vitest";
import { openCli } from "./cli.ts";

it("accepts the address of an object, and refuses other text", async () => {
  const cli = await openCli();
  const refused = await cli.run("config", "set", "object", "nope");
  expect(refused.code).toBe(64);
  expect(refused.stderr).toBe(
    'error: object must be MODULE/OBJECT, such as staffing/candidate, not "nope"\n' +
      "hint: Example: formctl config set object staffing/candidate\n",
  );
  expect((await cli.run("config", "get", "object", "--json")).json()).toMatchObject({ value: null });
  expect((await cli.run("config", "set", "object", "staffing/candidate")).code).toBe(0);
  expect((await cli.run("forms", "list", "--json")).json()).toEqual([]);
});

it.each([
  ["stoer: /x", 'unknown setting "stoer". Valid settings: profile, object, manifests, migrations, references'],
  ["manifest: forms", 'unknown setting "manifest". Did you mean "manifests"?'],
  ["store: /x", "store can't be set in a project file"],
  ["object: [a]", "object must be text"],
  ["- a", "the file must map settings to values"],
])("names the setting of a project file that holds %j", async (text, message) => {
  const cli = await openCli();
  cli.file("formctl.yaml", `${text}\n`);
  const { code, error } = await cli.run("forms", "list", "--json");
  expect(code).toBe(3);
  expect(error().message).toContain(`formctl.yaml:1:`);
  expect(error().message).toContain(message);
});

it("lists the settings files and the settings, even if a file is invalid", async () => {
  const cli = await openCli();
  cli.file("formctl.yaml", "object: [\n");
  expect((await cli.run("config", "list")).code).toBe(3);
  expect((await cli.run("help", "environment")).stdout).toContain("FORMCTL_OBJECT");
  cli.columns = 60;
  for (const topic of ["environment", "exit-codes", "manifests"]) {
    const { stdout } = await cli.run("help", topic, "--no-color");
    expect(stdout).not.toContain("\u2026 ");
    expect(stdout).not.toMatch(/\u2026$/m);
    expect(Math.max(...stdout.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(60);
  }
  const { json } = await cli.run("config", "path", "--json");
  expect(json()).toContainEqual({ kind: "project", path: join(cli.cwd, "formctl.yaml"), exists: true });
});

it.each(["", "# manifests: forms\n", "---\n"])("reads a project file without settings as empty: %j", async (text) => {
  const cli = await openCli();
  cli.file("formctl.yaml", text);
  const { code, stderr } = await cli.run("config", "list");
  expect([code, stderr]).toEqual([0, ""]);
});
