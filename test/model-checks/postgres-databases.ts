/** Databases of a real PostgreSQL server. The server runs while the databases are used. */

import { createPostgres, openPostgres, type PostgresOptions, SERVING } from "../../src/store/postgres/postgres.ts";
import type { Store } from "../../src/store/store.ts";
import { newFolder } from "../faults/loop.ts";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import type { Place } from "./databases.ts";

export type PostgresDatabases = {
  server: PostgresServer;
  /** The name of a database that is copied: it has the tables of a store and no records. */
  template: string;
  /** A database with two stores. Each store has its own connections, to simulate several processes. */
  shared: Place;
  /** Like `shared`, with serializable transactions. */
  serializable: Place;
  /** Like `shared`, but the writes of an organization do not wait for each other. For controls. */
  unordered: Place;
};

/** Runs `work` while a server runs. If no server can start, `work` gets undefined, and the reason is printed. */
export async function withPostgres<T>(work: (places: PostgresDatabases | undefined) => Promise<T>): Promise<T> {
  const { path, remove } = newFolder();
  let places: PostgresDatabases | undefined;
  try {
    places = await start(path);
  } catch (error) {
    const reason = `PostgreSQL can't start here: ${(error as Error).message}`;
    process.stderr.write(`Only SQLite is checked. ${reason}\n`);
  }
  try {
    return await work(places);
  } finally {
    await places?.server.stop();
    remove();
  }
}

async function start(folder: string): Promise<PostgresDatabases> {
  const server = await startPostgres(folder);
  const template = await server.createDatabase();
  await createPostgres(server.url(template));
  const place = (name: string, options: PostgresOptions): Place => ({
    name,
    async open(connections) {
      const database = await server.createDatabase(template);
      const stores = Array.from({ length: Math.min(2, connections) }, () =>
        openPostgres(server.url(database), { ...SERVING, ...options }),
      );
      return {
        stores: Array.from({ length: connections }, (_, index) => stores[index % stores.length]!),
        location: server.url(database),
        async close() {
          for (const store of stores) await store.close();
          await server.dropDatabase(database);
        },
      };
    },
  });
  const shared = place("PostgreSQL", {});
  return {
    server,
    template,
    shared,
    unordered: {
      name: "PostgreSQL without the lock of the organization",
      async open(connections) {
        const database = await shared.open(connections);
        return { ...database, stores: database.stores.map(withoutLock) };
      },
    },
    serializable: place("PostgreSQL at serializable", { isolation: "serializable" }),
  };
}

function withoutLock(store: Store): Store {
  return { read: (work) => store.read(work), write: (work) => store.write(work), close: () => store.close() };
}
