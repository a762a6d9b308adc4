/** `formctl migrate new`, `status`, `baseline` and `repair`, on a local store and on a server. */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/index.ts";
import { serverTarget, storeTarget } from "../../src/state/target.ts";
import { openRecord } from "../../src/migrations/open-record.ts";
import type { MigrationEntry } from "../../src/migrations/record.ts";
import type { Service } from "../../src/service.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { forgeRecord } from "../migrations/forged-record.ts";
import { entry } from "../migrations/record-targets.ts";
import { type Cli, openCli, openLocal } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const FIRST = "20260301-0900-first";
const NEXT = "20260301-1000-next";
const LAST = "20260301-1100-last";

const TEXT = "export default {};\n";
/** The expected checksum. It was computed with `printf 'export default {};\n' | sha256sum`. */
const CHECKSUM = "450f0af4f4c1ecc4c7180f2e364c8a59bfed69dd350fb6b47bce8641c2a37786";
const LATER = "2026-03-02T09:00:30.000Z";

const file = (name: string) => `migrations/${name}.ts`;

type Status = {
  exitCode: number;
  record: string;
  summary: Record<string, number>;
  migrations: {
    name: string;
    state: string;
    isChanged: boolean;
    isMissing: boolean;
    isOutOfOrder: boolean;
    toRun: string[] | null;
  }[];
};

/** Opens the record like another process. */
async function openRecordOf(cli: Cli) {
  const local = openLocal(cli, join(cli.home, "local.db"));
  onTestFinished(() => local.close());
  const { FORMCTL_BASE_URL: baseUrl, FORMCTL_TOKEN: token = "" } = cli.env;
  const target =
    baseUrl === undefined
      ? storeTarget({ store: "local.db", local, organization: "northwind" })
      : serverTarget({ baseUrl, service: createClient({ baseUrl, token }) });
  const host = { processes: async () => systemProcesses(), sleep: cli.sleep };
  return openRecord({ target, folder: join(cli.cwd, "migrations"), root: cli.cwd, host, onWarning: () => undefined });
}

async function entriesOf(cli: Cli): Promise<readonly MigrationEntry[]> {
  return (await (await openRecordOf(cli)).read()).entries;
}

/** Records that a migration ran. The checksum is that of the unchanged file. */
async function recordRun(cli: Cli, name: string, members: Partial<MigrationEntry> = {}): Promise<void> {
  const record = await openRecordOf(cli);
  const { entries, revision } = await record.read();
  await record.write([...entries, entry(name, { checksum: CHECKSUM, ...members })], revision);
}

/** A draft without blocks. */
const EMPTY = {
  schemaVersion: 1 as const,
  regions: [],
  blocks: [],
  stagedFieldDefinitions: [],
  scriptBindings: [],
  metadata: null,
  clientMutationId: "emptied",
};

const held = { state: "running", heldUntil: LATER, steps: [{ name: "one", answer: 1, at: LATER }] } as const;

async function statusOf(cli: Cli, ...options: string[]): Promise<Status> {
  return (await cli.run("migrate", "status", "-o", "json", ...options)).json() as Status;
}

