/**
 * Tests what apply creates on a server with one of these faults, over a socket:
 * - It shows records late.
 * - It recognizes no repeated write.
 * - It creates records twice.
 * - It limits the rate.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Applied } from "../../src/commands/manifests/apply-document.ts";
import { type Received, type Reply, startServer, type TableServer } from "../client/table-server.ts";
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

/** How a server handles a request. `pass` forwards the request to the real server, optionally with changes. */
type Manner = (request: Received, pass: (changed?: Partial<Received>) => Promise<Reply>) => Promise<Reply> | Reply;

async function openScene(manner: Manner): Promise<{ cli: Cli; server: TableServer }> {
  const { cli } = await openManifestsScene("a server");
  // The program compares the creation time of a record with the `date` header of the answer, which has the real time.
  // So the records need the real time too.
  cli.clock.now = new Date();
  const real = cli.env["FORMCTL_BASE_URL"]!;
  const server = await startServer((request) =>
    manner(request, async (changed) => {
      const { method, url, headers, body } = { ...request, ...changed };
      const { authorization = "", "idempotency-key": key } = headers;
      const known = typeof key === "string" ? { "idempotency-key": key } : {};
      const response = await fetch(`${real}${url}`, {
        method,
        headers: { authorization, "content-type": "application/json", ...known },
        ...(body !== "" && { body }),
      });
      const text = await response.text();
      const replayed = response.headers.get("idempotency-replayed");
      return {
        status: response.status,
        ...(replayed !== null && { headers: { "idempotency-replayed": replayed } }),
        ...(text !== "" && { body: text }),
      };
    }),
  );
  onTestFinished(() => server.close());
  cli.env["FORMCTL_BASE_URL"] = server.url;
  return { cli, server };
}

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

const isCreation = ({ method, url }: Received) => method === "POST" && /\/(forms|view-layouts)$/.test(url);

/** Replaces the ids of the request or removes them, so that the server does not recognize a repeated write. */
function unknown({ headers, body }: Received): Partial<Received> {
  const { "idempotency-key": _, ...rest } = headers;
  return {
    headers: rest,
    body: body.replace(/"clientMutationId":"[^"]+"/, `"clientMutationId":"${crypto.randomUUID()}"`),
  };
}

const notFound: Reply = { status: 404, body: { error: { code: "NOT_FOUND", message: "not found" } } };

/** A server that recognizes no repeated write. The first `reads` reads of a new record do not find it. */
function late(reads: number): Manner {
  const asked = new Map<string, number>();
  return async (request, pass) => {
    const { method, url } = request;
    const id = /\/(frm_\w+|lay_\w+)(\/versions)?$/.exec(url)?.[1];
    if (method === "GET" && id !== undefined) {
      asked.set(id, (asked.get(id) ?? 0) + 1);
      if (asked.get(id)! <= reads) return notFound;
    }
    return pass(unknown(request));
  };
}

it("creates one of each where the server shows records late and a later step uses them", async () => {
  const { cli, server } = await openScene(late(8));
  cli.file("all.yaml", `${FORM}${CONTENT}---\n${CARD}${CONTENT}`);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, summary: { resources: { created: 2 } } });
  expect(server.received.filter(isCreation)).toHaveLength(2);
  expect(await names(cli)).toEqual(["Alpha", "Card"]);
});

it("reports a creation as unknown where no later step uses the record, and finds it the next time", async () => {
  const { cli, server } = await openScene(late(4));
  cli.file("all.yaml", FORM);
  const { exitCode, resources } = await apply(cli);
  expect(exitCode).toBe(7);
  expect(resources[0]!.steps).toMatchObject([{ operation: "createForm", status: "unknown" }]);
  expect(server.received.filter(isCreation)).toHaveLength(1);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(await names(cli)).toEqual(["Alpha"]);
});

