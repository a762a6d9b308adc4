/** Runs the contract suite on PostgreSQL: on the engine, and on two servers with one database. */

import { join } from "node:path";
import { afterAll } from "vitest";
import { openLocalService } from "../../src/engine/local.ts";
import { createPostgres, openPostgres, type PostgresOptions, SERVING } from "../../src/store/postgres/postgres.ts";
import type { Store } from "../../src/store/store.ts";
import { TABLE_NAMES } from "../../src/store/tables.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { temporaryFolder } from "../temporary.ts";
import { type EngineProvider, engineWorld, SEEDING } from "./engine-provider.ts";
import { contractOrganizations } from "./organizations.ts";
import { OUR_EXTENT } from "./provider.ts";

type CreateTables = (server: PostgresServer, database: string) => Promise<unknown>;
type WorldOptions = PostgresOptions & {
  servers?: number;
  create?: CreateTables;
  observe?: (store: Store) => Store;
  urlOf?: (database: string) => string;
};

const SEED = "seed";

/** A database with the seeded records, and its open connections. */
type Seeded = { stores: readonly Store[]; restore: () => Promise<unknown>; close(): Promise<void> };

/**
 * Opens worlds on a server. A later world reuses the database and its connections, because opening them takes longer
 * than most cases.
 *
 * @param options.servers the number of servers on the store. Each has its own connections
 * @param options.create creates the tables. The default is the function of `formctl local init`
 * @param options.observe wraps each opened store
 * @param options.urlOf returns the URL that the opened stores use. The default is the URL of the server
 */
export function engineOnPostgres(
  serverOfFile: () => PostgresServer,
  {
    servers = 1,
    create = createTables,
    observe = (store) => store,
    urlOf = (database) => serverOfFile().url(database),
    ...options
  }: WorldOptions = {},
): EngineProvider {
  const unused: Seeded[] = [];
  const open = async (server: PostgresServer): Promise<Seeded> => {
    const database = await seedDatabase(server, create);
    const administrator = await server.connect(database);
    const stores = Array.from({ length: servers }, () =>
      observe(openPostgres(urlOf(database), { ...SERVING, ...options })),
    );
    return {
      stores,
      restore: () => administrator.query(RESTORE_SEED),
      async close() {
        for (const each of stores) await each.close();
        await administrator.end();
      },
    };
  };
  afterAll(async () => {
    for (const seeded of unused) await seeded.close();
  });
  return {
    name: "the engine on PostgreSQL",
    ...OUR_EXTENT,
    isEngine: true,
    async open() {
      const seeded = unused.pop() ?? (await open(serverOfFile()));
      const folder = temporaryFolder();
      return engineWorld(seeded.stores.map(keptOpen), join(folder.path, "store"), async () => {
        await seeded.restore();
        unused.push(seeded);
        folder.remove();
      });
    },
  };
}

/**
 * The same store for one world. Its `close` only waits, as that of a store does: the last use of a token is written in the
 * background, and could deadlock with the restoration. The tables are not checked: no case changes them.
 */
function keptOpen(store: Store): Store {
  const writes = new Set<Promise<unknown>>();
  return {
    read: (work, oneRound) => store.read(work, oneRound),
    write: async (work, orgId) => {
      const write = store.write(work, orgId);
      writes.add(write);
      return write.finally(() => writes.delete(write));
    },
    raisesVersions: () => true,
    close: async () => void (await Promise.allSettled(writes)),
  };
}

/** Deletes all records, and inserts the seeded records. Cascades delete the records of forms and organizations. */
const RESTORE_SEED = [
  ...["form_defaults", "forms", "organizations", "audit", "file_trash"].map((table) => `DELETE FROM ${table}`),
  ...TABLE_NAMES.map((table) => `INSERT INTO ${table} SELECT * FROM ${SEED}.${table}`),
].join(";");

const createTables: CreateTables = (server, database) => createPostgres(server.url(database));

async function seedDatabase(server: PostgresServer, create: CreateTables): Promise<string> {
  const database = await server.createDatabase();
  const url = server.url(database);
  await create(server, database);
  const local = openLocalService({ ...SEEDING, store: openPostgres(url) });
  await local.seed(contractOrganizations);
  await local.close();
  const tables = TABLE_NAMES.map((table) => `CREATE TABLE ${SEED}.${table} AS TABLE ${table}`);
  await server.query([`CREATE SCHEMA ${SEED}`, ...tables].join(";"), database);
  return database;
}