describe.each([
  ["a local store", openCli, "the local store"],
  ["a server", async () => (await openRemoteScene()).cli, 'the layout "formctl migrations"'],
])("on %s", (_what, open, where) => {
  let cli: Cli;
  beforeEach(async () => {
    cli = await open();
    for (const name of [FIRST, NEXT, LAST]) cli.file(file(name), TEXT);
  });

  describe("migrate status", () => {
    it("lists pending migrations in the order of their names, and fails with --detailed-exitcode", async () => {
      const { record, summary, migrations } = await statusOf(cli);
      expect(record).toContain(where);
      expect(summary).toEqual({ pending: 3, done: 0, baseline: 0, running: 0, interrupted: 0, reverting: 0 });
      expect(migrations.map(({ name, state }) => `${name} ${state}`)).toEqual([
        `${FIRST} pending`,
        `${NEXT} pending`,
        `${LAST} pending`,
      ]);
      expect(await cli.run("migrate", "status", "--detailed-exitcode", "-o", "name")).toMatchObject({
        code: 2,
        stdout: `${FIRST}\n${NEXT}\n${LAST}\n`,
      });
      expect((await cli.run("migrate", "status")).stderr).toContain("formctl migrate run");
    });

    it("reports that all migrations ran", async () => {
      for (const name of [FIRST, NEXT, LAST]) await recordRun(cli, name);
      const { stdout, code } = await cli.run("migrate", "status", "--detailed-exitcode");
      expect({ code, done: stdout.match(/^done /gm)?.length }).toEqual({ code: 0, done: 3 });
    });

    it("reports an edited, a missing, an out-of-order, an interrupted and a running migration", async () => {
      await recordRun(cli, FIRST);
      await recordRun(cli, "20260301-0930-removed");
      await recordRun(cli, LAST, { ...held, heldUntil: "2026-03-02T08:59:59.000Z" });
      await recordRun(cli, "20260301-1200-elsewhere", held);
      cli.file(file(FIRST), `${TEXT}// Edited\n`);
      expect((await statusOf(cli)).migrations).toMatchObject([
        { name: FIRST, state: "done", isChanged: true },
        { name: "20260301-0930-removed", state: "done", isMissing: true },
        { name: NEXT, state: "pending", isOutOfOrder: true },
        { name: LAST, state: "interrupted", isChanged: false, isMissing: false },
        { name: "20260301-1200-elsewhere", state: "running", isMissing: true, heldUntil: LATER },
      ]);
      const { stdout, code } = await cli.run("migrate", "status", "--detailed-exitcode");
      expect(code).toBe(2);
      for (const note of [
        "edited after it ran",
        "its file is missing",
        "a later migration ran before it",
        "1 step done",
      ])
        expect(stdout).toContain(note);
    });

    it("does not take other line ends for an edit", async () => {
      await recordRun(cli, FIRST);
      cli.file(file(FIRST), TEXT.replaceAll("\n", "\r\n"));
      expect((await statusOf(cli)).migrations[0]).toMatchObject({ state: "done", isChanged: false });
    });
  });

  describe("migrate baseline", () => {
    it("declares a migration and all before it, and later ones afterwards", async () => {
      expect(await cli.run("migrate", "baseline", NEXT, "--yes", "-o", "name")).toMatchObject({
        code: 0,
        stdout: `${FIRST}\n${NEXT}\n`,
      });
      expect((await statusOf(cli)).migrations).toMatchObject([
        { state: "baseline", by: expect.stringContaining("@") as unknown, endedAt: "2026-03-02T09:00:00.000Z" },
        { state: "baseline" },
        { state: "pending", isOutOfOrder: false },
      ]);
      expect((await cli.run("migrate", "baseline", LAST, "--yes", "-o", "name")).stdout).toBe(`${LAST}\n`);
      expect((await cli.run("migrate", "baseline", LAST, "--yes")).stdout).toContain("Nothing to declare");
      expect((await cli.run("migrate", "status", "--detailed-exitcode")).code).toBe(0);
    });

    it("asks first, and writes nothing without confirmation or with --dry-run", async () => {
      expect(await cli.run("migrate", "baseline", FIRST)).toMatchObject({ code: 8 });
      const { code, asked } = await cli.answering([false], "migrate", "baseline", FIRST);
      expect({ code, asked }).toMatchObject({ code: 8, asked: [expect.stringContaining(FIRST)] });
      const dry = await cli.run("migrate", "baseline", NEXT, "--dry-run", "-o", "json");
      expect(dry.json()).toMatchObject({ declared: [FIRST, NEXT], dryRun: true });
      expect(await entriesOf(cli)).toEqual([]);
    });

    it("refuses an unknown name, and a migration that began and has not ended", async () => {
      const { code, error } = await cli.run("migrate", "baseline", "20260301-1000-nxt", "--yes", "-o", "json");
      expect({ code, hint: error().hint }).toEqual({ code: 5, hint: `Did you mean "${NEXT}"?` });
      await recordRun(cli, FIRST, { state: "running" });
      const refused = await cli.run("migrate", "baseline", NEXT, "--yes", "-o", "json");
      expect({ code: refused.code, error: refused.error().code }).toEqual({ code: 6, error: "MIGRATIONS_OUT_OF_STEP" });
    });
  });

  describe("migrate repair", () => {
    it("accepts edited files, and deletes entries of missing files", async () => {
      await recordRun(cli, FIRST);
      await recordRun(cli, NEXT);
      cli.file(file(FIRST), `${TEXT}// Edited\n`);
      rmSync(join(cli.cwd, file(NEXT)));
      const dry = await cli.run("migrate", "repair", "--dry-run", "-o", "json");
      expect(dry.json()).toMatchObject({
        repairs: [
          { name: FIRST, action: "accept" },
          { name: NEXT, action: "forget" },
        ],
      });
      expect(await entriesOf(cli)).toHaveLength(2);
      expect(await cli.run("migrate", "repair", "--yes")).toMatchObject({ code: 8 });
      expect(await cli.run("migrate", "repair", "--yes", "--allow-delete")).toMatchObject({ code: 0 });
      expect((await statusOf(cli)).migrations).toMatchObject([
        { name: FIRST, state: "done", isChanged: false },
        { name: LAST, state: "pending" },
      ]);
      expect((await cli.run("migrate", "repair")).stdout).toBe("Nothing to repair.\n");
    });

    it("reports before it asks what is deleted with a missing file", async () => {
      const replaced = [
        { address: "a/b/C", kind: "Form", layoutId: "lay_1", publishedVersionId: null, written: {} },
      ] as const;
      await recordRun(cli, "20260301-0930-removed", { replaced });
      const { stderr } = await cli.run("migrate", "repair", "--yes");
      expect(stderr).toContain("the record that 20260301-0930-removed ran, with what it replaced in 1 resource");
    });

    it("ends the lease of a migration only if it is named, and keeps its steps", async () => {
      await recordRun(cli, FIRST, held);
      expect((await cli.run("migrate", "repair")).stdout).toBe("Nothing to repair.\n");
      const { asked } = await cli.answering([true], "migrate", "repair", FIRST);
      expect(asked[0]).toContain("its lease will be ended, and the next run continues it");
      const [{ heldUntil, steps }] = (await entriesOf(cli)) as [MigrationEntry];
      expect({ heldUntil, steps }).toEqual({ heldUntil: undefined, steps: held.steps });
      expect((await statusOf(cli)).migrations[0]).toMatchObject({ state: "interrupted" });
    });

    it("refuses names of migrations that need no repair", async () => {
      const pending = await cli.run("migrate", "repair", FIRST, "-o", "json");
      expect({ code: pending.code, hint: pending.error().hint }).toEqual({
        code: 3,
        hint: "Run it: formctl migrate run",
      });
      expect(await cli.run("migrate", "repair", "unknown")).toMatchObject({ code: 5 });
    });
  });
});

