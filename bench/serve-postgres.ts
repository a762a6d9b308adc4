/**
 * Compares `formctl serve` on PostgreSQL with other servers:
 * `npm run build && node bench/serve-postgres.ts [--turns 3] [--ms 1200]`. The figures have no targets.
 *
 * The peers and the control are those of bench/serve.ts. The handwritten server works on SQLite, and json-server works
 * on a file. The database contains the records of bench/serve.ts, copied with `local copy`.
 *
 * The raw driver runs in this process, with as many connections to the database as `formctl serve`. For a read, the
 * driver runs only the query of the main rows. For a POST, the driver runs the statements of the engine.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Pool } from "pg";
import sql, { type Sql } from "sql-template-tag";
import { copyStoreTo } from "../src/composition/local-store.ts";
import { SERVING } from "../src/store/postgres/postgres.ts";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { inTurn, report, skip } from "./figures.ts";
import { creations, formRows } from "./form-writes.ts";
import { load } from "./load.ts";
import { startFormctl } from "./server-process.ts";
import { CONNECTIONS, fillServed, PATH, requestsOf, requireSlowControl, startPeers } from "./serve-stage.ts";

const { values } = parseArgs({
  options: { turns: { type: "string", default: "3" }, ms: { type: "string", default: "1200" } },
});
const turns = Number(values.turns);
const ms = Number(values.ms);

const show = (perSecond: number) => `${Math.round(perSecond).toLocaleString("en")}/s`;

const folder = mkdtempSync(join(tmpdir(), "formctl-bench-"));
try {
  const server = await startPostgres(folder, { isDurable: true, settings: ["shared_buffers=256MB"] }).catch(skip);
  try {
    if (server) await measure(server);
  } finally {
    await server?.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(server: PostgresServer): Promise<void> {
  const path = join(folder, "store.db");
  const filled = await fillServed(path);
  const database = await server.createDatabase();
  const url = server.url(database);
  await copyStoreTo({ from: path, into: url }, {}, () => {});
  await server.query("VACUUM ANALYZE", database);
  await requireSlowControl(folder, filled, ms);
  const peers = await startPeers(folder, path, filled);
  const servers = { formctl: await startFormctl(url, folder), ...peers };
  const pool = new Pool({ connectionString: url, max: SERVING.connections! });
  const all = async ({ text, values: sqlValues }: Sql) => (await pool.query(text, sqlValues)).rows as unknown[];

  type Name = keyof typeof servers;
  const rate = (name: Name, request: (index: number) => string, connections: number, status: number) =>
    load({ port: servers[name].port, connections, until: { ms }, request, status });

  const requests = requestsOf(filled);
  const compare = async (name: string, route: { ours: Request; json: Request }, query: (index: number) => Sql) => {
    const get = (from: Name, request: Request) => () => rate(from, request, CONNECTIONS, 200);
    const rates = await inTurn(
      {
        formctl: get("formctl", route.ours),
        handwritten: get("handwritten", route.ours),
        json: get("json-server", route.json),
        static: get("static", route.ours),
        raw: () => callsPerSecond(CONNECTIONS, (index) => all(query(index))),
      },
      turns,
    );
    report({
      name: `PostgreSQL, ${name}, ${CONNECTIONS} connections`,
      value: show(rates.formctl),
      yardstick: `the raw driver, ${SERVING.connections} connections`,
      ratio: rates.formctl / rates.raw,
      peers: {
        "json-server": rates.json / rates.raw,
        "handwritten on SQLite": rates.handwritten / rates.raw,
        "node:http static": rates.static / rates.raw,
      },
    });
  };
  const rows = await formRows(all, filled.ids[0]!);
  const { org_id, object_id } = rows.form;
  const { ids, layoutId, versionId } = filled;
  await compare(
    "GET a form",
    requests.form,
    (index) => sql`SELECT * FROM forms WHERE org_id = ${org_id} AND id = ${ids[index % ids.length]!}`,
  );
  for (const limit of [20, 50]) {
    await compare(
      `GET a list of ${limit}`,
      requests.list(limit),
      () => sql`SELECT * FROM forms WHERE org_id = ${org_id} AND object_id = ${object_id}
                ORDER BY created_at, id LIMIT ${limit}`,
    );
  }
  await compare(
    "GET a layout version",
    requests.version,
    () => sql`SELECT v.*, c.content FROM layout_versions v JOIN layout_contents c
                ON c.org_id = v.org_id AND c.layout_id = v.layout_id AND c.sha256 = v.content_sha256
              WHERE v.org_id = ${org_id} AND v.layout_id = ${layoutId} AND v.id = ${versionId}`,
  );

  for (const connections of [1, CONNECTIONS]) {
    const post = (name: Name, to: string) => () => rate(name, requests.post(to), connections, 201);
    const rates = await inTurn(
      {
        formctl: post("formctl", PATH),
        handwritten: post("handwritten", PATH),
        json: post("json-server", "/forms"),
        raw: () => callsPerSecond(1, () => commitOne(pool, rows)),
      },
      turns,
    );
    report({
      name: `PostgreSQL, POST a form, ${connections} connection${connections === 1 ? "" : "s"}`,
      value: show(rates.formctl),
      yardstick: "the raw driver, one connection",
      ratio: rates.formctl / rates.raw,
      peers: { "json-server": rates.json / rates.raw, "handwritten on SQLite": rates.handwritten / rates.raw },
    });
  }
  await pool.end();
  await Promise.all(Object.values(servers).map(({ stop }) => stop()));
}

type Request = (index: number) => string;

/** Calls a function from a number of callers. @returns the calls per second */
async function callsPerSecond(callers: number, call: (index: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let calls = 0;
  const callAll = async () => {
    while (performance.now() - start < ms) await call(calls++);
  };
  await Promise.all(Array.from({ length: callers }, callAll));
  return (calls / (performance.now() - start)) * 1000;
}

/** Creates a form with the statements of the engine. */
async function commitOne(pool: Pool, rows: Parameters<typeof creations>[0]): Promise<void> {
  const [statements] = (await creations(rows, 1)) as [Sql[]];
  const client = await pool.connect();
  await client.query("BEGIN");
  for (const { text, values: sqlValues } of statements) await client.query(text, sqlValues);
  await client.query("COMMIT");
  client.release();
}
