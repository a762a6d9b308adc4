/**
 * Runs the contract suite at the isolation level serializable, which some distributed databases use for every
 * transaction. The database has the same default, for statements outside of the transactions of a store.
 */

import sql from "sql-template-tag";
import { expect, it } from "vitest";
import { createPostgres } from "../../src/store/postgres/postgres.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { postgresOfFile } from "../postgres.ts";
import { engineOnPostgres } from "./postgres-provider.ts";
import { contract } from "./suite.ts";

const serverOfFile = await postgresOfFile();

async function createSerializable(server: PostgresServer, database: string): Promise<void> {
  await server.query(`ALTER DATABASE ${database} SET default_transaction_isolation = 'serializable'`);
  await createPostgres(server.url(database));
}

/** The levels of the observed transactions. */
const levels = new Set<unknown>();

async function observe<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  levels.add((await tx.first<{ level: string }>(sql`SELECT current_setting('transaction_isolation') AS level`))?.level);
  return work(tx);
}

const observed = (store: Store): Store => ({
  read: (work, oneRound) => store.read((tx) => observe(tx, work), oneRound),
  write: (work, orgId) => store.write((tx) => observe(tx, work), orgId),
  raisesVersions: () => true,
  close: () => store.close(),
});

contract(engineOnPostgres(serverOfFile, { create: createSerializable, observe: observed, isolation: "serializable" }));

it("runs all transactions at serializable", () => {
  expect([...levels]).toEqual(["serializable"]);
});
