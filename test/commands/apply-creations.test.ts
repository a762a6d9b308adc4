/**
 * Tests what apply creates on a server with one of these faults, over a socket:
 * - It shows records late.
 * - It recognizes no repeated write.
 * - It creates records twice.
 * - It limits the rate.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import type { Reply } from "../client/table-server.ts";
import { changesRecords, manners, showsRecordsLate } from "../proxy/manners.ts";
import { type Asked, insertProxy, joined, type Manner, type Proxy, type ProxyOptions } from "../proxy/proxy.ts";
import type { Cli } from "./cli.ts";
import { behindNorthwind, openManifestsScene } from "./manifests-scene.ts";

const FORM = `kind: Form
object: staffing/candidate
name: Alpha
types: [VIEW]
`;
const CARD = `kind: Layout
surface: CONTRACTOR
name: Card
supportedModes: [VIEW]
`;
const CONTENT = `layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: grid, columns: 12}]
  blocks:
    - {id: c1, type: comments, source: system, regionKey: main, config: {label: Comments}}
`;

async function openScene({ manners: more = [], ...own }: ProxyOptions): Promise<{ cli: Cli; server: Proxy }> {
  const { cli } = await openManifestsScene("a server");
  // The program compares the creation time of a record with the `date` header of the answer, which has the real time.
  // So the records need the real time too.
  cli.clock.now = new Date();
  const server = await insertProxy(cli, { ...own, manners: more });
  return { cli, server };
}

/** Opens a server that recognizes no repeated write. */
const openForgetful = (own: Manner) => openScene({ ...own, manners: [manners["recognizes no repeated write"]()] });

async function apply(cli: Cli, what = "all.yaml", ...flags: string[]): Promise<Applied> {
  const outcome = await cli.run("apply", what, "--yes", "-o", "json", ...flags);
  if (outcome.stdout === "") throw new Error(outcome.stderr);
  const applied = outcome.json() as Applied;
  expect(applied.exitCode).toBe(outcome.code);
  return applied;
}

/** The journal of the last run. */
function record(cli: Cli): string {
  const folder = join(cli.cwd, ".formctl", "runs");
  const last = readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .at(-1)!;
  return readFileSync(join(folder, last), "utf8");
}

function names(cli: Cli): Promise<string[]> {
  return behindNorthwind(cli, async (service) => {
    const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: { limit: 100 } });
    const layouts = await service.listLayouts({ query: { surface: "CONTRACTOR" } });
    return [...data, ...layouts].map(({ name }) => name).sort();
  });
}

const isCreation = ({ method, path }: Asked) => method === "POST" && /\/(forms|view-layouts)$/.test(path);

const createsTwice: Manner = {
  async request(asked, pass) {
    if (isCreation(asked)) await pass(asked);
    return undefined;
  },
};

it("creates one of each where the server shows records late and a later step uses them", async () => {
  const { cli, server } = await openForgetful(showsRecordsLate(8));
  cli.file("all.yaml", `${FORM}${CONTENT}---\n${CARD}${CONTENT}`);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, summary: { resources: { created: 2 } } });
  expect(server.received.filter(isCreation)).toHaveLength(2);
  expect(await names(cli)).toEqual(["Alpha", "Card"]);
});

it("reports a creation as unknown where no later step uses the record, and finds it the next time", async () => {
  const { cli, server } = await openForgetful(showsRecordsLate(4));
  cli.file("all.yaml", FORM);
  const { exitCode, resources } = await apply(cli);
  expect(exitCode).toBe(7);
  expect(resources[0]!.steps).toMatchObject([{ operation: "createForm", status: "unknown" }]);
  expect(server.received.filter(isCreation)).toHaveLength(1);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(await names(cli)).toEqual(["Alpha"]);
});

it("creates one layout where the server shows neither layouts nor empty lists of versions", async () => {
  const { cli } = await openForgetful(
    joined(manners["shows no layouts"](), manners["404 for the versions of a new layout without a saved draft"]()),
  );
  cli.file("all.yaml", `${CARD}${CONTENT}`);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(await names(cli)).toEqual(["Card"]);
});

