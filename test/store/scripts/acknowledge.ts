/**
 * Writes pairs of records until this process is killed. Prints the number of each pair after the write. For the
 * control, `too-early` prints the number long before the commit, so that most kills come in between.
 */

import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import sql from "sql-template-tag";
import { openSqlite } from "../../../src/store/sqlite.ts";

const [path = "", first = "0", manner = "honest"] = process.argv.slice(2);
const store = openSqlite(path, { create: true });
const acknowledge = (number: number) => writeSync(1, `${number}\n`);

for (let number = Number(first); ; number++) {
  const id = String(number);
  await store.write(async (tx) => {
    await tx.run(sql`INSERT INTO organizations VALUES (${id}, ${id}, ${"x".repeat(2000)})`);
    if (manner === "too-early") acknowledge(number);
    await setTimeout(manner === "too-early" ? 200 : 1);
    await tx.run(sql`INSERT INTO roles VALUES (${id}, ${id}, 'admin', 'Administrator')`);
  });
  if (manner === "honest") acknowledge(number);
}
