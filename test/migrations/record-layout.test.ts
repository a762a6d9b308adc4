/** The record of migrations on servers that differ from ours, and after changes by users. */

import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MIGRATION_RECORD } from "../../src/lists/layouts.ts";
import { shownContent } from "../../src/lists/versions.ts";
import type { MigrationRecord } from "../../src/migrations/record.ts";
import { RECORD_FILE } from "../../src/migrations/record-file.ts";
import type { FullService } from "../../src/service.ts";
import type { Handler } from "../contract/in-process.ts";
import { forgeRecord } from "./forged-record.ts";
import { entry, openChangedServer, type RecordWorld } from "./record-targets.ts";

/** Answers a request instead of the server, or passes the request on. */
type Behavior = (request: Request, pass: Handler) => Promise<Response>;
const regular: Behavior = (request, pass) => pass(request);

let behavior: Behavior;
let world: RecordWorld;
/** The service behind the server, to change records directly. */
let behind: FullService;

beforeEach(async () => {
  behavior = regular;
  world = await openChangedServer((handler) => (request) => behavior(request, handler));
  behind = await world.local.service("northwind");
});
afterEach(() => world.close());

const isOfLayouts = ({ url }: Request) => new URL(url).pathname === "/v1/view-layouts";
const isList = (request: Request) => request.method === "GET" && isOfLayouts(request);
const isCreation = (request: Request) => request.method === "POST" && isOfLayouts(request);
const isDraft = ({ method }: Request) => method === "PUT";

/** Returns the request with another body. */
async function withBody(request: Request, change: (body: Record<string, unknown>) => object): Promise<Request> {
  const { url, method, headers } = request;
  const body = change((await request.json()) as Record<string, unknown>);
  return new Request(url, { method, headers, body: JSON.stringify(body) });
}

function refusal(status: number, code: string): Response {
  return Response.json({ error: { code, message: "not on this server" } }, { status });
}

async function write(record: MigrationRecord, ...names: string[]): Promise<string> {
  const { revision } = await record.read();
  return record.write(
    names.map((name) => entry(name)),
    revision,
  );
}

async function namesIn(record: MigrationRecord): Promise<string[]> {
  return (await record.read()).entries.map(({ name }) => name);
}

async function recordLayouts() {
  return (await behind.listLayouts({})).filter(({ name }) => name === MIGRATION_RECORD.name);
}

const LOST = { code: "MIGRATION_RECORD_LOST" };
const NEW = { entries: [], revision: null };

/** The file in which the checkout remembers the layout of the record. */
function memoryFile(): string {
  const runs = join(world.folder, "..", ".formctl", "runs");
  return join(
    runs,
    readdirSync(runs).find((name) => name.startsWith("migrations-"))!,
  );
}

/** Makes the checkout a new one. */
const forgetRecord = () => rmSync(memoryFile());

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/migrations.md"), "utf8");

const hasFile = () => existsSync(join(world.folder, RECORD_FILE));

