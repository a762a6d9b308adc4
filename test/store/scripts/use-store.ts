/** Reads, writes and resets a store, and prints the outcome. */

import sql from "sql-template-tag";
import { resetStore } from "../../../src/store/backup.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { StoreError } from "../../../src/store/store.ts";

const [path] = process.argv.slice(2);

const describe = (error: unknown) =>
  error instanceof StoreError ? { code: error.code, message: error.message } : String(error);

if (path === undefined) {
  process.stdout.write("ready");
} else {
  const store = openSqlite(path, { create: false });
  const forms = await store.read((tx) => tx.first<{ forms: number }>(sql`SELECT count(*) AS forms FROM forms`));
  const verify = await store.verify?.();
  const write = await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('k', 'v')`)).catch(describe);
  await store.close();
  const reset = await resetStore(path).catch(describe);
  process.stdout.write(JSON.stringify({ read: forms?.forms, verify, write, reset }));
}
