/** Writes records until the disk is full. Prints how many writes were acknowledged, and the error of the last write. */

import sql from "sql-template-tag";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { StoreError } from "../../../src/store/store.ts";

const [path = ""] = process.argv.slice(2);
const store = openSqlite(path, { create: false });
const body = "x".repeat(5000);
let acknowledged = 0;
let failed = "";
while (failed === "") {
  try {
    await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES (${String(acknowledged)}, ${body})`));
    acknowledged++;
  } catch (error) {
    failed = error instanceof StoreError ? error.code : String(error);
  }
}
await store.close();
process.stdout.write(JSON.stringify({ acknowledged, failed }));
