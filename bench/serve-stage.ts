/**
 * The shared parts of the benchmarks of servers: a store with 1,000 published forms, and the peers of `formctl serve`.
 */

import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pMap from "p-map";
import { createStore, openLocal } from "../src/composition/local-store.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { freePort } from "../test/free-port.ts";
import { inTurn } from "./figures.ts";
import { load, requestText } from "./load.ts";
import { benchDraft, benchOrganization } from "./manifest-folder.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

export const CONNECTIONS = 64;
export const PATH = "/v1/custom-modules/bench/objects/object_0/forms";

const FORMS = 1_000;
const BLOCKS = 20;
const FORM = { moduleKey: "bench", objectKey: "object_0" };
const JSON_SERVER = fileURLToPath(import.meta.resolve("json-server/lib/bin.js"));

/** The token, the ids for the routes, and the records for json-server. */
export type Served = Awaited<ReturnType<typeof fillServed>>;

/**
 * Fills a store with forms and their published layouts.
 *
 * @returns a token, ids for the routes, and the records for json-server
 */
export async function fillServed(path: string) {
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

/** Starts the peers: json-server, the static server, and the handwritten server on a copy of the store. */
export async function startPeers(folder: string, store: string, filled: Served) {
  const copy = join(folder, "handwritten.db");
  copyFileSync(store, copy);
  const db = join(folder, "db.json");
  writeFileSync(db, JSON.stringify(filled.records));
  const jsonPort = await freePort();
  return {
    handwritten: await startServer("handwritten", [peer("handwritten"), copy], { home: folder }),
    "json-server": await startServer(
      "json-server",
      [JSON_SERVER, db, "--port", String(jsonPort), "--host", "127.0.0.1"],
      { home: folder, knownPort: jsonPort },
    ),
    static: await startStatic(folder, filled),
  };
}

/** The requests of the benchmarks. json-server has its own variant of each request. */
export function requestsOf({ token, ids, layoutId, versionId }: Served) {
  const bearer = { authorization: `Bearer ${token}` };
  const get = (path: string) => requestText("GET", path, bearer);
  const cycle = (paths: readonly string[]) => {
    const texts = paths.map(get);
    return (index: number) => texts[index % texts.length]!;
  };
  const route = (ours: readonly string[], json: readonly string[]) => ({ ours: cycle(ours), json: cycle(json) });
  let created = 0;
  return {
    form: route(
      ids.map((id) => `${PATH}/${id}`),
      ids.map((id) => `/forms/${id}`),
    ),
    list: (limit: number) => route([`${PATH}?limit=${limit}`], [`/forms?_page=1&_per_page=${limit}`]),
    version: route([`/v1/view-layouts/${layoutId}/versions/${versionId}`], [`/versions/${versionId}`]),
    post: (path: string) => () =>
      requestText("POST", path, bearer, { name: `Created ${created++}`, types: ["VIEW", "EDIT"] }),
  };
}

/**
 * The control: a static server that is busy in each request, and an idle static server.
 *
 * @throws Error if the busy server is not at least 20% slower
 */
export async function requireSlowControl(folder: string, filled: Served, ms: number): Promise<void> {
  const [idle, busy] = [await startStatic(folder, filled), await startStatic(folder, filled, { busyMs: 0.1 })];
  const { ours } = requestsOf(filled).form;
  const rate = ({ port }: ServerProcess) =>
    load({ port, connections: CONNECTIONS, until: { ms }, request: ours, status: 200 });
  const { fast, slow } = await inTurn({ fast: () => rate(idle), slow: () => rate(busy) }, 2);
  if (slow > 0.8 * fast)
    throw new Error("control: a busy thread is not measured as slower, so the measurement is useless");
  await Promise.all([idle.stop(), busy.stop()]);
}

/** Starts the static server. @param busyMs the milliseconds for which its thread is busy in each request */
function startStatic(folder: string, { one }: Served, { busyMs = 0 } = {}): Promise<ServerProcess> {
  const fixed = join(folder, "static.json");
  writeFileSync(fixed, JSON.stringify({ data: one }));
  return startServer("static", [peer("static"), fixed, String(busyMs)], { home: folder });
}

const peer = (name: string) => join(import.meta.dirname, "peers", `${name}.ts`);
