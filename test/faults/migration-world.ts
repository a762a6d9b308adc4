/**
 * Projects with three migrations. They run on a copy of the demo store, directly or through a server. All interrupted
 * and concurrent runs must reach the state of an undisturbed run.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLocal } from "../../src/composition/local-store.ts";
import type { LocalService } from "../../src/local-service.ts";
import { MIGRATION_RECORD } from "../../src/lists/layouts.ts";
import type { MigrationEntry, MigrationRecord } from "../../src/migrations/record.ts";
import { openRecord } from "../../src/migrations/open-record.ts";
import { serverTarget, storeTarget } from "../../src/state/target.ts";
import { serviceHandler } from "../../src/composition/serve.ts";
import { listen } from "../../src/server/listen.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";
import { environment, FORMCTL, formctl, makeDemo } from "./loop.ts";

export type Place = "store" | "server";

export type World = {
  place: Place;
  folder: string;
  store: string;
  /** The options that select the target, and the environment of a process. */
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  token: string;
  url: string | undefined;
  local: LocalService;
  close(): Promise<void>;
};

const ORGANIZATION = "northwind";

const OBJECT = `const object = { moduleKey: "staffing", objectKey: "candidate" };`;
/**
 * Each step changes something. After a write without an answer, the client reads the current state. The client would
 * count a write without changes as done.
 */
const SCRIPT = `import { defineMigration } from "formctl";
${OBJECT}
const block = (fieldKey, displayOrder) => ({
  id: "f_" + fieldKey, type: "field", source: "dynamic_field", ref: { fieldKey }, regionKey: "main", displayOrder,
  config: { label: fieldKey }, requiredPolicy: "optional",
});
const content = {
  schemaVersion: 1,
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} }],
  blocks: [block("full_name", 0), block("email", 1)], stagedFieldDefinitions: [], scriptBindings: [], metadata: null,
};
export default defineMigration({
  async run(service, step) {
    const form = await step("create the form", () =>
      service.createForm({ ...object, body: { name: "Screening", types: ["VIEW"] } }));
    const layoutId = form.viewLayoutId;
    await step("name the form", () =>
      service.updateForm({ ...object, formId: form.id, body: { name: "Screening call" } }));
    const draft = await step("save its draft", () => service.saveDraft({ layoutId, body: content }));
    await step("publish its draft", () =>
      service.publishLayout({ layoutId, body: { draftVersionId: draft.draftVersionId } }));
    const card = await step("create the card", () => service.createLayout({ body: {
      surface: "CONTRACTOR", name: "Screening card", supportedModes: ["VIEW"], target: {},
    } }));
    await step("assign the card", () => service.replaceAssignments({ layoutId: card.id,
      body: { organizationDefault: false, roles: [{ roleId: "rol_recruiter", priority: 3 }] } }));
  },
  async down(service, step, answers) {
    await step("archive the card", () => service.archiveLayout({ layoutId: answers["create the card"].id }));
    await step("delete the form", () => service.deleteForm({ ...object, formId: answers["create the form"].id }));
  },
});
`;
/** The transform adds a mark to each label. Applied twice, it would add two marks. */
const TRANSFORM = `import { defineMigration } from "formctl";
const mark = (block) => ({
  ...block,
  ...(block.type === "field" && { config: { ...block.config, label: block.config?.label + "!" } }),
  ...(block.children && { children: block.children.map(mark) }),
});
export default defineMigration({
  match: { objects: ["staffing/candidate"] },
  layout: (content) => ({ ...content, blocks: content.blocks.map(mark) }),
});
`;
const LATER = `import { defineMigration } from "formctl";
${OBJECT}
export default defineMigration({
  async run(service, step) {
    for (const name of ["A", "B", "C"]) {
      await step("create " + name, () => service.createForm({ ...object, body: { name, types: ["EDIT"] } }));
    }
  },
});
`;
export const NAMES = ["1-screening", "2-marks", "3-later"];