it.each([
  ["form", FORM, "formctl forms delete staffing/candidate/ID"],
  ["layout", CARD, "formctl layouts archive ID"],
])("reports a %s that exists twice: 9, with both ids and the next step, also the next time", async (_, text, way) => {
  const { cli, server } = await openForgetful(createsTwice);
  cli.file("all.yaml", `${text}${CONTENT}`);
  expect((await cli.run("plan", "all.yaml", "--out", "plan.json", "-q")).code).toBe(0);
  const { exitCode, outcome, summary, resources } = await apply(cli, "plan.json");
  expect([exitCode, outcome, summary.resources.unfinished]).toEqual([9, "partial", 1]);
  const { steps, conflict } = resources[0]!;
  const [creation, ...rest] = steps;
  expect(creation).toMatchObject({ status: "done", ids: { layoutId: expect.any(String) as string } });
  expect(conflict).toMatchObject({ code: "AMBIGUOUS_NAME", exitCode: 6, location: { file: "all.yaml", line: 1 } });
  expect(conflict!.hint).toContain(way);
  const ids = await behindNorthwind(cli, async (service) => [
    ...(await service.listForms({ moduleKey: "staffing", objectKey: "candidate" })).data.map(({ id }) => id),
    ...(await service.listLayouts({ query: { surface: "CONTRACTOR" } })).map(({ id }) => id),
  ]);
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(conflict!.message).toContain(id);
  expect(ids).toContain(creation!.ids["formId"] ?? creation!.ids["layoutId"]);
  expect(rest.map(({ status }) => status)).toEqual(["skipped", "skipped"]);
  expect(record(cli)).not.toContain('"failed"');
  for (const what of ["plan.json", "all.yaml"]) {
    const refused = (await cli.run("apply", what, "--yes", "-o", "json")).error();
    expect(refused).toMatchObject({ code: "AMBIGUOUS_NAME", exitCode: 6, location: { file: "all.yaml" } });
    for (const id of ids) expect(refused.message).toContain(id);
  }
  expect(server.received.filter(({ method }) => method === "PUT")).toEqual([]);
});

it("creates a form whose key was used for one that was renamed since, on a server without filters", async () => {
  const { cli } = await openScene({ manners: [manners["refuses filters"]()] });
  cli.file("all.yaml", FORM);
  await apply(cli);
  await behindNorthwind(cli, async (service) => {
    const object = { moduleKey: "staffing", objectKey: "candidate" };
    const [made] = (await service.listForms(object)).data;
    await service.updateForm({ ...object, formId: made!.id, body: { name: "Beta" } });
  });
  // Simulates another machine: its lock file doesn't contain the created form.
  cli.file(".formctl/lock.json", JSON.stringify({ version: 1, targets: {} }));
  cli.file("all.yaml", FORM.replace("[VIEW]", "[VIEW, EDIT]"));
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await names(cli)).toEqual(["Alpha", "Beta"]);
});

it("counts a publication as done that was accepted with 204 and can't be read, and sends it once", async () => {
  const { cli, server } = await openScene({
    answer: ({ status }, { path }) => (path.endsWith("/publish") && status < 300 ? { status: 204 } : undefined),
    manners: [
      changesRecords(
        ({ id }) => ({ id }),
        ({ method, path }) => method === "GET" && /\/versions(\/|$)/.test(path),
      ),
    ],
  });
  cli.file("all.yaml", `${FORM}defaultFor: [VIEW]\n${CONTENT}`);
  const { exitCode, resources } = await apply(cli);
  expect(exitCode).toBe(0);
  expect(resources[0]!.steps).toMatchObject([
    { operation: "createForm", status: "done" },
    { operation: "saveDraft", status: "done" },
    { operation: "publishLayout", status: "done", unconfirmed: expect.stringContaining("accepted (204)") },
    { operation: "updateFormDefaults", status: "done" },
  ]);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(server.received.filter(({ path }) => path.endsWith("/publish"))).toHaveLength(1);
});

const slowDown = (seconds?: number): Reply => ({
  status: 429,
  ...(seconds !== undefined && { headers: { "retry-after": String(seconds) } }),
  body: { error: { code: "RATE_LIMITED", message: "slow down" } },
});

