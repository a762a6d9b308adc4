/** The databases on which the model and the races run. */

import { join } from "node:path";
import { openSqlite, openSqliteForServing } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { newFolder } from "../faults/loop.ts";

/** A database that is removed by `close`, which also closes its stores. */
export type Database = { stores: readonly Store[]; close: () => Promise<void> };

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
    // The first connection is that of a command, the others are those of servers.
    const stores = [first, ...Array.from({ length: connections - 1 }, () => openSqliteForServing(file))];
    return {
      stores,
      async close() {
        for (const store of stores) await store.close();
        remove();
      },
    };
  },
};