describe("the record on a server", () => {
  it("is in a layout that layouts list shows and an export leaves out", async () => {
    const { cli } = await openRemoteScene();
    cli.file(file(FIRST), TEXT);
    expect((await cli.run("migrate", "baseline", FIRST, "--yes")).code).toBe(0);
    const target = ["--surface", "ORGANIZATION", "--modes", "VIEW"];
    expect((await cli.run("layouts", "create", ...target, "--name", "Start page")).code).toBe(0);
    const { stdout } = await cli.run("layouts", "list", "--surface", "ORGANIZATION");
    expect(stdout).toContain("formctl migrations");
    expect((await cli.run("export", "--all-layouts", "--into", "forms", "-o", "name")).stdout).toBe(
      "ORGANIZATION/Start page\n",
    );
  });
});

it("refuses a record that another user filled with 100,000 levels, in one sentence", async () => {
  const { cli, url, token } = await openRemoteScene();
  cli.file(file(FIRST), TEXT);
  const answer = "[".repeat(100_000) + "]".repeat(100_000);
  const text = JSON.stringify([entry(FIRST, { steps: [{ name: "a", answer: "ANSWER", at: LATER }] })]);
  await forgeRecord(createClient({ baseUrl: url, token }), text.replace('"ANSWER"', answer));
  for (const command of [
    ["status", "-o", "json"],
    ["run", "--yes"],
    ["down", "--yes"],
  ]) {
    const { code, stderr } = await cli.run("migrate", ...command);
    expect(stderr).toContain("can't be read: it has more than 256 levels");
    expect(code).toBe(1);
  }
});