/** Creates the project that worlds are copied from. @returns the token of its organization */
function makeTemplate(folder: string): string {
  mkdirSync(join(folder, "migrations"), { recursive: true });
  for (const [index, text] of [SCRIPT, TRANSFORM, LATER].entries())
    writeFileSync(join(folder, "migrations", `${NAMES[index]!}.ts`), text);
  const store = join(folder, "store.db");
  makeDemo(folder, store);
  const words = ["local", "tokens", "create", "--name", "migrations", "--permission", "all", "--store", store];
  return (JSON.parse(formctl(folder, [...words, "--json"])) as { token: string }).token;
}

/** Copies the template into a new folder, and opens it. The caller removes the folder. */
async function openWorld(place: Place, template: string, token: string, folder: string): Promise<World> {
  cpSync(template, folder, { recursive: true });
  const store = join(folder, "store.db");
  const local = openLocal(store, () => new Date(), { serves: place === "server" });
  const common = { place, folder, store, token, local };
  if (place === "store") {
    const words = ["--store", store];
    return { ...common, words, env: environment(folder), url: undefined, close: () => local.close() };
  }
  const handler = serviceHandler(local, { host: "127.0.0.1", version: "test" });
  const server = await listen({ host: "127.0.0.1", port: 0, handler });
  return {
    ...common,
    words: [],
    env: { ...environment(folder), FORMCTL_BASE_URL: server.url, FORMCTL_TOKEN: token },
    url: server.url,
    async close() {
      await server.stop();
      await local.close();
    },
  };
}

async function openRecordOf({ place, folder, store, local }: World): Promise<MigrationRecord> {
  const service = await local.service(ORGANIZATION);
  // The record of a server is read without HTTP, because the result is the same.
  const target =
    place === "store"
      ? storeTarget({ local, store, organization: ORGANIZATION })
      : serverTarget({ baseUrl: "http://127.0.0.1:1", service });
  const host = { processes: async () => systemProcesses(), sleep: async () => undefined };
  const options = { target, root: folder, folder: join(folder, "migrations"), host, onWarning: () => undefined };
  return openRecord(options);
}

export async function readEntries(world: World): Promise<readonly MigrationEntry[]> {
  return (await (await openRecordOf(world)).read()).entries;
}

/** Removes all entries from the record, for controls: without entries, the next run carries everything out again. */
export async function forgetEntries(world: World): Promise<void> {
  const record = await openRecordOf(world);
  const { entries, revision } = await record.read();
  if (entries.length > 0) await record.write([], revision);
}

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

/** When a process is killed: `delay` milliseconds after its start, or after the start of its work. */
export type Moment = { after: "start" | "work"; delay: number };

/** Runs the migrations in a process. @returns the end of the process, and its working time in milliseconds */
export async function migrate({ folder, words, env }: World, kill?: Moment): Promise<Ended & { worked: number }> {
  const child = spawn(process.execPath, [FORMCTL, "migrate", "run", "--yes", "-o", "json", ...words], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let began: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const reached = (moment: Moment["after"]) => {
    if (kill?.after === moment) timer = setTimeout(() => child.kill("SIGKILL"), kill.delay);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (began !== undefined || !stderr.includes("Migration 1 of")) return;
    began = Date.now();
    reached("work");
  });
  reached("start");
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  clearTimeout(timer);
  return { code, signal, stdout, stderr, worked: began === undefined ? 0 : Date.now() - began };
}

/** The state after an undisturbed run, and how long the run worked, in milliseconds. */
export type Undisturbed = { picture: Picture; worked: number };

export type Worlds = {
  /** Calls `work` with a new project and removes it. */
  inWorld: <T>(place: Place, work: (world: World) => Promise<T>) => Promise<T>;
  undisturbed: (place: Place) => Promise<Undisturbed>;
};

/** Creates projects in a folder. */
export function makeWorlds(folder: string): Worlds {
  const template = join(folder, "template");
  const token = makeTemplate(template);
  const undisturbed = new Map<Place, Promise<Undisturbed>>();
  let worlds = 0;
  const inWorld: Worlds["inWorld"] = async (place, work) => {
    const path = join(folder, `world-${++worlds}`);
    const world = await openWorld(place, template, token, path);
    try {
      return await work(world);
    } finally {
      await world.close();
      rmSync(path, { recursive: true, force: true });
    }
  };
  return {
    inWorld,
    undisturbed(place) {
      const known = undisturbed.get(place) ?? inWorld(place, runUndisturbed);
      undisturbed.set(place, known);
      return known;
    },
  };
}