describe("a server that can't hold the record", () => {
  it.each<[string, Behavior, string]>([
    [
      "ignores expectedDraftVersionId",
      async (request, pass) =>
        pass(
          isDraft(request) ? await withBody(request, ({ expectedDraftVersionId: _ignored, ...body }) => body) : request,
        ),
      "it does not compare drafts (expectedDraftVersionId)",
    ],
    [
      "refuses expectedDraftVersionId",
      async (request, pass) => (isDraft(request) ? refusal(400, "VALIDATION_FAILED") : pass(request)),
      "it refuses the draft (not on this server)",
    ],
    [
      "refuses the layout",
      async (request, pass) => (isCreation(request) ? refusal(422, "SURFACE_UNKNOWN") : pass(request)),
      "it refuses the layout (not on this server)",
    ],
    [
      "has no list of layouts",
      async (request, pass) => (isList(request) ? refusal(404, "NOT_FOUND") : pass(request)),
      "it does not list layouts",
    ],
  ])("%s: the record is in a file, and each process warns", async (_what, changed, reason) => {
    behavior = changed;
    await write(await world.open(), "1");
    expect(hasFile()).toBe(true);
    expect(world.warnings).toEqual([expect.stringContaining(`is not on the server: ${reason}. It is in `)]);
    const other = await world.open();
    await write(other, ...(await namesIn(other)), "2");
    expect(await namesIn(await world.open())).toEqual(["1", "2"]);
    expect(world.warnings).toHaveLength(3);
  });

  it("keeps the record in the file when it begins to accept layouts", async () => {
    behavior = async (request, pass) => (isCreation(request) ? refusal(400, "VALIDATION_FAILED") : pass(request));
    await write(await world.open(), "1");
    behavior = regular;
    const record = await world.open();
    await write(record, "1", "2");
    expect(record.where).toBe(join(world.folder, RECORD_FILE));
    expect(await recordLayouts()).toEqual([]);
  });

  it("has no new record in a layout: renew names the next step", async () => {
    behavior = async (request, pass) => (isCreation(request) ? refusal(400, "VALIDATION_FAILED") : pass(request));
    const record = await world.open();
    await record.read();
    expect(record.isNew).toBe(true);
    await expect(record.renew!()).rejects.toMatchObject({
      code: "INVALID_VALUE",
      message: expect.stringContaining("no new record can be begun on the server: it refuses the layout") as unknown,
      hint: expect.stringContaining("formctl migrate baseline NAME") as unknown,
    });
    await write(record, "1");
    expect(record.isNew).toBe(false);
  });

  it("does not use a file if a permission is missing or the server fails", async () => {
    for (const status of [403, 500]) {
      behavior = async (request, pass) => (isCreation(request) ? refusal(status, "REFUSED") : pass(request));
      await expect(write(await world.open(), "1")).rejects.toThrow("not on this server");
    }
    expect(hasFile()).toBe(false);
    expect(world.warnings).toEqual([]);
  });

  it("does not use a file after a layout contained the record, unless the record was given up", async () => {
    await write(await world.open(), "1");
    behavior = async (request, pass) => (isList(request) ? refusal(404, "NOT_FOUND") : pass(request));
    const record = await world.open();
    await expect(record.read()).rejects.toMatchObject({
      ...LOST,
      message: expect.stringMatching(/the layout lay_\w+ contained it, .*: it does not list layouts$/) as unknown,
    });
    expect(world.warnings).toEqual([]);
    behavior = regular;
    expect(await namesIn(record)).toEqual(["1"]);
    behavior = async (request, pass) => (isList(request) ? refusal(404, "NOT_FOUND") : pass(request));
    await expect((await world.open()).renew!()).rejects.toMatchObject({
      code: "INVALID_VALUE",
      message: "no new record can be begun on the server: it does not list layouts",
    });
    expect(await namesIn(await world.open())).toEqual([]);
    expect(world.warnings).toHaveLength(1);
  });

  it.each<[string, (request: Request) => boolean, number[], number[]]>([
    ["the layout", isCreation, [400, 404, 405, 409, 412, 422, 501], [401, 403, 413, 415, 500, 503]],
    ["its draft", isDraft, [400, 405, 422, 501], [401, 403, 404, 409, 412, 413, 415, 500, 503]],
  ])("uses a file for exactly the documented answers to the creation of %s", async (_, isIt, withFile, withoutFile) => {
    for (const status of [...withFile, ...withoutFile]) {
      const other = await openChangedServer(
        (handler) => async (request) => (isIt(request) ? refusal(status, "REFUSED") : handler(request)),
      );
      const isWritten = await write(await other.open(), "1").then(
        () => true,
        () => false,
      );
      const inFile = existsSync(join(other.folder, RECORD_FILE));
      const isExpected = withFile.includes(status);
      expect([status, isWritten, inFile, other.warnings.length > 0]).toEqual([
        status,
        isExpected,
        isExpected,
        isExpected,
      ]);
      await other.close();
    }
    expect(PAGE).toContain(`with ${withFile.slice(0, -1).join(", ")} or ${withFile.at(-1)} |`);
  });
});

