/** Runs the contract suite on PostgreSQL: on the engine, and on two servers with one database. */

import { join } from "node:path";
import { openLocalService } from "../../src/engine/local.ts";
import { createPostgres, openPostgres, type PostgresOptions, SERVING } from "../../src/store/postgres/postgres.ts";
import type { Store } from "../../src/store/store.ts";
import { META, TABLES } from "../../src/store/postgres/schema.ts";
import type { PostgresServer } from "../postgres-server.ts";
import { temporaryFolder } from "../temporary.ts";
import { type EngineProvider, engineWorld, SEEDING } from "./engine-provider.ts";
import { contractOrganizations } from "./organizations.ts";
import { OUR_EXTENT } from "./provider.ts";

type CreateTables = (server: PostgresServer, database: string) => Promise<unknown>;
type WorldOptions = PostgresOptions & { servers?: number; create?: CreateTables; observe?: (store: Store) => Store };

const SEED = "seed";

/**
 * Opens worlds on a server. A later world reuses the database, because creating a database takes longer than most
 * cases.
 *
 * @param options.servers the number of servers on the store. Each has its own connections
 * @param options.create creates the tables. The default is the function of `formctl local init`
 * @param options.observe wraps each opened store
 */
export function engineOnPostgres(
  serverOfFile: () => PostgresServer,
  { servers = 1, create = createTables, observe = (store) => store, ...options }: WorldOptions = {},
): EngineProvider {
  const unused: string[] = [];
  return {
    name: "the engine on PostgreSQL",
    ...OUR_EXTENT,
    isEngine: true,
    async open() {
      const server = serverOfFile();
      const database = unused.pop() ?? (await seedDatabase(server, create));
      const folder = temporaryFolder();
      const stores = Array.from({ length: servers }, () =>
        observe(openPostgres(server.url(database), { ...SERVING, ...options })),
      );
      return engineWorld(stores, join(folder.path, "store"), async () => {
        await server.query(RESTORE_SEED, database);
        unused.push(database);
        folder.remove();
      });
    },
  };
}

/** Deletes all records, and inserts the seeded records. Cascades delete the records of forms and organizations. */
const RESTORE_SEED = [
  ...["form_defaults", "forms", "organizations", "audit", "file_trash"].map((table) => `DELETE FROM ${table}`),
  ...TABLES.filter((table) => table !== META).map((table) => `INSERT INTO ${table} SELECT * FROM ${SEED}.${table}`),
].join(";");

const createTables: CreateTables = (server, database) => createPostgres(server.url(database));

async function seedDatabase(server: PostgresServer, create: CreateTables): Promise<string> {
  const database = await server.createDatabase();
  const url = server.url(database);
  await create(server, database);
  const local = openLocalService({ ...SEEDING, store: openPostgres(url) });
  await local.seed(contractOrganizations);
  await local.close();
  const tables = TABLES.map((table) => `CREATE TABLE ${SEED}.${table} AS TABLE ${table}`);
  await server.query([`CREATE SCHEMA ${SEED}`, ...tables].join(";"), database);
  return database;
}