describe("a record that another user takes away", () => {
  const CREATE = `export default { run: (service, step) => step("create", () => service.createForm({
    moduleKey: "staffing", objectKey: "candidate", body: { name: "Made", types: ["VIEW"] } })) };
`;

  it.each<[string, (service: Service, layoutId: string) => Promise<unknown>]>([
    ["renamed", (service, layoutId) => service.updateLayout({ layoutId, body: { name: "Other" } })],
    ["archived", (service, layoutId) => service.archiveLayout({ layoutId })],
    ["emptied", (service, layoutId) => service.saveDraft({ layoutId, body: EMPTY })],
  ])("does not let migrations run again if it was %s", async (what, take) => {
    const { cli } = await openRemoteScene();
    cli.file(file(FIRST), CREATE);
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(0);
    const local = openLocal(cli, join(cli.home, "local.db"));
    onTestFinished(() => local.close());
    const service = await local.service("northwind");
    const records = async () => (await service.listLayouts({ query: { surface: "ORGANIZATION" } })).map(({ id }) => id);
    const [layoutId = ""] = await records();
    await take(service, layoutId);
    const before = await records();
    await cli.run("migrate", "run", "--yes");
    const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate" });
    expect(data.filter(({ name }) => name === "Made")).toHaveLength(1);
    expect(await records()).toEqual(before);
    for (const command of [["status"], ["plan"], ["run", "--yes"], ["down", "--yes"], ["baseline", FIRST, "--yes"]]) {
      const { code, stderr } = await cli.run("migrate", ...command);
      expect([code, stderr]).toEqual([6, expect.stringContaining(`the layout ${layoutId}, which contain`)]);
      expect(stderr).toContain(what);
      expect(stderr).toContain("formctl migrate repair");
    }

    expect((await cli.run("migrate", "repair", "--yes")).code).toBe(8);
    expect((await cli.run("migrate", "repair", "--dry-run")).stdout).toContain("Would begin a new record");
    expect(await records()).toEqual(before);
    expect((await cli.run("migrate", "repair", "--yes", "--allow-delete")).code).toBe(0);
    expect((await cli.run("migrate", "baseline", FIRST, "--yes")).code).toBe(0);
    expect((await cli.run("migrate", "run", "--yes")).stdout).toContain("No migrations are due");
  });
});