it("keeps the mark of a new record until it is removed", async () => {
  const record = await world.open();
  const { revision } = await record.read();
  record.setNew!(true);
  await record.write([], revision);
  const other = await world.open();
  await write(other, "1");
  expect(other.isNew).toBe(true);
  const { entries, revision: later } = await other.read();
  other.setNew!(false);
  await other.write(entries, later);
  await record.read();
  expect(record.isNew).toBe(false);
});

describe("a record in a file", () => {
  const path = () => join(world.folder, RECORD_FILE);
  beforeEach(async () => {
    behavior = async (request, pass) => (isCreation(request) ? refusal(400, "VALIDATION_FAILED") : pass(request));
    await write(await world.open(), "1");
  });

  it("keeps the records of other targets", async () => {
    const file = JSON.parse(readFileSync(path(), "utf8")) as { targets: Record<string, unknown> };
    file.targets["https://forms.example.com"] = [entry("other")];
    writeFileSync(path(), JSON.stringify(file));
    await write(await world.open(), "1", "2");
    const { targets } = JSON.parse(readFileSync(path(), "utf8")) as { targets: Record<string, { name: string }[]> };
    expect(Object.entries(targets).map(([key, entries]) => [key, entries.map(({ name }) => name)])).toEqual([
      ["http://localhost", ["1", "2"]],
      ["https://forms.example.com", ["other"]],
    ]);
  });

  it.each([
    ['{"version": 2, "targets": {}}', `${RECORD_FILE}:1:13: version must be 1`],
    ['{"version": 1, "targets": {"http://localhost": [{"name": 1}]}}', `${RECORD_FILE}:1:`],
    ['{\n  "version": 1,\n<<<<<<< HEAD\n', `${RECORD_FILE}:`],
  ])("is refused with its position if it is damaged: %s", async (text, message) => {
    writeFileSync(path(), text);
    await expect((await world.open()).read()).rejects.toMatchObject({
      code: "INVALID_FILE",
      message: expect.stringContaining(message) as unknown,
    });
  });

  it("is refused if it is a link", async () => {
    const record = await world.open();
    await record.read();
    const target = join(world.folder, "..", "elsewhere.json");
    writeFileSync(target, readFileSync(path()));
    rmSync(path());
    symlinkSync(target, path());
    await expect(record.read()).rejects.toMatchObject({ code: "FILE_UNFIT" });
  });

  it("is refused if a layout contains a record too", async () => {
    const file = readFileSync(path());
    writeFileSync(path(), '{"version": 1, "targets": {}}');
    behavior = regular;
    await write(await world.open(), "2");
    writeFileSync(path(), file);
    await expect((await world.open()).read()).rejects.toMatchObject({ code: "MIGRATION_RECORD_AMBIGUOUS" });
  });
});

