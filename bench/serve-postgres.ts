/**
 * Compares `formctl serve` on PostgreSQL with a handwritten server on the same database:
 * `npm run build && node bench/serve-postgres.ts [--turns 3] [--ms 1200] [--check]`.
 *
 * Both servers have as many connections to the database. They take turns, so that the speed of the machine affects both
 * equally. The control is that of bench/serve.ts. With `--check`, the run fails if a figure misses its target.
 *
 * "after a write" means that another client writes to the organization every 5 ms, so that formctl can repeat no answer.
 *
 * "at once" means that 200 clients create a form of one organization at the same time, through a proxy that simulates the
 * distance between the server and the database. Each of them should be answered 201, and none 503.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyStoreTo, openLocal } from "../src/composition/local-store.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { SERVING } from "../src/store/postgres/postgres.ts";
import { startDatabaseProxy } from "../test/database-proxy.ts";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { inTurn, missedTargets, report, skip, time } from "./figures.ts";
import { load, requestText } from "./load.ts";
import { benchOrganization } from "./manifest-folder.ts";
import { type ServerProcess, startFormctl, startServer } from "./server-process.ts";
import { CONNECTIONS, fillServed, PATH, requestsOf, requireSlowControl } from "./serve-stage.ts";

const { values } = parseArgs({
  options: {
    turns: { type: "string", default: "3" },
    ms: { type: "string", default: "1200" },
    check: { type: "boolean", default: false },
  },
});
const turns = Number(values.turns);
const ms = Number(values.ms);
const ORGANIZATIONS = 64;
/** How many clients write at once, and the times of a round trip to the database in milliseconds. */
const AT_ONCE = 200;
const DISTANCES_MS = [0, 1, 3, 10];
/** The pause between two writes of the other client, in milliseconds. */
const WRITE_PAUSE_MS = 5;

