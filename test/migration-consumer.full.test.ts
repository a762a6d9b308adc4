/**
 * Migrations in a project outside of the repository. They are type-checked against the packed package with
 * `moduleResolution` nodenext. The packed program runs them on a local store and on a server.
 */

import { once } from "node:events";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Ended, finished, FORMCTL, start } from "./e2e/program.ts";
import { type Consumer, installPackage } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders("on disk");
let consumer: Consumer;
/** The project of a test: a copy of the consumer's settings and migrations, with a store. */
let project: string;

/**
 * This script fails if its environment has the token. It also fails if its imported classes differ from the classes of
 * the running program.
 */
const SCRIPT = `import { defineMigration, type FormAnswer, pages, ServiceError } from "formctl";
import { object } from "./shared/object.ts";

export default defineMigration({
  async run(service, step) {
    console.log("the script runs");
    if (process.env["FORMCTL_TOKEN"] !== undefined) throw new Error("the migration has the token");
    const form: FormAnswer = await step("create the form", () =>
      service.createForm({ ...object, body: { name: "Review", types: ["VIEW"] } }),
    );
    const layoutId = form.viewLayoutId!;
    const draft = await step("save the draft", async () => {
      const versions = await service.listVersions({ layoutId });
      const { regions = [] } = versions[0]!;
      const notes = { id: "n", type: "field", source: "dynamic_field", ref: { fieldKey: "notes" }, regionKey: regions[0]!.key };
      const { draftVersionId } = await service.saveDraft({ layoutId, body: { schemaVersion: 1, regions, blocks: [notes] } });
      return { draftVersionId };
    });
    await step("publish", () => service.publishLayout({ layoutId, body: draft }));
    await step("delete a form that does not exist", async () => {
      try {
        await service.deleteForm({ ...object, formId: "frm_missing" });
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      }
    });
    for await (const { items } of pages(service.listForms, object)) console.log(items.map(({ name }) => name).join());
  },
  async down(service, step, answers) {
    const { id: formId } = answers["create the form"] as { id: string };
    await step("delete the form", () => service.deleteForm({ ...object, formId }));
  },
});

// @ts-expect-error a region requires a key
void (() => defineMigration({ layout: (content) => ({ ...content, regions: [{ layout: "grid" }] }) }));
`;

const TRANSFORM = `import { type Block, defineMigration, findBlocks, renameField } from "formctl";

const depth = (blocks: readonly Block[]): number => 1 + Math.max(-1, ...blocks.map(({ children = [] }) => depth(children)));

export default defineMigration({
  match: { objects: ["staffing/candidate"], forms: ["Review"], showsField: "notes" },
  layout(content, { address }) {
    console.log(address, depth(content.blocks), findBlocks(content, { field: "notes" }).length);
    return renameField(content, "notes", "home_city");
  },
});
`;

const TWIN = `edits:
  - setMember: { where: { field: home_city }, member: config.label, value: City }
match: { forms: [Review] }
`;

beforeAll(() => {
  consumer = installPackage(newFolder());
  const { folder, installed } = consumer;
  mkdirSync(join(folder, "migrations", "shared"), { recursive: true });
  writeFileSync(join(folder, "formctl.yaml"), "migrations: migrations\n");
  writeFileSync(join(folder, "migrations", "20261122-1000-review-form.ts"), SCRIPT);
  writeFileSync(join(folder, "migrations", "20261122-1010-show-city.ts"), TRANSFORM);
  writeFileSync(join(folder, "migrations", "20261122-1020-label-city.yaml"), TWIN);
  writeFileSync(
    join(folder, "migrations", "shared", "object.ts"),
    'export const object = { moduleKey: "staffing", objectKey: "candidate" };\n',
  );
  cpSync(join(installed, "examples/northwind/organization.yaml"), join(folder, "organization.yaml"));
});

beforeEach(async () => {
  project = newFolder();
  for (const name of ["formctl.yaml", "migrations", "organization.yaml"])
    cpSync(join(consumer.folder, name), join(project, name), { recursive: true });
  const { code, stderr } = await formctl("local", "seed", "organization.yaml");
  if (code !== 0) throw new Error(stderr);
});

/** Runs the packed program in the project. */
function formctl(...words: string[]): Promise<Ended> {
  return program(join(consumer.installed, "bin/formctl.js"), words);
}

function program(bin: string, words: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const own = { FORMCTL_STORE: join(project, "formctl.db"), ...env };
  return finished(process.execPath, [bin, ...words], { cwd: project, home: join(project, "home"), env: own });
}

const names = async () => JSON.parse((await formctl("migrate", "status", "-o", "json")).stdout) as unknown;

it("type-checks a script and a transform", () => {
  const files = ["20261122-1000-review-form.ts", "20261122-1010-show-city.ts", "shared/object.ts"];
  expect(() => consumer.typeCheck(files.map((file) => join("migrations", file)))).not.toThrow();
});