describe("the layout of the record", () => {
  it("has a valid draft, and is neither published nor assigned", async () => {
    await write(await world.open(), "1");
    const [layout] = await recordLayouts();
    expect(layout).toMatchObject({ surface: "ORGANIZATION", status: "DRAFT", currentVersionId: null, assignments: [] });
    expect(layout?.latestDraftVersion?.validation).toMatchObject({ state: "valid", warnings: [] });
  });

  it("is created again after it was archived only by renew, even if the server returns its stored creation", async () => {
    await write(await world.open(), "1");
    const layoutId = (await recordLayouts())[0]!.id;
    await behind.archiveLayout({ layoutId });
    let replays = 0;
    behavior = async (request, pass) => {
      if (!isCreation(request)) return pass(request);
      const { clientMutationId } = (await request.clone().json()) as { clientMutationId: string };
      if (clientMutationId !== "formctl-migrations-1") return pass(request);
      replays++;
      return Response.json({ data: { id: layoutId } }, { status: 201 });
    };
    const record = await world.open();
    await expect(record.read()).rejects.toMatchObject(LOST);
    await record.renew!();
    expect(await namesIn(record)).toEqual([]);
    await write(record, "2");
    expect({ replays, names: await namesIn(await world.open()) }).toEqual({ replays: 1, names: ["2"] });
  });

  it("is not created again without a memory if the server shows that it existed", async () => {
    await write(await world.open(), "1");
    const layoutId = (await recordLayouts())[0]!.id;
    await behind.archiveLayout({ layoutId });
    forgetRecord();
    behavior = async (request, pass) =>
      isCreation(request) ? Response.json({ data: { id: layoutId } }, { status: 201 }) : pass(request);
    await expect(write(await world.open(), "2")).rejects.toMatchObject(LOST);
    expect(await recordLayouts()).toEqual([]);
  });

  it.each([true, false])("is found under another name, with a memory: %s", async (remembers) => {
    await write(await world.open(), "1");
    const layoutId = (await recordLayouts())[0]!.id;
    await behind.updateLayout({ layoutId, body: { name: "Other" } });
    if (!remembers) forgetRecord();
    await expect((await world.open()).read()).rejects.toMatchObject({
      ...LOST,
      hint: expect.stringContaining(`formctl layouts update ${layoutId} --name 'formctl migrations'`) as unknown,
    });
    await behind.updateLayout({ layoutId, body: { name: MIGRATION_RECORD.name } });
    expect(await namesIn(await world.open())).toEqual(["1"]);
  });

  it.each([
    [1, NEW],
    [120, LOST],
  ])("is seen as emptied in a new checkout if its draft is %i seconds younger than its layout", async (age, state) => {
    await write(await world.open(), "1");
    const [{ id: layoutId, createdAt } = { id: "" }] = await recordLayouts();
    const body = { schemaVersion: 1 as const, regions: [], blocks: [], clientMutationId: "emptied" };
    await behind.saveDraft({
      layoutId,
      body: { ...body, stagedFieldDefinitions: [], scriptBindings: [], metadata: null },
    });
    forgetRecord();
    behavior = async (request, pass) => {
      const answer = await pass(request);
      if (!new URL(request.url).pathname.endsWith("/versions")) return answer;
      const { data } = (await answer.json()) as { data: object[] };
      const later = new Date(Date.parse(createdAt!) + age * 1000).toISOString();
      return Response.json({ data: data.map((version) => ({ ...version, createdAt: later })) });
    };
    expect(await (await world.open()).read().catch((error: unknown) => error)).toMatchObject(state);
  });

  it("is not replaced by another layout while the former one contains a record", async () => {
    await write(await world.open(), "1");
    const layoutId = (await recordLayouts())[0]!.id;
    await behind.updateLayout({ layoutId, body: { name: "Other" } });
    await forgeRecord(behind, "[]");
    const record = await world.open();
    await expect(record.read()).rejects.toMatchObject(LOST);
    await record.renew!();
    expect(await namesIn(record)).toEqual([]);
  });

  it("is another one with the token of another organization", async () => {
    await write(await world.open(), "1");
    writeFileSync(memoryFile(), "lay_of_another_organization\n");
    const opened = await world.open();
    expect(await namesIn(opened)).toEqual(["1"]);
    await opened.remember?.();
    expect(readFileSync(memoryFile(), "utf8")).toBe(`${(await recordLayouts())[0]!.id}\n`);
  });

  it.each([
    ["lay_forged\n", LOST],
    ["../../escape", NEW],
    ["\u001B[2J", NEW],
    ["x".repeat(100_000), NEW],
  ])("is not written because of a forged memory: %j", async (text, state) => {
    await write(await world.open(), "1");
    writeFileSync(memoryFile(), text);
    await behind.archiveLayout({ layoutId: (await recordLayouts())[0]!.id });
    expect(await (await world.open()).read().catch((error: unknown) => error)).toMatchObject(state);
    expect(await recordLayouts()).toEqual([]);
  });

  it("is the oldest one if several are empty", async () => {
    const body = { ...MIGRATION_RECORD, supportedModes: ["VIEW" as const], target: {} };
    const { id: layoutId } = await behind.createLayout({ body: { ...body, clientMutationId: "one" } });
    await behind.createLayout({ body: { ...body, clientMutationId: "two" } });
    behavior = async (request, pass) => {
      const answer = await pass(request);
      if (!isList(request) || !answer.ok) return answer;
      const list = (await answer.json()) as { data: { id: string }[] };
      return Response.json({ ...list, data: list.data.toSorted((a, b) => (a.id < b.id ? 1 : -1)) });
    };
    const ids = (await recordLayouts()).map(({ id }) => id).toSorted();
    const records = await Promise.all([world.open(), world.open()]);
    const outcomes = await Promise.allSettled(records.map((record) => write(record, "1")));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    // The clock of the test has not advanced. The layouts have equal times, so the lowest id decides, in whatever order
    // the server lists them.
    expect(records.find((_, index) => outcomes[index]!.status === "fulfilled")?.where).toContain(ids[0]);
    expect(ids).toContain(layoutId);
    expect(await namesIn(await world.open())).toEqual(["1"]);
  });

  it("has one record after a race on a server that creates a layout for each process", async () => {
    let created = 0;
    behavior = async (request, pass) =>
      pass(
        isCreation(request)
          ? await withBody(request, (body) => ({ ...body, clientMutationId: `own-${++created}` }))
          : request,
      );
    let winners = 0;
    for (let round = 0; round < 5; round++) {
      const records = await Promise.all(Array.from({ length: 4 }, () => world.open()));
      const outcomes = await Promise.allSettled(records.map((record) => record.write([entry("1")], null)));
      const fulfilled = outcomes.filter(({ status }) => status === "fulfilled").length;
      expect(fulfilled).toBeLessThanOrEqual(1);
      winners += fulfilled;
      const withRecord = await world.open();
      expect(await namesIn(withRecord)).toHaveLength(fulfilled);
      for (const { id: layoutId } of await recordLayouts()) await behind.archiveLayout({ layoutId });
    }
    expect(created).toBeGreaterThan(5);
    expect(winners).toBeGreaterThan(0);
  });

  it("keeps a record that another process has written while the server shows no draft", async () => {
    let isHidden = true;
    let hidden = 0;
    behavior = async (request, pass) => {
      if (isDraft(request)) isHidden = false;
      const answer = await pass(request);
      if (!isHidden || request.method !== "GET" || !answer.ok) return answer;
      hidden++;
      const isVersions = new URL(request.url).pathname.endsWith("/versions");
      const { data } = (await answer.json()) as { data: object[] };
      return Response.json({
        data: isVersions ? [] : data.map((layout) => ({ ...layout, latestDraftVersionId: null })),
      });
    };
    await write(await world.open(), "1");
    expect(hidden).toBeGreaterThan(0);
    forgetRecord();
    isHidden = true;
    await expect((await world.open()).write([entry("2")], null)).rejects.toMatchObject({ code: "MIGRATIONS_CHANGED" });
    expect(isHidden).toBe(false);
    expect(await namesIn(await world.open())).toEqual(["1"]);
  });

  it("is refused if several contain a record", async () => {
    await write(await world.open(), "1");
    const { id, latestDraftVersionId } = (await recordLayouts())[0]!;
    const content = await shownContent(behind, id, { id: latestDraftVersionId! });
    const { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata } = content;
    const copy = { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata };
    const body = { ...MIGRATION_RECORD, clientMutationId: "copy", supportedModes: ["VIEW" as const], target: {} };
    const { id: layoutId } = await behind.createLayout({ body });
    await behind.saveDraft({ layoutId, body: { ...copy, clientMutationId: "copied" } });
    await expect((await world.open()).read()).rejects.toMatchObject({
      code: "MIGRATION_RECORD_AMBIGUOUS",
      message: expect.stringContaining(layoutId) as unknown,
    });
    await behind.archiveLayout({ layoutId });
    expect(await namesIn(await world.open())).toEqual(["1"]);
  });

  it.each([
    ["another content", (section: JsonBlock) => ({ ...section, config: { label: "Mine" } })],
    ["a changed part", (section: JsonBlock) => ({ ...section, children: section.children.toReversed().slice(1) })],
    ["another format", (section: JsonBlock) => ({ ...section, config: { ...section.config, format: 2 } })],
  ])("is reported as damaged if a user saved %s, and is not overwritten", async (_what, change) => {
    const record = await world.open();
    const revision = await write(record, "1");
    const layoutId = (await recordLayouts())[0]!.id;
    const draft = await behind.getVersion({ layoutId, versionId: revision });
    const { schemaVersion, regions, stagedFieldDefinitions, scriptBindings, metadata } = draft;
    const blocks = [change(draft.blocks[0] as JsonBlock)];
    const body = { schemaVersion, regions, blocks, stagedFieldDefinitions, scriptBindings, metadata };
    await behind.saveDraft({ layoutId, body: { ...body, clientMutationId: "edited" } as never });
    await expect((await world.open()).read()).rejects.toMatchObject({ code: "MIGRATION_RECORD_DAMAGED" });
    await expect(record.write([entry("2")], revision)).rejects.toMatchObject({ code: "MIGRATIONS_CHANGED" });
  });
});

