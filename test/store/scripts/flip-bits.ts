/** Flips a few bits in copies of a store, uses each copy, and prints how often each outcome occurred. */

import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import sql from "sql-template-tag";
import { checkStore } from "../../../src/store/invariants.ts";
import { openSqlite } from "../../../src/store/sqlite.ts";
import { ConstraintViolation, StoreError } from "../../../src/store/store.ts";

const [path = "", times = "0", seed = "1"] = process.argv.slice(2);
const random = generator(Number(seed));
const bytes = readFileSync(path);
/** The offsets of all bytes that are not zero. Most of a page is empty, and flips in an empty part have no effect. */
const used = Array.from(bytes.keys()).filter((at) => bytes[at] !== 0);
const copy = `${path}.flipped`;
const seen: Record<string, number> = {};

for (let time = 0; time < Number(times); time++) {
  const flipped = Buffer.from(bytes);
  for (let flips = 1 + random(8); flips > 0; flips--) {
    const at = used[random(used.length)]!;
    flipped[at] = flipped[at]! ^ (1 << random(8));
  }
  writeFileSync(copy, flipped);
  const outcome = await use();
  seen[outcome] = (seen[outcome] ?? 0) + 1;
}
rmSync(copy, { force: true });
process.stdout.write(JSON.stringify(seen));

async function use(): Promise<string> {
  try {
    const store = openSqlite(copy, { create: false });
    try {
      const violations = await checkStore(store);
      await store.read((tx) => tx.all(sql`SELECT * FROM layout_versions`));
      await store.write((tx) => tx.run(sql`INSERT INTO meta VALUES ('k', 'v')`));
      return violations.length > 0 ? "found" : "sound";
    } finally {
      await store.close();
      for (const suffix of ["-wal", "-shm"]) rmSync(copy + suffix, { force: true });
    }
  } catch (error) {
    if (error instanceof StoreError) return error.code;
    if (error instanceof ConstraintViolation) return "found";
    copyFileSync(copy, `${path}.unnamed`);
    return (error as Error).message;
  }
}

/** Park and Miller's generator: the same seed gives the same flips. */
function generator(start: number): (limit: number) => number {
  let state = start;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
