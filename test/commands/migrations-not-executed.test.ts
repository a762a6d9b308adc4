/** Tests which commands execute migrations: only `migrate plan`, `run` and `down`. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isGroup, tree } from "../../src/commands/tree.ts";
import * as library from "../../src/index.ts";
import { loadMigration } from "../../src/migrations/load.ts";
import { type Cli, openCli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const FILE = "20261122-1000-mark.mjs";

/** Opens a project with a migration that writes a file when it is executed. */
async function openMarked(opened?: Cli): Promise<{ cli: Cli; isExecuted: () => boolean }> {
  const cli = opened ?? (await openCli());
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
  ["migrate", "plan", "--no-code"],
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

/** Migrations in YAML around the migration that `openMarked` writes. */
const YAML = {
  "20261122-0900-rename.yaml": `edits:
  - setForm: { member: types, value: [VIEW, EDIT] }
`,
  "20261122-1100-add.yaml": `steps:
  - name: create the card
    createForm: { object: staffing/candidate, body: { name: Card, types: [VIEW] } }
`,
};

describe.each([
  ["a local store", openMarked],
  ["a server", async () => openMarked((await openRemoteScene()).cli)],
])("migrate plan --no-code on %s", (_, open) => {
  it("shows the changes of migrations in YAML, and lists code", async () => {
    const { cli, isExecuted } = await open();
    expect((await cli.run("apply", "--yes")).code).toBe(0);
    for (const [name, text] of Object.entries(YAML)) cli.file(`migrations/${name}`, text);
    const { code, stdout, stderr } = await cli.run("migrate", "plan", "--no-code");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain("3 migrations to run on");
    expect(stdout).toContain("EDIT");
    expect(stdout).toContain("20261122-1000-mark (code)\n\n    Code that was not executed: its changes are unknown.\n");
    expect(stdout).toContain("20261122-1100-add (script)\n\n    create the card: createForm\n");
    expect(isExecuted()).toBe(false);
  });

  it("saves no plan, which would contain changes that are not shown", async () => {
    const { cli, isExecuted } = await open();
    const { code, stderr } = await cli.run("migrate", "plan", "--no-code", "--out", "plan.json");
    expect(code).toBe(64);
    expect(stderr).toContain("--no-code and --out can't be combined");
    expect(isExecuted()).toBe(false);
  });
});

it("finds an execution: the control", async () => {
  const { cli, isExecuted } = await openMarked();
  await loadMigration({ path: join(cli.cwd, "migrations", FILE), file: FILE, library: async () => library });
  expect(isExecuted()).toBe(true);
});
