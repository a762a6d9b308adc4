/**
 * Compares `formctl serve` with other servers: `npm run bench -- --only serve`, or after `npm run build` `node
 * bench/serve.ts [--turns 3] [--ms 1200] [--requests 200000] [--only NAME] [--check]`. A measurement takes `--ms`
 * milliseconds, that of the memory `--requests` requests. `--only` selects the figures with NAME in their names.
 *
 * Each server is a process of its own, and this process sends the requests. On a machine with two cores the load takes
 * one of them, so a rate is the rate of one thread. The servers take turns on each route, and each figure is a ratio of
 * medians. The control is a static server whose thread is busy for 0.1 ms in each request: if it is not found slower than
 * the same server without it, the run fails, because the measurement is useless.
 *
 * - Static: node:http with one fixed JSON text, the limit of any server on node:http.
 * - json-server: from npm, with the same records. It has no tokens and writes its whole file for each POST.
 * - Handwritten: hono and node:sqlite on a copy of the same store (peers/handwritten.ts).
 *
 * The reads of 1,000 forms are repeated, so that `formctl serve` can answer them again without asking the store. The
 * figures "after a write" measure the other case: a write every 5 ms, after which each answer is made again.
 */

import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pMap from "p-map";
import { createStore, openLocal } from "../src/local-store.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { freePort } from "../test/postgres-server.ts";
import { inTurn, missedTargets, report } from "./figures.ts";
import { load, requestText } from "./load.ts";
import { benchDraft, benchOrganization } from "./manifest-folder.ts";
import { memoryOf, startFormctl, startServer } from "./server-process.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "3" },
    ms: { type: "string", default: "1200" },
    requests: { type: "string", default: "200000" },
    only: { type: "string", default: "" },
    check: { type: "boolean", default: false },
  },
});
const turns = Number(values.turns);
const ms = Number(values.ms);
const CONNECTIONS = 64;
const FORMS = 1_000;
const BLOCKS = 20;
const FORM = { moduleKey: "bench", objectKey: "object_0" };
const PATH = "/v1/custom-modules/bench/objects/object_0/forms";

const folder = mkdtempSync(join(tmpdir(), "formctl-bench-"));
const JSON_SERVER = fileURLToPath(import.meta.resolve("json-server/lib/bin.js"));

/** Fills a store with forms whose layouts are published. @returns a token, and what the routes name */
async function fill(path: string) {
  await createStore(path);
  const local = openLocal(path, () => new Date());
  await local.seed(benchOrganization);
  const { token } = await local.createToken({ name: "bench", permissions: PERMISSIONS, expiresAt: null });
  const service = await local.service();
  const forms = await pMap(
    Array.from({ length: FORMS }, (_form, index) => index),
    async (index) => {
      const form = await service.createForm({ ...FORM, body: { name: `Form ${index}`, types: ["VIEW", "EDIT"] } });
      const mutation = { clientMutationId: `bench-${index}` };
      const layoutId = form.viewLayoutId;
      const { draftVersionId } = await service.saveDraft({ layoutId, body: { ...mutation, ...benchDraft(BLOCKS) } });
      const { versionId } = await service.publishLayout({ layoutId, body: { ...mutation, draftVersionId } });
      return { id: form.id, layoutId, versionId };
    },
    { concurrency: 64 },
  );
  const { data: listed } = await service.listForms({ ...FORM, query: { limit: 50 } });
  const one = await service.getForm({ ...FORM, formId: listed[0]!.id });
  const [{ layoutId, versionId }] = forms as [(typeof forms)[0]];
  const version = await service.getVersion({ layoutId, versionId });
  const items = await pMap(forms, ({ id }) => service.getForm({ ...FORM, formId: id }), { concurrency: 64 });
  const extra = listed[0]!;
  await local.close();
  const records = {
    forms: items.map((item) => ({ ...extra, ...item })),
    versions: [{ ...version, id: versionId }],
  };
  return { token, ids: forms.map(({ id }) => id), layoutId, versionId, one, records };
}