describe("a record that was archived, in a new checkout", () => {
  const TS = `export default { run: (service, step) => step("create", () => service.createForm({
    moduleKey: "staffing", objectKey: "candidate", body: { name: "Made", types: ["VIEW"] } })) };
`;
  const YAML = `steps:
  - name: create
    createForm: { object: staffing/candidate, body: { name: Made, types: [VIEW] } }
`;
  const LAYOUT = `steps:
  - name: create
    createLayout: { body: { name: Made, surface: ORGANIZATION, supportedModes: [VIEW], target: {} } }
`;

  async function openArchived(extension: string, text: string) {
    const { cli } = await openRemoteScene();
    cli.file(`migrations/${FIRST}.${extension}`, text);
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(0);
    const local = openLocal(cli, join(cli.home, "local.db"));
    onTestFinished(() => local.close());
    const service = await local.service("northwind");
    const layouts = () => service.listLayouts({ query: { surface: "ORGANIZATION" } });
    const record = (await layouts()).find(({ name }) => name === "formctl migrations")!;
    expect((await cli.run("layouts", "archive", record.id, "--yes", "--allow-delete")).code).toBe(0);
    rmSync(join(cli.cwd, ".formctl"), { recursive: true });
    cli.clock.now = new Date(cli.clock.now.getTime() + 24 * 60 * 60_000);
    const made = async () => {
      const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate" });
      return [...data, ...(await layouts())].filter(({ name }) => name === "Made").length;
    };
    const layoutNames = async () => (await layouts()).map(({ name }) => name);
    return { cli, made, layoutNames };
  }

  it.each([
    ["a script", "ts", TS],
    ["YAML", "yaml", YAML],
    ["YAML with a layout", "yaml", LAYOUT],
  ])("lets no migration in %s create what exists, also not the second time", async (_what, extension, text) => {
    const { cli, made } = await openArchived(extension, text);
    for (let time = 1; time <= 3; time++) {
      const { code, stdout, stderr } = await cli.run("migrate", "run", "--yes");
      expect(code).toBe(6);
      expect(stdout + stderr).toContain("the target has no earlier record of migrations, but the");
      expect(stdout + stderr).toContain(`formctl migrate baseline ${FIRST}`);
      expect(stdout + stderr).toContain("formctl migrate repair --allow-delete");
      expect(await made()).toBe(1);
    }
    expect((await cli.run("migrate", "baseline", FIRST, "--yes")).code).toBe(0);
    expect((await cli.run("migrate", "run", "--yes")).stdout).toContain("No migrations are due");
  });

  it("writes nothing before it refuses a creation in YAML, and refuses also the plan", async () => {
    const { cli, layoutNames } = await openArchived("yaml", YAML);
    expect((await cli.run("migrate", "plan")).code).toBe(6);
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(6);
    expect(await layoutNames()).toEqual([]);
  });

  it("refuses also if an earlier migration of the run succeeded", async () => {
    const { cli, made } = await openArchived("ts", TS);
    cli.file("migrations/20260301-0800-before.ts", TS.replace("Made", "Other"));
    for (let time = 1; time <= 3; time++) {
      expect((await cli.run("migrate", "run", "--yes")).code).not.toBe(0);
      expect(await made()).toBe(1);
    }
    expect((await cli.run("migrate", "repair", "--yes", "--allow-delete")).code).toBe(0);
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(0);
    expect(await made()).toBe(2);
  });

  it("refuses also if an earlier step of the migration succeeded", async () => {
    const { cli, made } = await openArchived("yaml", YAML);
    const other = YAML.replaceAll("Made", "Other").replace("name: create", "name: other");
    const rename = "  - name: rename\n    updateForm: { form: staffing/candidate/Other, body: { name: Another } }\n";
    cli.file(`migrations/${FIRST}.yaml`, `${other}${rename}${YAML.replace("steps:\n", "")}`);
    for (const code of [9, 9, 9]) {
      const outcome = await cli.run("migrate", "run", "--yes");
      expect([outcome.code, outcome.stdout + outcome.stderr]).toEqual([code, expect.stringContaining("but the form")]);
      expect(await made()).toBe(1);
    }
  });

  it("begins a new record with migrate repair, after which names may exist", async () => {
    const { cli, made } = await openArchived("ts", TS);
    const refused = await cli.run("migrate", "repair", "--yes");
    expect(refused.code).toBe(8);
    expect(refused.stderr).toContain(
      "confirmation required: begin a new record of migrations, in which those that are not recorded are pending. Will be deleted permanently:",
    );
    expect((await cli.run("migrate", "repair", "--dry-run")).stdout).toContain("Would begin a new record");
    expect((await cli.run("migrate", "repair", "--yes", "--allow-delete")).code).toBe(0);
    expect((await cli.run("migrate", "repair", "--yes")).stdout).toBe("Nothing to repair.\n");
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(0);
    expect(await made()).toBe(2);
  });

  it("allows names that the run itself creates or frees, and later creations after the first run", async () => {
    const { cli } = await openRemoteScene();
    const step = (name: string, operation: string) => `  - name: ${name}\n    ${operation}\n`;
    const create = "createForm: { object: staffing/candidate, body: { name: Made, types: [VIEW] } }";
    const rename = "updateForm: { form: staffing/candidate/Made, body: { name: Old } }";
    cli.file(`migrations/${FIRST}.yaml`, `steps:\n${step("a", create)}${step("b", rename)}${step("c", create)}`);
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(0);
    cli.file(`migrations/${NEXT}.yaml`, `steps:\n${step("a", create)}`);
    expect((await cli.run("migrate", "run", "--yes")).code).toBe(0);
  });
});

