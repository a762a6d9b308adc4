/**
 * Measures a database with many organizations:
 * `npm run bench:scale [-- --organizations 10000] [-- --forms 100] [-- --seconds 5] [-- --requests 2000] [-- --check]`.
 * `--forms` is the number of forms of each organization. `--seconds` is the time for each operation. `--requests` is
 * the number of requests of each kind in a turn.
 *
 * Two databases on one PostgreSQL server take turns. The small database has ten organizations, and the large database
 * has `--organizations`. The databases take the same time if each query reads only the records of its organization.
 * Operations run through the engine. Requests run through `formctl serve`, with 64 connections and a token of each
 * organization. Every commit is durable.
 *
 * The operations are also measured on ten organizations of the large database. These operations read as many records as
 * on the small database, so PostgreSQL can keep the records in memory. The operations on all organizations also read
 * records for the first time. The difference between the two times is the cost of these reads.
 *
 * What PostgreSQL writes and reads for 1,000 requests is printed too, from its own statistics (`pg_stat_io`).
 *
 * The control is a query that reads the records of all organizations. The run fails if the query is not slower in the
 * large database.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { answer, type AnyInput } from "../src/engine/engine.ts";
import { randomId } from "../src/engine/ids.ts";
import type { OperationName } from "../src/schemas/operations.ts";
import { PERMISSIONS } from "../src/schemas/words.ts";
import { openPostgres, SERVING } from "../src/store/postgres/postgres.ts";
import { seeded } from "../src/base/seeded-random.ts";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { inTurn, median, missedTargets, report, skip, time } from "./figures.ts";
import { BLOCKS, type FilledOrganization, fillPostgres, OBJECT } from "./fill-postgres.ts";
import { load, requestText } from "./load.ts";
import { benchDraft } from "./manifest-folder.ts";
import { memoryOf, processorTimeOf, type ServerProcess, startFormctl } from "./server-process.ts";

const { values } = parseArgs({
  options: {
    organizations: { type: "string", default: "10000" },
    forms: { type: "string", default: "100" },
    seconds: { type: "string", default: "5" },
    requests: { type: "string", default: "2000" },
    seed: { type: "string", default: "20261122" },
    check: { type: "boolean", default: false },
  },
});
const organizations = Number(values.organizations);
const forms = Number(values.forms);
const seconds = Number(values.seconds);
const requests = Number(values.requests);
const seed = Number(values.seed);

const FEW = 10;
const CONNECTIONS = 64;
/** The number of forms in each database that are read and written. They are spread over all organizations. */
const SAMPLED = 10_000;
/** The number of measured turns. One more turn runs before them, without measurement. */
const TURNS = 3;
const SETTINGS = ["shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=30min"];

const show = (number: number) => Math.round(number).toLocaleString("en");
const random = seeded(seed);

const FORMS = `/v1/custom-modules/${OBJECT.moduleKey}/objects/${OBJECT.objectKey}/forms`;
const header = ({ token }: FilledOrganization) => ({ authorization: `Bearer ${token}` });
let created = 0;
const REQUESTS: readonly [name: string, request: (at: FilledOrganization) => string, status: number][] = [
  ["GET a form", (at) => requestText("GET", `${FORMS}/${random.pick(at.forms).id}`, header(at)), 200],
  ["GET a list of 20", (at) => requestText("GET", `${FORMS}?limit=20`, header(at)), 200],
  [
    "POST a form",
    (at) => requestText("POST", FORMS, header(at), { name: `Posted ${created++}`, types: ["VIEW", "EDIT"] }),
    201,
  ],
];

/** A filled database. `filled` lists its organizations, each with the forms that are read and written. */
type Place = { url: string; name: string; filled: FilledOrganization[] };