try {
  const store = join(folder, "store.db");
  const { token, ids, layoutId, versionId, one, records } = await fill(store);
  const copy = join(folder, "handwritten.db");
  copyFileSync(store, copy);
  const fixed = join(folder, "static.json");
  writeFileSync(fixed, JSON.stringify({ data: one }));
  const db = join(folder, "db.json");
  writeFileSync(db, JSON.stringify(records));
  const peer = (name: string) => join(import.meta.dirname, "peers", `${name}.ts`);
  const jsonPort = await freePort();
  const servers = {
    formctl: await startFormctl(store, folder),
    handwritten: await startServer("handwritten", [peer("handwritten"), copy], { home: folder }),
    "json-server": await startServer(
      "json-server",
      [JSON_SERVER, db, "--port", String(jsonPort), "--host", "127.0.0.1"],
      { home: folder, knownPort: jsonPort },
    ),
    static: await startServer("static", [peer("static"), fixed], { home: folder }),
  };
  const control = await startServer("control", [peer("static"), fixed, "0.1"], { home: folder });
  type Name = keyof typeof servers;

  const bearer = { authorization: `Bearer ${token}` };
  const get = (path: string) => requestText("GET", path, bearer);
  const formTexts = ids.map((id) => get(`${PATH}/${id}`));
  const jsonFormTexts = ids.map((id) => get(`/forms/${id}`));
  const cycle = (texts: readonly string[]) => (index: number) => texts[index % texts.length]!;
  let created = 0;
  const post = (path: string) => () =>
    requestText("POST", path, bearer, { name: `Created ${created++}`, types: ["VIEW", "EDIT"] });

  const rate = (name: Name, request: (index: number) => string, connections = CONNECTIONS, status = 200) =>
    load({ port: servers[name].port, connections, until: { ms }, request, status });
  const show = (perSecond: number) => `${Math.round(perSecond).toLocaleString("en")}/s`;
  const isWanted = (figure: string) => figure.includes(values.only);

  if (isWanted("control")) {
    const text = cycle([get("/")]);
    const { fast, slow } = await inTurn(
      {
        fast: () => rate("static", text),
        slow: () => load({ port: control.port, connections: CONNECTIONS, until: { ms }, request: text, status: 200 }),
      },
      2,
    );
    if (slow > 0.8 * fast) throw new Error("control: a busy thread is not found slower, so the measurement is useless");
  }
  await control.stop();

  /** Measures a route of each server in turn, and compares it to the faster of the peers. */
  const compare = async (
    name: string,
    paths: { ours: (index: number) => string; json: (index: number) => string },
    { leastOfStatic }: { leastOfStatic?: number } = {},
  ) => {
    if (!isWanted(name)) return;
    const rates = await inTurn(
      {
        formctl: () => rate("formctl", paths.ours),
        handwritten: () => rate("handwritten", paths.ours),
        json: () => rate("json-server", paths.json),
        static: () => (leastOfStatic === undefined ? 0 : rate("static", paths.ours)),
      },
      turns,
    );
    const value = show(rates.formctl);
    const peersOf = (yardstick: number) => ({
      "json-server": rates.json / yardstick,
      handwritten: rates.handwritten / yardstick,
    });
    if (leastOfStatic !== undefined) {
      report({
        name: `${name}, of static`,
        value,
        yardstick: "node:http static",
        ratio: rates.formctl / rates.static,
        target: { least: leastOfStatic },
        peers: peersOf(rates.static),
      });
    }
    const faster = Math.max(rates.json, rates.handwritten);
    report({
      name,
      value,
      yardstick: "the faster peer",
      ratio: rates.formctl / faster,
      target: { least: 1 },
      peers: peersOf(faster),
    });
  };

  const form = { ours: cycle(formTexts), json: cycle(jsonFormTexts) };
  await compare("serve, GET a form, 64 connections", form, { leastOfStatic: 0.2 });
  for (const limit of [20, 50]) {
    await compare(`serve, GET a list of ${limit}, 64 connections`, {
      ours: cycle([get(`${PATH}?limit=${limit}`)]),
      json: cycle([get(`/forms?_page=1&_per_page=${limit}`)]),
    });
  }
  await compare("serve, GET a layout version, 64 connections", {
    ours: cycle([get(`/v1/view-layouts/${layoutId}/versions/${versionId}`)]),
    json: cycle([get(`/versions/${versionId}`)]),
  });

  /** Measures a route of both servers on SQLite while another connection creates a form every 5 ms. */
  const afterWrites = async (name: string, request: (index: number) => string) => {
    if (!isWanted(name)) return;
    const measured = async (server: "formctl" | "handwritten") => {
      let writes = true;
      const text = post(PATH);
      const writing = load({
        port: servers[server].port,
        connections: 1,
        until: () => !writes,
        pause: 5,
        request: text,
        status: 201,
      });
      const reads = await rate(server, request);
      writes = false;
      await writing;
      return reads;
    };
    const rates = await inTurn({ ours: () => measured("formctl"), theirs: () => measured("handwritten") }, turns);
    report({ name, value: show(rates.ours), yardstick: "handwritten", ratio: rates.ours / rates.theirs });
  };
  await afterWrites("serve, GET a form after a write", form.ours);
  await afterWrites("serve, GET a list of 20 after a write", cycle([get(`${PATH}?limit=20`)]));

  if (isWanted("serve, memory after 200,000 GETs")) {
    const requests = Number(values.requests);
    const { port, pid, stop } = await startFormctl(store, folder);
    const atFirst = memoryOf(pid);
    await load({ port, connections: CONNECTIONS, until: { requests }, request: form.ours, status: 200 });
    const memory = memoryOf(pid);
    await stop();
    report({
      name: `serve, memory after ${requests.toLocaleString("en")} GETs`,
      value: `${Math.round(memory)} MiB`,
      yardstick: `150 MiB (${Math.round(atFirst)} before)`,
      ratio: memory / 150,
      target: { most: 1 },
    });
  }

  for (const [connections, least] of [
    [1, 0.7],
    [64, 2],
  ] as const) {
    const name = `serve, POST a form, ${connections} connection${connections === 1 ? "" : "s"}`;
    if (!isWanted(name)) continue;
    const rates = await inTurn(
      {
        ours: () => rate("formctl", post(PATH), connections, 201),
        theirs: () => rate("handwritten", post(PATH), connections, 201),
        json: () => rate("json-server", post("/forms"), connections, 201),
      },
      turns,
    );
    report({
      name,
      value: show(rates.ours),
      yardstick: "handwritten",
      ratio: rates.ours / rates.theirs,
      target: { least },
      peers: { "json-server": rates.json / rates.theirs },
    });
  }
  await Promise.all(Object.values(servers).map(({ stop }) => stop()));
} finally {
  await wait(0);
  rmSync(folder, { recursive: true, force: true });
}
if (values.check && missedTargets() > 0) process.exitCode = 1;
