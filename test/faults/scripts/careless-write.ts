/** Writes two related records in separate transactions, ignores errors, and always reports success. */

import { writeSync } from "node:fs";
import sql from "sql-template-tag";
import { openSqlite } from "../../../src/store/sqlite.ts";

const [path = ""] = process.argv.slice(2);
try {
  const store = openSqlite(path, { create: false });
  await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('first', '')`));
  await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('second', '')`));
  await store.close();
} catch {
  // The ignored error is an intended mistake. The loops must find it.
}
writeSync(1, "{}\n");
