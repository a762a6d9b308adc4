/** Tests which commands execute migrations: only `migrate plan`, `run` and `down`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isGroup, tree } from "../../src/commands/tree.ts";
import * as library from "../../src/index.ts";
import { loadMigration } from "../../src/migrations/load.ts";
import { type Cli, openCli } from "./cli.ts";

const FILE = "20261122-1000-mark.mjs";

/** Opens a project with a migration that writes a file when it is executed. */
async function openMarked(): Promise<{ cli: Cli; isExecuted: () => boolean }> {
  const cli = await openCli();
  const marker = join(cli.cwd, "executed");
  cli.file("formctl.yaml", "manifests: manifests\n");
  cli.file("manifests/form.yaml", "kind: Form\nobject: staffing/candidate\nname: Intake\ntypes: [VIEW]\n");
  cli.file(
    `migrations/${FILE}`,
    `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(marker)}, "");
export default { async run() {} };`,
  );
  return { cli, isExecuted: () => existsSync(marker) };
}

const EXECUTES = ["plan", "run", "down"];

/** The command lines of all other commands of `migrate`. */
const MIGRATE: Record<string, string[]> = {
  new: ["new", "second"],
  status: ["status"],
  baseline: ["baseline", "20261122-1000-mark", "--yes"],
  repair: ["repair", "--yes"],
};

const OTHERS = [
  ["validate"],
  ["plan"],
  ["apply", "--yes"],
  ["status"],
  ["export", "staffing/candidate/Intake"],
  ["schema"],
  ["explain"],
  ["doctor"],
  ["config", "list"],
  ["complete", "--", "migrate", "run", "--to", ""],
  ["complete", "--", "migrate", "baseline", ""],
];

it("covers every command of the group migrate", () => {
  const group = tree.commands["migrate"];
  const names = group && isGroup(group) ? Object.keys(group.commands) : [];
  expect(names.filter((name) => !EXECUTES.includes(name)).toSorted()).toEqual(Object.keys(MIGRATE).toSorted());
});

describe("does not execute a migration", () => {
  it.each([...Object.values(MIGRATE).map((words) => ["migrate", ...words]), ...OTHERS].map((words) => [words]))(
    "formctl %j",
    async (words) => {
      const { cli, isExecuted } = await openMarked();
      if (words[0] === "export") await cli.run("apply", "--yes");
      const { code, stderr } = await cli.run(...words);
      expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      expect(isExecuted()).toBe(false);
    },
  );
});

it("finds an execution: the control", async () => {
  const { cli, isExecuted } = await openMarked();
  await loadMigration({ path: join(cli.cwd, "migrations", FILE), file: FILE, library: async () => library });
  expect(isExecuted()).toBe(true);
});