const folder = mkdtempSync(join(tmpdir(), "formctl-bench-"));
try {
  const server = await startPostgres(folder, { isDurable: true, settings: ["shared_buffers=256MB"] }).catch(skip);
  try {
    if (server) await measure(server);
  } finally {
    await server?.stop();
  }
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(server: PostgresServer): Promise<void> {
  const path = join(folder, "store.db");
  const filled = await fillServed(path);
  await requireSlowControl(folder, filled, ms);
  const database = await server.createDatabase();
  const url = server.url(database);
  await copyStoreTo({ from: path, into: url }, {}, () => {});
  const tokens = await addOrganizations(url);
  await server.query("VACUUM ANALYZE", database);
  const peer = join(import.meta.dirname, "peers", "handwritten-postgres.ts");
  const start = async (of: string) => ({
    formctl: await startFormctl(of, folder),
    handwritten: await startServer("handwritten", [peer, of, String(SERVING.connections)], { home: folder }),
  });
  const servers = await start(url);
  type Name = keyof typeof servers;
  const rate = (name: Name, request: (index: number) => string, connections: number, status: number) =>
    load({ port: servers[name].port, connections, until: { ms }, request, status });
  const compare = async (
    name: string,
    {
      request,
      connections,
      status,
      least,
    }: {
      request: (index: number) => string;
      connections: number;
      status: number;
      least?: number;
    },
  ) => {
    const run = (of: Name) => () => rate(of, request, connections, status);
    const rates = await inTurn({ formctl: run("formctl"), handwritten: run("handwritten") }, turns);
    report({
      name: `PostgreSQL, ${name}, ${connections} connection${connections === 1 ? "" : "s"}`,
      value: `${Math.round(rates.formctl).toLocaleString("en")}/s`,
      yardstick: `handwritten, ${Math.round(rates.handwritten).toLocaleString("en")}/s`,
      ratio: rates.formctl / rates.handwritten,
      ...(least !== undefined && { target: { least } }),
    });
  };

  const requests = requestsOf(filled);
  const gets = { connections: CONNECTIONS, status: 200 };
  await compare("GET a form", { request: requests.form.ours, ...gets, least: 0.5 });
  for (const limit of [20, 50])
    await compare(`GET a list of ${limit}`, { request: requests.list(limit).ours, ...gets, least: 0.5 });
  let hasEnded = false;
  const writing = load({
    port: servers.formctl.port,
    connections: 1,
    until: () => hasEnded,
    pause: WRITE_PAUSE_MS,
    request: requests.post(PATH),
    status: 201,
  });
  await compare("GET a form after a write", { request: requests.form.ours, ...gets });
  await compare("GET a list of 20 after a write", { request: requests.list(20).ours, ...gets });
  hasEnded = true;
  await writing;

  const posts = { status: 201, connections: CONNECTIONS };
  let created = 0;
  const postTo = (all: readonly string[]) => (index: number) => {
    const headers = { authorization: `Bearer ${all[index % all.length]}` };
    return requestText("POST", PATH, headers, { name: `Created ${created++}`, types: ["VIEW", "EDIT"] });
  };
  await compare("POST a form", { request: requests.post(PATH), status: 201, connections: 1 });
  await compare("POST a form, one organization", { request: requests.post(PATH), ...posts, least: 0.7 });
  await compare("POST a form, 64 organizations", { request: postTo(tokens), ...posts, least: 0.5 });
  await Promise.all(Object.values(servers).map(({ stop }) => stop()));

  for (const distanceMs of DISTANCES_MS) {
    const proxy = await startDatabaseProxy(server.port, { distanceMs });
    const distant = await start(url.replace(`:${server.port}/`, `:${proxy.port}/`));
    await compareAtOnce(distant, filled.token, distanceMs);
    await Promise.all(Object.values(distant).map(({ stop }) => stop()));
    await proxy.close();
  }
}

type Servers = Record<"formctl" | "handwritten", ServerProcess>;

/** Reports how many of the POSTs at once are answered 201, and the time until all of them are answered. */
async function compareAtOnce(servers: Servers, token: string, distanceMs: number): Promise<void> {
  const statuses = { formctl: [] as number[], handwritten: [] as number[] };
  const run = (name: keyof Servers) => () =>
    time(async () => {
      const post = () => postForm(servers[name].port, token);
      statuses[name].push(...(await Promise.all(Array.from({ length: AT_ONCE }, post))));
    });
  const times = await inTurn({ formctl: run("formctl"), handwritten: run("handwritten") }, turns);
  const share = (name: keyof Servers, status: number) =>
    statuses[name].filter((each) => each === status).length / statuses[name].length;
  const percent = (name: keyof Servers, status: number) => `${(100 * share(name, status)).toFixed(1)}% ${status}`;
  const at = `PostgreSQL, ${AT_ONCE} POSTs at once, ${distanceMs} ms away`;
  report({
    name: `${at}, answered 201`,
    value: percent("formctl", 201),
    yardstick: `all, of which ${percent("formctl", 503)}; handwritten, ${percent("handwritten", 201)}`,
    ratio: share("formctl", 201),
    target: { least: 1 },
  });
  report({
    name: `${at}, time`,
    value: `${Math.round(times.formctl)} ms`,
    yardstick: `handwritten, ${Math.round(times.handwritten)} ms`,
    ratio: times.formctl / times.handwritten,
  });
}

/** Creates a form. @returns the status of the answer */
async function postForm(port: number, token: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Created at once", types: ["VIEW", "EDIT"] }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Adds organizations like the first one. @returns a token of each */
async function addOrganizations(url: string): Promise<string[]> {
  const local = openLocal(url, () => new Date());
  const tokens: string[] = [];
  const [first] = benchOrganization.organizations;
  for (let index = 0; index < ORGANIZATIONS; index++) {
    const organization = `bench-${index}`;
    const roles = first!.roles.map(({ key, name }) => ({ key, name }));
    await local.seed({ organizations: [{ ...first!, key: organization, roles }] });
    tokens.push(
      (await local.createToken({ organization, name: "b", permissions: PERMISSIONS, expiresAt: null })).token,
    );
  }
  await local.close();
  return tokens;
}
