/** The record of migrations in a table of a local store. */

import type { StoredMigrations } from "../local-service.ts";
import type { MigrationRecord } from "./record.ts";
import { readEntries, recordChanged } from "./record-entries.ts";

export function storeRecord(stored: StoredMigrations): MigrationRecord {
  const where = "the local store";
  return {
    where,
    async read() {
      const { entries, revision } = await stored.read();
      const values = entries.map(({ entry }) => entry);
      return { entries: readEntries(values, where), revision };
    },
    async write(entries, revision) {
      const rows = entries.map((entry) => ({ name: entry.name, entry }));
      const written = await stored.write(rows, revision);
      if (written === undefined) throw recordChanged({ where });
      return written;
    },
  };
}
