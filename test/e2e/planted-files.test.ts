/**
 * Files that another user of the machine plants in a folder that every user can write, such as /tmp, where the operator
 * works. The other user is a real one: the process that plants the files has its id.
 */

import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NOBODY, ordinaryUser } from "../ordinary-user.ts";
import { reasonUnlessRoot, skipTests } from "../skip.ts";
import { demoHome, emptyHome, formctl } from "./program.ts";

skipTests(reasonUnlessRoot);

/** Creates files as another user. */
function plant(folder: string, files: Readonly<Record<string, string>>): void {
  const script = `for (const [path, text] of Object.entries(JSON.parse(process.argv[1]))) {
    require("fs").mkdirSync(require("path").dirname(path), { recursive: true });
    require("fs").writeFileSync(path, text);
  }`;
  runAsOther(folder, script, JSON.stringify(files));
}

/** Creates a link as another user. */
function plantLink(folder: string, name: string, target: string): void {
  runAsOther(folder, "require('fs').symlinkSync(process.argv[1], process.argv[2])", target, name);
}

function runAsOther(folder: string, script: string, ...words: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, ["-e", script, ...words], { cwd: folder, ...ordinaryUser() });
  if (status !== 0) throw new Error(`the files can't be planted: ${String(stderr)}`);
}

/** A folder of another user, which only that user can write. */
function foreign(): string {
  const folder = emptyHome();
  chmodSync(join(folder, ".."), 0o755);
  chmodSync(folder, 0o755);
  chownSync(folder, NOBODY, NOBODY);
  return folder;
}

/** A folder that every user can write, with a folder of the operator in it, and a file that planted code creates. */
function shared(): { folder: string; own: string; loot: string; code: string } {
  const folder = emptyHome();
  chmodSync(join(folder, ".."), 0o755);
  chmodSync(folder, 0o1777);
  const own = join(folder, "work");
  mkdirSync(own, { mode: 0o755 });
  const loot = join(emptyHome(), "loot");
  const code = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(loot)}, "");`;
  return { folder, own, loot, code };
}
const migration = (code: string) =>
  `${code}\nexport default { transform: () => undefined, match: {}, object: "a/b" };\n`;

it("runs no migration of a repository that another user plants above the working directory", async () => {
  const { folder, own, loot, code } = shared();
  plant(folder, { ".git/HEAD": "", "migrations/1-a.mjs": migration(code) });
  await formctl(["migrate", "plan"], { home: await demoHome(), cwd: own });
  expect(existsSync(loot)).toBe(false);
});

it("reads no project file that another user plants in the working directory", async () => {
  const { folder, loot, code } = shared();
  plant(folder, { "formctl.yaml": "migrations: changes\n", "changes/1-a.mjs": migration(code) });
  const { code: exitCode, stderr } = await formctl(["migrate", "plan"], { home: await demoHome(), cwd: folder });
  expect(existsSync(loot)).toBe(false);
  expect(stderr).toContain("formctl.yaml belongs to another user, and is in a folder that every user can write");
  expect(exitCode).toBe(3);
});

it("runs no migration that another user plants in a folder of the operator", async () => {
  const { own, loot, code } = shared();
  const migrations = join(own, "migrations");
  mkdirSync(migrations);
  chmodSync(migrations, 0o1777);
  plant(migrations, { "1-a.mjs": migration(code) });
  const { stderr } = await formctl(["migrate", "plan"], { home: await demoHome(), cwd: own });
  expect(existsSync(loot)).toBe(false);
  expect(stderr).toContain("1-a.mjs belongs to another user");
});

it("loads no package that another user plants above a migration of the operator", async () => {
  const { folder, own, loot, code } = shared();
  plant(folder, {
    "node_modules/helper/index.mjs": code,
    "node_modules/helper/package.json": '{ "main": "index.mjs" }',
  });
  mkdirSync(join(own, "migrations"));
  writeFileSync(join(own, "migrations", "1-a.mjs"), migration('import "helper";'));
  const { stderr } = await formctl(["migrate", "plan"], { home: await demoHome(), cwd: own });
  expect(existsSync(loot)).toBe(false);
  expect(stderr).toContain("helper/index.mjs belongs to another user");
});

it("loads no package through a link that another user plants above a migration of the operator", async () => {
  const { folder, own, loot, code } = shared();
  const home = foreign();
  plant(home, { "helper/index.mjs": code, "helper/package.json": '{ "main": "index.mjs" }' });
  plantLink(folder, "node_modules", home);
  mkdirSync(join(own, "migrations"));
  writeFileSync(join(own, "migrations", "1-a.mjs"), migration('import "helper";'));
  const { stderr } = await formctl(["migrate", "plan"], { home: await demoHome(), cwd: own });
  expect(existsSync(loot)).toBe(false);
  expect(stderr).toContain("helper belongs to another user");
});

it("loads no module through a link that another user plants in a folder of the operator", async () => {
  const { own, loot, code } = shared();
  const home = foreign();
  plant(home, { "helper.mjs": code });
  const migrations = join(own, "migrations");
  mkdirSync(migrations);
  chmodSync(migrations, 0o1777);
  plantLink(migrations, "lib", home);
  writeFileSync(join(migrations, "1-a.mjs"), migration('import "./lib/helper.mjs";'));
  const { stderr } = await formctl(["migrate", "plan"], { home: await demoHome(), cwd: own });
  expect(existsSync(loot)).toBe(false);
  expect(stderr).toContain("lib/helper.mjs belongs to another user");
});

it("uses no settings and no store that another user plants", async () => {
  const { folder } = shared();
  plant(folder, { "config.yaml": "baseUrl: https://evil.example\n", "local.db-journal": "forged" });
  const settings = await formctl(["config", "list"], { home: folder, cwd: emptyHome() });
  expect(settings.stdout).not.toContain("evil.example");
  expect(settings.stderr).toContain("config.yaml belongs to another user");
  rmSync(join(folder, "config.yaml"));
  const store = await formctl(["local", "init"], { home: folder, cwd: emptyHome() });
  expect(store.stderr).toContain("local.db-journal belongs to another user");
});

it("control: the same files of the operator are used", async () => {
  const { folder, own, loot, code } = shared();
  const helper = join(folder, "node_modules", "helper");
  for (const path of [join(folder, ".git"), join(folder, "migrations"), helper]) mkdirSync(path, { recursive: true });
  writeFileSync(join(helper, "package.json"), '{ "main": "index.mjs" }');
  writeFileSync(join(helper, "index.mjs"), code);
  writeFileSync(join(folder, "migrations", "1-a.mjs"), migration('import "helper";'));
  await formctl(["migrate", "plan"], { home: await demoHome(), cwd: own });
  expect(existsSync(loot)).toBe(true);
});

it("uses no lock file that another user plants in the folder of the state", async () => {
  const { folder } = shared();
  for (const own of [".formctl", ".formctl/runs"]) {
    mkdirSync(join(folder, own));
    chmodSync(join(folder, own), 0o777);
  }
  plant(folder, { ".formctl/runs/lock.json": JSON.stringify({ version: 1, targets: {} }) });
  writeFileSync(join(folder, "new.yaml"), "kind: Form\nobject: staffing/candidate\nname: New\ntypes: [VIEW]\n");
  const { code: exitCode, stderr } = await formctl(["plan", "new.yaml"], { home: await demoHome(), cwd: folder });
  expect(stderr).toContain("lock.json belongs to another user, and is in a folder that every user can write");
  expect(exitCode).toBe(3);
});