it("creates one layout where the server shows neither layouts nor empty lists of versions", async () => {
  const saved = new Set<string>();
  const { cli } = await openScene((request, pass) => {
    const [, id, more] = /^\/v1\/view-layouts(?:\/(lay_\w+))?(\/.*)?/.exec(request.url) ?? [];
    if (request.method === "PUT" && id !== undefined) saved.add(id);
    const isShown = !request.url.startsWith("/v1/view-layouts") || (more !== undefined && saved.has(id!));
    return request.method === "GET" && !isShown ? notFound : pass(unknown(request));
  });
  cli.file("all.yaml", `${CARD}${CONTENT}`);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "unchanged" });
  expect(await names(cli)).toEqual(["Card"]);
});

it.each([
  ["form", FORM, "formctl forms delete staffing/candidate/ID"],
  ["layout", CARD, "formctl layouts archive ID"],
])("reports a %s that exists twice: 9, with both ids and the next step, also the next time", async (_, text, way) => {
  const { cli, server } = await openScene(async (request, pass) => {
    if (isCreation(request)) await pass(unknown(request));
    return pass(unknown(request));
  });
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
  const { cli } = await openScene((request, pass) =>
    request.url.includes("filters=")
      ? { status: 400, body: { error: { code: "VALIDATION_FAILED", message: "filters is not known" } } }
      : pass(),
  );
  cli.file("all.yaml", FORM);
  await apply(cli);
  await behindNorthwind(cli, async (service) => {
    const object = { moduleKey: "staffing", objectKey: "candidate" };
    const [made] = (await service.listForms(object)).data;
    await service.updateForm({ ...object, formId: made!.id, body: { name: "Beta" } });
  });
  // Simulates another machine: its lock file doesn't contain the created form.
  cli.file(".formctl/lock.json", JSON.stringify({ version: 1, places: {} }));
  cli.file("all.yaml", FORM.replace("[VIEW]", "[VIEW, EDIT]"));
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await names(cli)).toEqual(["Alpha", "Beta"]);
});

it("counts a publication as done that was accepted with 204 and can't be read, and sends it once", async () => {
  const { cli, server } = await openScene(async (request, pass) => {
    const reply = await pass();
    if (request.url.endsWith("/publish") && reply.status < 300) return { status: 204 };
    if (request.method !== "GET" || !/\/versions(\/|$)/.test(request.url)) return reply;
    const { data } = JSON.parse(String(reply.body)) as { data: { id: string } | { id: string }[] };
    const bare = ({ id }: { id: string }) => ({ id });
    return { status: 200, body: { data: Array.isArray(data) ? data.map(bare) : bare(data) } };
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
  expect(server.received.filter(({ url }) => url.endsWith("/publish"))).toHaveLength(1);
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
  return (request, pass) => {
    if (request.method === "GET") return pass();
    const now = Math.floor(cli().clock.now.getTime() / 1000);
    if (now !== second) [second, taken] = [now, 0];
    return ++taken > most ? reply : pass();
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
  const { cli } = await openScene(async (request, pass) => {
    if (!isCreation(request) || refused.has(request.url)) return pass(unknown(request));
    refused.add(request.url);
    await pass(unknown(request));
    return reply;
  });
  const refused = new Set<string>();
  cli.file("all.yaml", `${FORM}${CONTENT}---\n${CARD}${CONTENT}`);
  expect(await apply(cli)).toMatchObject({ exitCode: 0, outcome: "applied" });
  expect(await names(cli)).toEqual(["Alpha", "Card"]);
});

it("gives up after a minute of waits that the server did not request: 7, and nothing was done", async () => {
  const { cli, server } = await openScene((request, pass) => (request.method === "GET" ? pass() : slowDown()));
  const waits: number[] = [];
  cli.sleep = async (milliseconds) => void waits.push(milliseconds);
  cli.file("all.yaml", FORM);
  const { exitCode, outcome, resources } = await apply(cli);
  expect([exitCode, outcome, resources[0]!.steps[0]!.status]).toEqual([7, "failed", "failed"]);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(57_000);
  expect(server.received.filter(isCreation)).toHaveLength(14);
});

it("does not wait for an hour: 7 with the time, and sends no further request", async () => {
  const { cli, server } = await openScene((request, pass) => (request.method === "GET" ? pass() : slowDown(3600)));
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
  const { cli } = await openScene(async (request, pass) => {
    if (isCreation(request)) await pass(unknown(request));
    return pass(unknown(request));
  });
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
