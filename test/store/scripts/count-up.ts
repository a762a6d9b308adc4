/**
 * Adds one to a counter many times. `reopen` opens and closes the store each time. `unlocked` reads the counter before
 * the lock.
 */

import sql from "sql-template-tag";
import { openSqlite } from "../../../src/store/sqlite.ts";
import type { Store, Tx } from "../../../src/store/store.ts";

const [path = "", times = "0", manner = "keep"] = process.argv.slice(2);

const value = async (tx: Tx) =>
  Number((await tx.first<{ value: string }>(sql`SELECT value FROM meta WHERE key = 'n'`))?.value ?? 0);
const set = (tx: Tx, to: number) => tx.run(sql`INSERT OR REPLACE INTO meta VALUES ('n', ${String(to)})`);

async function add(store: Store): Promise<void> {
  if (manner !== "unlocked") return void (await store.write(async (tx) => set(tx, (await value(tx)) + 1)));
  const before = await store.read(value);
  await store.write((tx) => set(tx, before + 1));
}

let store = openSqlite(path, { create: true });
for (let time = 0; time < Number(times); time++) {
  await add(store);
  if (manner !== "reopen") continue;
  await store.close();
  store = openSqlite(path, { create: true });
}
await store.close();