it("runs them once and reverts them, with their output on stderr and one document on stdout", async () => {
  const ran = await formctl("migrate", "run", "--yes", "-o", "json");
  expect({ code: ran.code, stderr: ran.code === 0 ? "" : ran.stderr }).toEqual({ code: 0, stderr: "" });
  expect(ran.stderr).toMatch(/^the script runs$[^]*^Review$/m);
  expect(ran.stderr).toContain("staffing/candidate/Review 1 1\n");
  expect(JSON.parse(ran.stdout)).toMatchObject({
    migrations: [{ outcome: "done" }, { outcome: "done" }, { outcome: "done" }],
  });
  expect(JSON.stringify(await names())).toMatch(/"done".*"done".*"done"/);
  const again = await formctl("migrate", "run", "--yes");
  expect(again).toMatchObject({ code: 0, stderr: "" });
  const shown = await formctl("layouts", "versions", "get", "staffing/candidate/Review", "latest", "-o", "json");
  expect(shown.stdout).toContain('"home_city"');
  expect(shown.stdout).toContain('"City"');
  expect(await formctl("migrate", "down", "3", "--yes")).toMatchObject({ code: 0 });
  expect((await formctl("forms", "list", "staffing/candidate", "-o", "name")).stdout).toBe("");
});

/** Serves the store of the project until the test ends. @returns the settings of the server as environment variables */
async function serve(): Promise<Record<string, string>> {
  const bin = join(consumer.installed, "bin/formctl.js");
  const words = ["local", "tokens", "create", "--name", "test", "--permission", "all", "-o", "json"];
  const { token } = JSON.parse((await formctl(...words)).stdout) as { token: string };
  const home = join(project, "home");
  const env = { FORMCTL_STORE: join(project, "formctl.db") };
  const server = start(process.execPath, [bin, "serve", "--port", "0", "-o", "json"], { cwd: project, home, env });
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill();
    await ended;
  });
  const [ready] = (await once(server.stdout, "data")) as [Buffer];
  return { FORMCTL_BASE_URL: /http:\/\/[^"\s]+/.exec(ready.toString())![0], FORMCTL_TOKEN: token };
}

it("runs them on a server", async () => {
  const env = await serve();
  const bin = join(consumer.installed, "bin/formctl.js");
  const ran = await program(bin, ["migrate", "run", "--yes"], env);
  expect({ code: ran.code, stderr: ran.code === 0 ? "" : ran.stderr }).toEqual({ code: 0, stderr: "" });
  const forms = await program(
    bin,
    ["forms", "list", "staffing/candidate", "-o", "json", "--query", "[].usableTypes"],
    env,
  );
  expect(JSON.parse(forms.stdout)).toEqual([["VIEW"]]);
});

describe("the package formctl that a migration imports is that of the program", () => {
  it("without an installation next to the migration", async () => {
    expect(await program(FORMCTL, ["migrate", "run", "--yes"])).toMatchObject({ code: 0 });
  });

  it("with another version installed next to the migration", async () => {
    const other = join(project, "node_modules", "formctl");
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, "package.json"), '{"name": "formctl", "version": "0.0.1", "main": "index.js"}');
    writeFileSync(join(other, "index.js"), 'throw new Error("the other version is loaded");');
    expect(await formctl("migrate", "run", "--yes")).toMatchObject({ code: 0 });
  });

  it("in a program that uses the library", async () => {
    const text = `import { openLocal, openMigrations, storeTarget } from "formctl";
const local = await openLocal("formctl.db");
const target = storeTarget({ local, store: "formctl.db" });
const { migrations } = await openMigrations({ root: ".", target }).run({ confirm: () => true });
console.log(JSON.stringify(migrations.map(({ outcome }) => outcome)));
await local.close();
`;
    writeFileSync(join(project, "run.ts"), text);
    symlinkSync(join(consumer.folder, "node_modules"), join(project, "node_modules"));
    const { code, stdout, stderr } = await program(join(project, "run.ts"), []);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '["done","done","done"]\n' });
    expect(stderr).toContain("the script runs\n");
  });
});

it("ends with an error if a migration waits for a promise that never settles", async () => {
  rmSync(join(project, "migrations"), { recursive: true });
  mkdirSync(join(project, "migrations"));
  const file = join(project, "migrations", "20261122-1000-wait.ts");
  writeFileSync(file, "await new Promise(() => {});\nexport default { async run() {} };\n");
  const loading = await formctl("migrate", "run", "--yes");
  expect({ code: loading.code, stdout: loading.stdout }).toEqual({ code: 1, stdout: "" });
  expect(loading.stderr).toContain("20261122-1000-wait.ts:1:1");
  expect(loading.stderr).toContain("the migration waits for a promise that never settles");

  writeFileSync(file, "export default {\n  async run() {\n    await new Promise(() => {});\n  },\n};\n");
  const running = await formctl("migrate", "run", "--yes");
  expect(running.code).toBe(1);
  expect(running.stderr + running.stdout).toContain("the migration waits for a promise that never settles");
  expect(running.stderr + running.stdout).toContain("20261122-1000-wait.ts:2:9");
});

it("prints the line of the migration at which the service refuses a write", async () => {
  rmSync(join(project, "migrations"), { recursive: true });
  mkdirSync(join(project, "migrations"));
  const text = `export default {
  async run(service, step) {
    await step("delete a form", () =>
      service.deleteForm({ moduleKey: "staffing", objectKey: "candidate", formId: "frm_missing" }),
    );
  },
};
`;
  writeFileSync(join(project, "migrations", "20261122-1000-delete.mjs"), text);
  const { code, stdout, stderr } = await formctl("migrate", "run", "--yes");
  expect(code).toBe(5);
  expect(stdout + stderr).toContain("migrations/20261122-1000-delete.mjs:4:15");
  expect(stdout + stderr).toContain('service.deleteForm({ moduleKey: "staffing"');
});