const folder = mkdtempSync(join(tmpdir(), "formctl-bench-scale-"));
try {
  const server = await startPostgres(folder, { isDurable: true, settings: SETTINGS }).catch(skip);
  if (server !== undefined) {
    try {
      const few = await fill(server, FEW);
      const many = await fill(server, organizations);
      await reportSizes(server, many);
      await measureOperations(few, many);
      await measureRequests(server, few, many);
      await measureIo(server, many);
      await requireSlowScan(server, few, many);
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (values.check && missedTargets() > 0) process.exitCode = 1;

async function fill(server: PostgresServer, count: number): Promise<Place> {
  const name = await server.createDatabase();
  const url = server.url(name);
  // The first ten organizations are also measured alone. They have as many sampled forms as the organizations of the
  // small database.
  const sampled = (index: number) => (index < FEW ? Math.ceil(SAMPLED / FEW) : Math.ceil(SAMPLED / count));
  let filled: FilledOrganization[] = [];
  const taken = await time(async () => {
    filled = await fillPostgres(url, { forms: Array.from({ length: count }, () => forms), seed, sampled });
  });
  const vacuum = await time(() => server.query("VACUUM ANALYZE", name));
  await server.query("CHECKPOINT", name);
  process.stdout.write(
    `${show(count)} organizations with ${show(count * forms)} forms: ${show(taken / 1000)} s to insert, ` +
      `${show(vacuum / 1000)} s for VACUUM ANALYZE\n`,
  );
  return { url, name, filled };
}

/**
 * Prints the size of the database, in total, per organization and per form. Prints the bytes per form of the eight
 * largest tables.
 */
async function reportSizes(server: PostgresServer, { name, filled }: Place): Promise<void> {
  const tables = await server.query<{ name: string; bytes: string; indexes: string }>(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes, pg_indexes_size(oid) AS indexes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 2 DESC`,
    name,
  );
  const total = tables.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  const indexes = tables.reduce((sum, table) => sum + Number(table.indexes), 0);
  const count = filled.length * forms;
  process.stdout.write(
    `${(total / 2 ** 30).toFixed(2)} GiB, of which ${(indexes / 2 ** 30).toFixed(2)} GiB are indexes: ` +
      `${show(total / filled.length)} bytes for each organization, ${show(total / count)} for each form\n`,
  );
  for (const table of tables.slice(0, 8)) {
    process.stdout.write(`  ${table.name.padEnd(18)} ${show(Number(table.bytes) / count)} bytes for each form\n`);
  }
  const content = JSON.stringify(benchDraft(BLOCKS)).length;
  process.stdout.write(`  the draft of a form has ${BLOCKS} blocks and ${show(content)} bytes as JSON\n`);
}

/**
 * Measures the operations of one caller through the engine. The databases take turns, each with a block of operations.
 */
async function measureOperations(few: Place, many: Place): Promise<void> {
  const fewOfMany = { ...many, filled: many.filled.slice(0, FEW) };
  const engines = [few, many, fewOfMany].map((place) => ({ place, ...openEngine(place) }));
  let written = 0;
  const operations: Record<
    string,
    (call: ReturnType<typeof openEngine>["call"], at: FilledOrganization) => Promise<unknown>
  > = {
    "get a form": (call, at) => call(at, "getForm", { ...OBJECT, formId: random.pick(at.forms).id }),
    "list 20 forms": (call, at) => call(at, "listForms", { ...OBJECT, query: { limit: 20 } }),
    "create a form": (call, at) =>
      call(at, "createForm", { ...OBJECT, body: { name: `New ${written++}`, types: ["VIEW", "EDIT"] } }),
    "save and publish a draft": async (call, at) => {
      const { layoutId } = random.pick(at.forms);
      const mutation = { clientMutationId: `scale-${written++}` };
      const body = { ...mutation, ...benchDraft(BLOCKS) };
      const { draftVersionId } = (await call(at, "saveDraft", { layoutId, body })) as { draftVersionId: string };
      await call(at, "publishLayout", { layoutId, body: { ...mutation, draftVersionId } });
    },
  };
  for (const [name, run] of Object.entries(operations)) {
    const times = engines.map(() => [] as number[]);
    const blocks = 2 * TURNS;
    for (let block = -1; block < blocks; block++) {
      for (const [index, { place, call }] of engines.entries()) {
        const end = performance.now() + (seconds * 1000) / blocks;
        do {
          const at = random.pick(place.filled);
          const taken = await time(() => run(call, at));
          if (block >= 0) times[index]!.push(taken);
        } while (performance.now() < end);
      }
    }
    const [ofFew, ...others] = times.map((all) => all.sort((a, b) => a - b)) as [number[], number[], number[]];
    for (const [index, suffix] of ["", ` (${FEW} of them)`].entries()) {
      const ofMany = others[index]!;
      for (const [quantile, target] of [
        [0.5, { most: 1.3 }],
        [0.99, undefined],
      ] as const) {
        const value = (all: number[]) => all[Math.floor(quantile * (all.length - 1))]!;
        report({
          name: `scale, ${name}, p${quantile * 100}${suffix}`,
          value: `${value(ofMany).toFixed(2)} ms`,
          yardstick: `${FEW} organizations`,
          ratio: value(ofMany) / value(ofFew),
          ...(target && { target }),
        });
      }
    }
  }
  for (const { close } of engines) await close();
}

function openEngine({ url }: Place) {
  const store = openPostgres(url, SERVING);
  const options = { store, now: () => new Date(), newId: randomId };
  const permissions = new Set(PERMISSIONS);
  const call = ({ id }: FilledOrganization, name: OperationName, input: AnyInput): Promise<unknown> =>
    answer(options, { actor: { organizationId: id, permissions }, context: {}, name, input });
  return { call, close: () => store.close() };
}

/**
 * Measures requests to a `formctl serve` on each database, over 64 connections. Consecutive requests are for different
 * organizations.
 */
async function measureRequests(server: PostgresServer, few: Place, many: Place): Promise<void> {
  const servers = await Promise.all([few, many].map(({ url }) => startFormctl(url, folder)));
  const [ofFew, ofMany] = servers as [ServerProcess, ServerProcess];
  const atFirst = memoryOf(ofMany.pid);
  for (const [name, request, status] of REQUESTS) {
    const spent = { few: [] as Spent[], many: [] as Spent[] };
    const rate = async ({ port, pid }: ServerProcess, { filled }: Place, times: Spent[]) => {
      const before = { serve: processorTimeOf(pid), database: processorTimeOf(server.pid()) };
      const perSecond = await load({
        port,
        connections: CONNECTIONS,
        until: { requests },
        request: (index) => request(filled[index % filled.length]!),
        status,
      });
      times.push({
        serve: (processorTimeOf(pid) - before.serve) / requests,
        database: (processorTimeOf(server.pid()) - before.database) / requests,
      });
      return perSecond;
    };
    const rates = await inTurn(
      { few: () => rate(ofFew, few, spent.few), many: () => rate(ofMany, many, spent.many) },
      TURNS,
    );
    report({
      name: `scale, ${name}, ${CONNECTIONS} connections`,
      value: `${show(rates.many)}/s`,
      yardstick: `${FEW} organizations`,
      ratio: rates.many / rates.few,
    });
    reportProcessorTime(name, spent);
  }
  const memory = memoryOf(ofMany.pid);
  report({
    name: `scale, memory of serve after these requests`,
    value: `${show(memory)} MiB`,
    yardstick: `${FEW} organizations (${show(atFirst)} MiB before)`,
    ratio: memory / memoryOf(ofFew.pid),
  });
  for (const { stop } of servers) await stop();
}

/** The processor time of a request, in milliseconds. */
type Spent = { serve: number; database: number };

/**
 * Reports the processor time of `formctl serve` and PostgreSQL together. Other work of the machine affects the
 * processor time less than the rate.
 */
function reportProcessorTime(name: string, { few, many }: Record<"few" | "many", Spent[]>): void {
  // The first turn warms up the processes and is left out.
  const typical = (times: Spent[], part: keyof Spent) => median(times.slice(1).map((spent) => spent[part]));
  const total = (times: Spent[]) => typical(times, "serve") + typical(times, "database");
  // Only Linux reports the processor time.
  if (total(few) === 0 || total(many) === 0) return;
  report({
    name: `scale, processor time, ${name}`,
    value: `${total(many).toFixed(2)} ms`,
    yardstick: `${FEW} organizations (of it ${typical(many, "database").toFixed(2)} ms in PostgreSQL)`,
    ratio: total(many) / total(few),
  });
}

/** What PostgreSQL has written and read since its start. */
type Io = { log: number; syncs: number; writes: number; blocks: number; size: number };

/**
 * Prints what PostgreSQL writes and reads for 1,000 requests, and the connections and the memory of `formctl serve`. Each
 * kind of request has a server of its own: a connection reports its last statistics when it ends.
 */
async function measureIo(server: PostgresServer, { url, name: database, filled }: Place): Promise<void> {
  const read = async () => {
    const [row] = await server.query<Record<keyof Io, string>>(
      `SELECT (SELECT wal_bytes FROM pg_stat_wal) AS log,
         (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal') AS syncs,
         (SELECT sum(writes) FROM pg_stat_io WHERE object = 'wal') AS writes,
         (SELECT blks_read FROM pg_stat_database WHERE datname = current_database()) AS blocks,
         pg_database_size(current_database()) AS size`,
      database,
    );
    return row!;
  };
  for (const [name, request, status] of REQUESTS) {
    const serve = await startFormctl(url, folder);
    await server.query("CHECKPOINT", database);
    const before = await read();
    await load({
      port: serve.port,
      connections: CONNECTIONS,
      until: { requests },
      request: (index) => request(filled[index % filled.length]!),
      status,
    });
    const [used] = await server.query<{ count: string }>(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'formctl'",
      database,
    );
    const memory = memoryOf(serve.pid);
    await serve.stop();
    const after = await read();
    const each = (part: keyof Io) => ((Number(after[part]) - Number(before[part])) / requests) * 1_000;
    process.stdout.write(
      `1,000 × ${name}: ${(each("log") / 2 ** 20).toFixed(1)} MiB of log with ${show(each("writes"))} writes and ` +
        `${show(each("syncs"))} syncs; ${show(each("blocks"))} blocks read; the database grows by ` +
        `${(each("size") / 2 ** 20).toFixed(1)} MiB; ${used!.count} connections; serve has ${show(memory)} MiB\n`,
    );
  }
}

/** The control: a query over all organizations. */
async function requireSlowScan(server: PostgresServer, few: Place, many: Place): Promise<void> {
  const scan = ({ name }: Place) => time(() => server.query("SELECT count(*) FROM forms WHERE config IS NULL", name));
  const { ofFew, ofMany } = await inTurn({ ofFew: () => scan(few), ofMany: () => scan(many) }, TURNS);
  // With fewer organizations, the time of a new connection is longer than the difference.
  if (organizations >= 100 * FEW && ofMany < 1.3 * ofFew) {
    throw new Error("control: a query of all organizations is not measured as slower, so the measurement is useless");
  }
}
