/**
 * Compares `formctl serve` on PostgreSQL with a handwritten server on the same database:
 * `npm run build && node bench/serve-postgres.ts [--turns 3] [--ms 1200] [--check]`.
 *
 * Both servers have as many connections to the database. They take turns, so that the speed of the machine affects both
 * equally. The control is that of bench/serve.ts. With `--check`, the run fails if a figure misses its target.
 *
 * "after a write" means that another client writes to the organization every 5 ms, so that formctl can repeat no answer.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyStoreTo, openLocal } from "../src/composition/local-store.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { SERVING } from "../src/store/postgres/postgres.ts";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { inTurn, missedTargets, report, skip } from "./figures.ts";
import { load, requestText } from "./load.ts";
import { benchOrganization } from "./manifest-folder.ts";
import { startFormctl, startServer } from "./server-process.ts";
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
  const servers = {
    formctl: await startFormctl(url, folder),
    handwritten: await startServer("handwritten", [peer, url, String(SERVING.connections)], { home: folder }),
  };
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