describe("a layout that a user has published", () => {
  it("is refused, and works again after its draft was restored", async () => {
    const revision = await write(await world.open(), "1");
    const layoutId = (await recordLayouts())[0]!.id;
    await behind.publishLayout({ layoutId, body: { clientMutationId: "publish", draftVersionId: revision } });
    const damaged = { code: "MIGRATION_RECORD_DAMAGED", hint: expect.stringContaining("versions restore") as unknown };
    await expect((await world.open()).read()).rejects.toMatchObject(damaged);
    await expect((await world.open()).write([entry("2")], null)).rejects.toMatchObject(damaged);
    await behind.restoreDraft({ layoutId, versionId: revision, body: { clientMutationId: "restore" } });
    const record = await world.open();
    await write(record, ...(await namesIn(record)), "2");
    expect(await namesIn(await world.open())).toEqual(["1", "2"]);
  });
});

type JsonBlock = { config: object; children: object[] };

describe("a write whose answer is lost", () => {
  /** Loses each save of a draft, or only its answer. */
  function lose(what: "answer" | "request"): Behavior {
    return async (request, pass) => {
      if (!isDraft(request)) return pass(request);
      if (what === "answer") await pass(request);
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
    };
  }

  it("is found on the server", async () => {
    const record = await world.open();
    await write(record, "1");
    behavior = lose("answer");
    const revision = await write(record, "1", "2");
    behavior = regular;
    expect(await (await world.open()).read()).toMatchObject({ revision, entries: [{ name: "1" }, { name: "2" }] });
    await write(record, "3");
  });

  it("is found on a server that refuses the repeated request", async () => {
    const record = await world.open();
    await write(record, "1");
    let sent = 0;
    behavior = async (request, pass) => {
      if (!isDraft(request)) return pass(request);
      const answer = await pass(
        await withBody(request, (body) => ({ ...body, clientMutationId: `attempt-${++sent}` })),
      );
      if (sent > 1) return answer;
      throw Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNRESET" } });
    };
    await write(record, "1", "2");
    expect({ sent, names: await namesIn(await world.open()) }).toEqual({ sent: 2, names: ["1", "2"] });
  });

  it("fails, and is not recorded, if the request is lost", async () => {
    const record = await world.open();
    await write(record, "1");
    behavior = lose("request");
    await expect(write(record, "1", "2")).rejects.toMatchObject({ code: "OUTCOME_UNKNOWN" });
    behavior = regular;
    expect(await namesIn(await world.open())).toEqual(["1"]);
  });
});
