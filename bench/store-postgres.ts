/**
 * Measures a store on PostgreSQL: `node bench/store-postgres.ts [--forms 100000] [--rounds 3] [--check]`. With `--check`,
 * the run fails if a ratio misses its target.
 *
 * The writes of 64 concurrent callers are compared to the same statements on the raw driver. The raw driver has as many
 * connections as the store, and commits each write. The writes of one organization run one after another, so they are
 * compared to a single connection. Each commit is durable. The figures of reads have no targets.
 *
 * The control is a raw driver that waits in each transaction. The run fails if the control is not slower, or if a
 * measured write is not in the store.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import sql, { type Sql } from "sql-template-tag";
import { openLocal } from "../src/composition/local-store.ts";
import { openPostgres, SERVING } from "../src/store/postgres/postgres.ts";
import { type PostgresServer, startPostgres } from "../test/postgres-server.ts";
import { inTurn, missedTargets, report, skip, time } from "./figures.ts";
import { fillPostgres } from "./fill-postgres.ts";
import { creations, type FormRows, formRows } from "./form-writes.ts";
import { measureCalls, type RawDriver, writeStatements } from "./store-calls.ts";

const { values } = parseArgs({
  options: {
    forms: { type: "string", default: "100000" },
    rounds: { type: "string", default: "3" },
    check: { type: "boolean", default: false },
  },
});
const forms = Number(values.forms);
const rounds = Number(values.rounds);

const CALLERS = 64;
/** The number of organizations. The first one has `--forms` forms, and each of the others has one form. */
const ORGANIZATIONS = 64;
const CONNECTIONS = SERVING.connections!;
/** The number of writes in a turn: `WRITES` for each organization, or `WRITES_OF_ONE` for a single organization. */
const WRITES = 16;
const WRITES_OF_ONE = 256;
/** The wait of the control in each transaction, in seconds. */
const CONTROL_SECONDS = 0.01;

type Write = { orgId: string; statements: Sql[] };

const root = mkdtempSync(join(tmpdir(), "formctl-bench-store-"));
try {
  const server = await startPostgres(root, { isDurable: true, settings: ["shared_buffers=256MB"] }).catch(skip);
  try {
    if (server) await measure(server);
  } finally {
    await server?.stop();
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
if (values.check && missedTargets() > 0) process.exitCode = 1;

async function measure(server: PostgresServer): Promise<void> {
  const database = await server.createDatabase();
  const url = server.url(database);
  const numbers = Array.from({ length: ORGANIZATIONS }, (_organization, index) => (index === 0 ? forms : 1));
  const filled = await fillPostgres(url, { forms: numbers, seed: 1, sampled: () => 1 });
  await server.query("VACUUM ANALYZE", database);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(url)));
  const [raw] = connections as [RawConnection];
  const all: FormRows[] = [];
  for (const {
    forms: [form],
  } of filled)
    all.push(await formRows(raw.all, form!.id));
  const count = async () =>
    Number((await server.query<{ total: string }>("SELECT count(*) AS total FROM forms", database))[0]!.total);
  const before = await count();
  const written = (await measureWriters(url, all, connections)) + (await measureOne(url, all[0]!, raw));
  for (const each of connections) await each.end();
  const found = (await count()) - before;
  if (found !== written) throw new Error(`the written forms: ${found} instead of ${written}`);
}

/** @returns the number of written forms */
async function measureWriters(url: string, all: readonly FormRows[], connections: readonly RawConnection[]) {
  const store = openPostgres(url, SERVING);
  const ours = async (writes: Write[]) => {
    const writeAll = async () => {
      for (let write = writes.pop(); write; write = writes.pop()) {
        await writeStatements(store, write.orgId, write.statements);
      }
    };
    return time(() => Promise.all(Array.from({ length: CALLERS }, writeAll)));
  };
  // Each organization has one connection for its writes, because its audit rows are numbered.
  const orgIds = all.map(({ form }) => form.org_id);
  const theirs = (writes: Write[]) =>
    time(() =>
      Promise.all(
        connections.map(async ({ commit }, index) => {
          const own = writes.filter(({ orgId }) => orgIds.indexOf(orgId) % connections.length === index);
          for (const { statements } of own) await commit(statements);
        }),
      ),
    );
  const inAll = async () => {
    const lists = await Promise.all(all.map((rows) => writesOf(rows, WRITES)));
    return Array.from({ length: WRITES }, (_write, index) => lists.map((list) => list[index]!)).flat();
  };
  const inOne = () => writesOf(all[0]!, WRITES_OF_ONE);
  const show = (ms: number, writes: number) => `${Math.round((writes / ms) * 1000).toLocaleString("en")}/s`;

  const many = await inTurn(
    { ours: async () => ours(await inAll()), theirs: async () => theirs(await inAll()) },
    rounds,
  );
  report({
    name: `PostgreSQL, ${CALLERS} concurrent writers, ${ORGANIZATIONS} organizations`,
    value: show(many.ours, WRITES * ORGANIZATIONS),
    yardstick: `the raw driver, ${CONNECTIONS} connections`,
    ratio: many.theirs / many.ours,
    target: { least: 0.5 },
  });
  const one = await inTurn(
    { ours: async () => ours(await inOne()), theirs: async () => theirs(await inOne()) },
    rounds,
  );
  report({
    name: `PostgreSQL, ${CALLERS} concurrent writers, one organization`,
    value: show(one.ours, WRITES_OF_ONE),
    yardstick: "the raw driver, one connection",
    ratio: one.theirs / one.ours,
    target: { least: 0.7 },
  });
  const control = await inTurn(
    {
      fast: async () => theirs((await inOne()).slice(0, WRITES)),
      slow: async () => {
        const pause = sql`SELECT pg_sleep(${CONTROL_SECONDS})`;
        return theirs(
          (await inOne()).slice(0, WRITES).map((write) => ({ ...write, statements: [pause, ...write.statements] })),
        );
      },
    },
    rounds,
  );
  if (control.slow < 1.2 * control.fast) {
    throw new Error("control: a waiting driver is not measured as slower, so the measurement is useless");
  }
  await store.close();
  return 2 * (WRITES * ORGANIZATIONS + WRITES_OF_ONE + WRITES) * (rounds + 1);
}

/** @returns the number of written forms */
async function measureOne(url: string, rows: FormRows, raw: RawDriver): Promise<number> {
  const store = openPostgres(url, SERVING);
  const local = openLocal(url, () => new Date(), { serves: true });
  const service = await local.service("org-0");
  const name = `PostgreSQL, ${forms.toLocaleString("en")} forms`;
  const { figures, written } = await measureCalls({ name, store, service, raw, rows }, rounds);
  await local.close();
  await store.close();
  for (const figure of figures) report(figure);
  return written;
}

async function writesOf(rows: FormRows, number: number): Promise<Write[]> {
  return (await creations(rows, number)).map((statements) => ({ orgId: rows.form.org_id, statements }));
}

type RawConnection = RawDriver & { all: (query: Sql) => Promise<unknown[]>; end: () => Promise<void> };

async function connect(url: string): Promise<RawConnection> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    commit: async (statements) => {
      await client.query("BEGIN");
      for (const { text, values: sqlValues } of statements) await client.query(text, sqlValues);
      await client.query("COMMIT");
    },
    all: async ({ text, values: sqlValues }) => (await client.query(text, sqlValues)).rows,
    end: () => client.end(),
  };
}
