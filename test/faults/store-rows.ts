/** Reads all records of a store, and compares the records of two moments. */

import { DatabaseSync } from "node:sqlite";

/** The records of each table as JSON. */
export type Rows = Map<string, string[]>;

/** Reads all tables of the store in `path`. No process may write to the store meanwhile. */
export function readRows(path: string): Rows {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
      .all() as { name: string }[];
    return new Map(
      tables.map(({ name }) => [
        name,
        db
          .prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`)
          .all()
          .map((row) => JSON.stringify(row)),
      ]),
    );
  } finally {
    db.close();
  }
}

/**
 * Returns what a write has changed: the removed and replaced records, and the number of added records in each table.
 * Two runs of the same write have the same difference: their new ids and times don't count.
 */
export function difference(before: Rows, after: Rows): string {
  const changes: string[] = [];
  for (const [table, rows] of after) {
    const old = new Set(before.get(table));
    const added = rows.filter((row) => !old.delete(row)).length;
    if (added > 0 || old.size > 0) changes.push(`${table}: ${added} added, without ${[...old].toSorted().join(" ")}`);
  }
  return changes.join("\n");
}
