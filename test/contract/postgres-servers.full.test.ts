/**
 * Runs the contract suite over HTTP, with two servers on one PostgreSQL database. The tables are split by organization,
 * like in a distributed database, and all transactions run at serializable, which some distributed databases use for
 * each one. Each query of an operation must use only one part.
 */

import sql, { type Sql } from "sql-template-tag";
import { describe, expect, it } from "vitest";
import { invariants } from "../../src/store/invariants.ts";
import { SCHEMA_VERSION } from "../../src/store/migrations.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { META, VERSION_KEY } from "../../src/store/tables.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { postgresOfFile } from "../postgres.ts";
import { splitSchema } from "../store/postgres/partitions.ts";
import { httpInTurn } from "./http-providers.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const PARTITIONS = 8;

async function createPartitions(server: PostgresServer, database: string): Promise<void> {
  const version = `INSERT INTO ${META} (key, value) VALUES ('${VERSION_KEY}', '${SCHEMA_VERSION}')`;
  await server.query(`ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`);
  await server.query([...splitSchema(PARTITIONS), version].join(";"), database);
}

/**
 * These queries may use several parts: `local check` reads all organizations, `local uploads` finds a form of any
 * organization, and the look-up of tokens finds the organizations of the requests that wait.
 */
const readsAll = (query: string) =>
  invariants.some(({ find }) => find.text === query) ||
  /FROM public_uploads (u )?WHERE (form_id = \$1 ORDER|u\.path = t\.path)|SELECT id, org_id, name, is_public FROM forms|FROM api_tokens t .* JOIN organization_state/.test(
    query.replaceAll(/\s+/g, " "),
  );

/** The parts that each query uses, by the text of the query. */
const partsByQuery = new Map<string, number[]>();

async function explain(tx: Tx, query: Sql): Promise<void> {
  if (partsByQuery.has(query.text) || !/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(query.text)) return;
  const text = sql`EXPLAIN (FORMAT JSON) ${query}`;
  const [row] = await tx.all<{ "QUERY PLAN": string }>(text);
  const parts = new Set<number>();
  for (const [, part] of row!["QUERY PLAN"].matchAll(/"Relation Name": "\w+_(\d+)"/g)) parts.add(Number(part));
  partsByQuery.set(query.text, [...parts]);
}

/** The isolation levels of the transactions. */
const levels = new Set<unknown>();

async function observe<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  levels.add((await tx.first<{ level: string }>(sql`SELECT current_setting('transaction_isolation') AS level`))?.level);
  return work(tx);
}

function explained(store: Store): Store {
  const listen = (tx: Tx): Tx => ({
    ...tx,
    all: async (query) => (await explain(tx, query), tx.all(query)),
    first: async (query) => (await explain(tx, query), tx.first(query)),
    run: async (query) => (await explain(tx, query), tx.run(query)),
    write: async (query) => (await explain(tx, query), tx.write(query)),
  });
  return {
    read: (work, oneRound) => store.read((tx) => observe(tx, (each) => work(listen(each))), oneRound),
    write: (work, orgId) => store.write((tx) => observe(tx, (each) => work(listen(each))), orgId),
    raisesVersions: () => true,
    close: () => store.close(),
  };
}

contract(
  httpInTurn(
    engineOnPostgres(await postgresOfFile(), {
      servers: 2,
      create: createPartitions,
      observe: explained,
      isolation: "serializable",
    }),
  ),
);

it("runs all transactions at serializable", () => {
  expect([...levels]).toEqual(["serializable"]);
});

describe("the queries", () => {
  it("use one part each", () => {
    const several = [...partsByQuery].flatMap(([query, parts]) => (parts.length > 1 ? [query] : []));
    expect(several.filter((query) => !readsAll(query))).toEqual([]);
    // The control: a query of several organizations uses several parts.
    expect(several.filter(readsAll)).not.toEqual([]);
    expect(partsByQuery.size).toBeGreaterThan(80);
  });
});
