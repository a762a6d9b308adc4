/** The databases on which sequences and races run. */

import { join } from "node:path";
import { openSqlite, openSqliteForServing } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { newFolder } from "../faults/loop.ts";
import type { Send } from "./engine-connection.ts";

export type Database = {
  stores: readonly Store[];
  /** The path or URL of the database, by which another process opens it. */
  location: string;
  /** The connections of requests, if they are in other processes. */
  remotes?: readonly Send[];
  /** Closes the stores and removes the database. */
  close: () => Promise<void>;
};

export type Place = {
  name: string;
  /** Creates an empty database. @param connections the number of stores, each with a connection of its own */
  open: (connections: number) => Promise<Database>;
};

export const sqlite: Place = {
  name: "SQLite",
  async open(connections) {
    const { path, remove } = newFolder();
    const file = join(path, "store.db");
    const first = openSqlite(file, { create: true });
    // The first connection is opened for a command, the others for servers.
    const stores = [first, ...Array.from({ length: connections - 1 }, () => openSqliteForServing(file))];
    return {
      stores,
      location: file,
      async close() {
        for (const store of stores) await store.close();
        remove();
      },
    };
  },
};