/** A server that accepts at most `most` writes per second. The clock of the scene advances while the program waits. */
function takingASecond(cli: () => Cli, most: number, reply: Reply): Manner {
  let second = 0;
  let taken = 0;
  return {
    request({ method }) {
      if (method === "GET") return undefined;
      const now = Math.floor(cli().clock.now.getTime() / 1000);
      if (now !== second) [second, taken] = [now, 0];
      return ++taken > most ? reply : undefined;
    },
  };
}

it.each([
  ["and states how long to wait", 60, slowDown(1), /waiting until \d{4}-\S+Z, as the server asks/],
  ["and states no wait", 20, slowDown(), /waiting until \d{4}-\S+Z, because the server accepts no more requests now/],
])("applies everything in one run on a server that accepts ten writes a second %s", async (_, count, reply, told) => {
  const scene: { cli?: Cli } = {};
  const { cli } = await openScene(takingASecond(() => scene.cli!, 10, reply));
  scene.cli = cli;
  cli.sleep = async (milliseconds) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    cli.clock.now = new Date(cli.clock.now.getTime() + milliseconds);
  };
  const forms = Array.from({ length: count }, (_form, index) => FORM.replace("Alpha", `F${index}`) + CONTENT);
  cli.file("all.yaml", [...forms, CARD + CONTENT].join("---\n"));
  const outcome = await cli.run("apply", "all.yaml", "--yes", "-o", "json");
  expect(outcome.json()).toMatchObject({
    exitCode: 0,
    outcome: "applied",
    summary: { resources: { created: count + 1 } },
  });
  expect(outcome.stderr).toMatch(told);
  expect(await names(cli)).toHaveLength(count + 1);
});

it.each([
  ["with a time", slowDown(1)],
  ["without one", slowDown()],
])("reads the records before it repeats a creation after a 429 %s, and creates no second one", async (_, reply) => {
  const { cli } = await openForgetful({
    answer(_reply, request) {
      if (!isCreation(request) || refused.has(request.path)) return undefined;
      refused.add(request.path);
      return reply;
    },
  });
  const refused = new Set<string>();
  cli.file("all.yaml", `${FORM}${CONTENT}---\n${CARD}${CONTENT}`);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await names(cli)).toEqual(["Alpha", "Card"]);
});

it("gives up after a minute of waits that the server did not request: 7, and nothing was done", async () => {
  const { cli, server } = await openScene({ request: ({ method }) => (method === "GET" ? undefined : slowDown()) });
  const waits: number[] = [];
  cli.sleep = async (milliseconds) => void waits.push(milliseconds);
  cli.file("all.yaml", FORM);
  const { exitCode, outcome, resources } = await apply(cli);
  expect([exitCode, outcome, resources[0]!.steps[0]!.status]).toEqual([7, "failed", "failed"]);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(57_000);
  expect(server.received.filter(isCreation)).toHaveLength(14);
});

it("does not wait for an hour: 7 with the time, and sends no further request", async () => {
  const { cli, server } = await openScene({ request: ({ method }) => (method === "GET" ? undefined : slowDown(3600)) });
  const forms = Array.from({ length: 10 }, (_, index) => FORM.replace("Alpha", `F${index}`));
  cli.file("all.yaml", forms.join("---\n"));
  const { exitCode, resources } = await apply(cli, "all.yaml", "--concurrency", "1");
  expect(exitCode).toBe(7);
  const until = new Date(cli.clock.now.getTime() + 3_600_000).toISOString().slice(0, 15);
  for (const { steps } of resources)
    expect(steps[0]).toMatchObject({ status: "failed", error: { hint: expect.stringContaining(until) } });
  expect(server.received.filter(isCreation)).toHaveLength(1);
});

it("counts a form that exists twice as not finished", async () => {
  const { cli } = await openForgetful(createsTwice);
  cli.file("all.yaml", FORM);
  const { code, stdout, stderr } = await cli.run("apply", "all.yaml", "--yes");
  expect(code).toBe(9);
  expect(stdout).toMatch(/^Partly applied to \S+: 1 not finished\.\n$/);
  expect(stderr).toMatch(
    /In staffing\/candidate\/Alpha: created, but it exists more than once\nerror: .* exists 2 times/,
  );
  expect(stderr).not.toContain("createForm failed");
  expect(record(cli)).toContain('"outcome":"partial"');
});