async function runUndisturbed(world: World): Promise<Undisturbed> {
  const { code, stderr, stdout, worked } = await migrate(world);
  if (code !== 0) throw new Error(`a run that is not disturbed fails: ${stderr}${stdout}`);
  return { picture: await pictureOf(world), worked };
}

/** The results of the migrations, without ids and times, so that two runs can be compared. */
export type Picture = { forms: string[]; layouts: string[]; effects: Record<string, number>; record: string[] };

export async function pictureOf(world: World): Promise<Picture> {
  const service = await world.local.service(ORGANIZATION);
  const forms = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: { limit: 100 } });
  const all = await service.listLayouts({});
  const record = all.find(({ name }) => name === MIGRATION_RECORD.name)?.id;
  const layouts = all
    .filter(({ id }) => id !== record)
    .map(async ({ id, name, surface, assignments }) => {
      const versions = await service.listVersions({ layoutId: id });
      const contents = versions.map(({ status, regions, blocks }) => ({ status, regions, blocks }));
      return JSON.stringify({ name, surface, assignments: assignments.length, contents });
    });
  const log = await world.local.log({ limit: 1_000 });
  // The writes of the record itself are not counted. Most of them have the id of the record's layout in their path. The
  // creation of this layout is the first creation of a layout.
  const effects = log.filter(({ target }) => record === undefined || !target.includes(record));
  const created = effects.findIndex(({ operation }) => record !== undefined && operation === "createLayout");
  if (created !== -1) effects.splice(created, 1);
  const entries = await readEntries(world);
  return {
    forms: forms.data.map(({ name, types, isActive }) => JSON.stringify({ name, types, isActive })).toSorted(),
    layouts: (await Promise.all(layouts)).toSorted(),
    effects: Object.fromEntries(
      [...Map.groupBy(effects, ({ operation }) => operation)].map(([name, of]) => [name, of.length] as const),
    ),
    record: entries.map(({ name, state, steps, replaced, heldUntil }) =>
      JSON.stringify({
        name,
        state,
        steps: steps.map((step) => step.name),
        replaced: replaced.map(({ address }) => address).toSorted(),
        isHeld: heldUntil !== undefined,
      }),
    ),
  };
}

/** The differences between two pictures, one line each. */
export function differences(found: Picture, expected: Picture): string[] {
  const lines: string[] = [];
  for (const key of ["forms", "layouts", "record"] as const) {
    for (const line of found[key])
      if (!expected[key].includes(line)) lines.push(`${key}: unexpected ${line.slice(0, 300)}`);
    for (const line of expected[key])
      if (!found[key].includes(line)) lines.push(`${key}: missing ${line.slice(0, 300)}`);
    if (found[key].length !== expected[key].length)
      lines.push(`${key}: ${found[key].length} of ${expected[key].length}`);
  }
  for (const operation of new Set([...Object.keys(found.effects), ...Object.keys(expected.effects)])) {
    const [times = 0, wanted = 0] = [found.effects[operation], expected.effects[operation]];
    if (times !== wanted) lines.push(`effects: ${operation} ${times} times instead of ${wanted}`);
  }
  return lines;
}

/** Describes each recorded answer with the id of a form that does not exist. */
export async function lostAnswers(world: World): Promise<string[]> {
  const service = await world.local.service(ORGANIZATION);
  const forms = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: { limit: 100 } });
  const ids = new Set(forms.data.map(({ id }) => id));
  const entries = await readEntries(world);
  return entries.flatMap(({ name, steps }) =>
    steps.flatMap(({ name: step, answer }) => {
      const id = (answer as { id?: string } | null)?.id;
      return id?.startsWith("frm_") && !ids.has(id) ? [`${name}, ${step}: the form ${id} does not exist`] : [];
    }),
  );
}
