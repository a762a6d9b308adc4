/** Writes four records in separate transactions, and prints the outcome of each write and the stored records. */

import sql from "sql-template-tag";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { StoreError } from "../../../src/store/store.ts";

const [path = ""] = process.argv.slice(2);
const store = openSqlite(path, { create: false });
const outcomes: string[] = [];
for (const key of ["0", "1", "2", "3"]) {
  const outcome = store
    .write((tx) => tx.run(sql`INSERT INTO meta VALUES (${key}, '')`))
    .then(
      () => "done",
      (error: unknown) => (error instanceof StoreError ? error.code : String(error)),
    );
  outcomes.push(await outcome);
}
const stored = await store.read((tx) => tx.all<{ key: string }>(sql`SELECT key FROM meta`));
await store.close();
process.stdout.write(JSON.stringify({ outcomes, stored: stored.map(({ key }) => Number(key)) }));