describe("the record of a local store", () => {
  it("is in backups, and is deleted with everything else", async () => {
    const cli = await openCli();
    cli.file(file(FIRST), TEXT);
    const backup = join(cli.home, "backup.db");
    expect((await cli.run("migrate", "baseline", FIRST, "--yes")).code).toBe(0);
    expect((await cli.run("local", "backup", backup)).code).toBe(0);
    expect((await cli.run("local", "reset", "--yes")).code).toBe(0);
    expect((await cli.run("migrate", "status", "-o", "json")).code).toBe(64);
    expect((await cli.run("local", "restore", backup, "--yes")).code).toBe(0);
    expect(await entriesOf(cli)).toMatchObject([{ name: FIRST, state: "baseline" }]);
    expect((await cli.run("local", "check")).code).toBe(0);
  });

  it("is separate for each organization", async () => {
    const cli = await openCli();
    cli.file(file(FIRST), TEXT);
    expect((await cli.run("migrate", "baseline", FIRST, "--yes")).code).toBe(0);
    expect((await statusOf(cli, "--organization", "contoso")).migrations).toMatchObject([{ state: "pending" }]);
    expect((await statusOf(cli)).migrations).toMatchObject([{ state: "baseline" }]);
  });
});

it("completes the names of migrations without executing them", async () => {
  const cli = await openCli();
  cli.file(file(FIRST), "throw new Error('executed');\n");
  cli.file(file(NEXT), "globalThis.hasRun = true;\n");
  for (const command of ["baseline", "repair"]) {
    const { stdout } = await cli.run("complete", "--", "migrate", command, "2026");
    expect(stdout).toContain(`${FIRST}\n${NEXT}\n`);
  }
  expect(globalThis).not.toHaveProperty("hasRun");
});

describe("migrate new", () => {
  it("writes a file with the time as its prefix", async () => {
    const cli = await openCli();
    const { stdout, stderr } = await cli.run("migrate", "new", "replace-pay-rate");
    expect(stdout).toBe("Created migrations/20260302-0900-replace-pay-rate.ts.\n");
    expect(stderr).toContain("formctl migrate plan");
    expect((await statusOf(cli)).migrations).toMatchObject([
      { name: "20260302-0900-replace-pay-rate", state: "pending" },
    ]);
  });

  it("orders the migrations of one minute by their creation", async () => {
    const cli = await openCli();
    for (const name of ["rename", "fill", "archive"]) await cli.run("migrate", "new", name, "--yaml");
    expect((await statusOf(cli)).migrations.map(({ name }) => name)).toEqual([
      "20260302-0900-rename",
      "20260302-0901-fill",
      "20260302-0902-archive",
    ]);
    cli.clock.now = new Date("2026-03-02T09:01:30.000Z");
    const { stdout, stderr } = await cli.run("migrate", "new", "drop");
    expect(stdout).toBe("Created migrations/20260302-0903-drop.ts.\n");
    expect(stderr).not.toContain("out of order");
    const again = await cli.run("migrate", "new", "fill", "-o", "json");
    expect([again.code, again.error().message]).toEqual([3, "the migration 20260302-0901-fill already exists"]);
  });

  it("uses the folder of the project file, and a prefix that is specified", async () => {
    const cli = await openCli();
    cli.file("formctl.yaml", "migrations: changes/2026\n");
    expect(await cli.run("migrate", "new", FIRST, "--yaml", "-o", "name")).toMatchObject({
      code: 0,
      stdout: `changes/2026/${FIRST}.yaml\n`,
    });
    expect(existsSync(join(cli.cwd, "changes", "2026", `${FIRST}.yaml`))).toBe(true);
  });

  it("overwrites no file, and accepts no second file with the name", async () => {
    const cli = await openCli();
    cli.file(file(FIRST), TEXT);
    for (const options of [[], ["--yaml"]]) {
      const { code, error } = await cli.run("migrate", "new", FIRST, ...options, "-o", "json");
      expect({ code, message: error().message }).toEqual({ code: 3, message: `the migration ${FIRST} already exists` });
    }
    expect(readFileSync(join(cli.cwd, file(FIRST)), "utf8")).toBe(TEXT);
  });

  it("warns if later names exist", async () => {
    const cli = await openCli();
    cli.file(file(LAST), TEXT);
    expect((await cli.run("migrate", "new", FIRST)).stderr).toContain(`later names exist: ${LAST}`);
  });

  it.each(["Pay rate", "../pay-rate", ".hidden", "", "pay.rate", "x".repeat(200)])(
    "refuses the name %j",
    async (name) => {
      const cli = await openCli();
      expect(await cli.run("migrate", "new", name)).toMatchObject({ code: 64 });
      expect(existsSync(join(cli.cwd, "migrations"))).toBe(false);
    },
  );
});

it("refuses migrations of a store whose server records them in a layout", async () => {
  const cli = await openCli();
  const local = openLocal(cli, join(cli.home, "local.db"));
  const service = await local.service("northwind");
  const body = {
    name: "formctl migrations",
    surface: "ORGANIZATION" as const,
    supportedModes: ["VIEW" as const],
    target: {},
  };
  const { id } = await service.createLayout({ body });
  const refused = await cli.run("migrate", "status");
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain("migrations of this store ran through its server");
  expect(refused.stderr).toContain(`formctl layouts archive ${id}`);
  await service.archiveLayout({ layoutId: id });
  await local.close();
  expect((await cli.run("migrate", "status")).code).toBe(0);
});

it("status shows what pending migrations in YAML would do, and executes no code", async () => {
  const cli = await openCli();
  const body = "body: {name: Review, types: [VIEW]}";
  cli.file(`migrations/${FIRST}.yaml`, `steps: [{name: create, createForm: {object: staffing/candidate, ${body}}}]\n`);
  cli.file(`migrations/${NEXT}.yaml`, "edits: [{renameField: {from: skills, to: notes}}]\n");
  cli.file(`migrations/${LAST}.yaml`, "edits: 1\n");
  cli.file("migrations/20260301-1200-code.ts", "throw new Error('executed');\n");
  const { stdout, code } = await cli.run("migrate", "status");
  expect({ code, notes: stdout.split("\n").map((line) => line.replace(/^.*-  +-  +/, "")) }).toEqual({
    code: 0,
    notes: [expect.stringContaining("NOTES"), "to run: createForm", "to run: edit layouts", "-", "-", ""],
  });
  const { migrations } = (await cli.run("migrate", "status", "-o", "json")).json() as Status;
  expect(migrations.map(({ toRun }) => toRun)).toEqual([["createForm"], ["edit layouts"], null, null]);
});
