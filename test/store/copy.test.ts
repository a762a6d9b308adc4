/** A copy of a whole store into an empty one. */

import { join } from "node:path";
import sql from "sql-template-tag";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import { copyStore } from "../../src/store/copy.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import type { Store, Tx } from "../../src/store/store.ts";
import { columnsOf, TABLE_NAMES } from "../../src/store/tables.ts";
import { temporaryFolders } from "../temporary.ts";
import { soundStores, tamper } from "./sound-store.ts";

const folder = temporaryFolders();
const soundStore = soundStores();

function opened(path: string, create = false): Store {
  const store = openSqlite(path, { create });
  onTestFinished(() => store.close());
  return store;
}

const emptyPath = () => join(folder(), "copy.db");

function rowsOf(path: string): Record<string, string[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = TABLE_NAMES.map((table) => {
    const rows = db.prepare(`SELECT ${columnsOf(table).join(", ")} FROM ${table}`).all();
    return [table, rows.map((row) => JSON.stringify(row)).sort()] as const;
  });
  db.close();
  return Object.fromEntries(tables);
}

it("copies every row of every table", async () => {
  const [from, into] = [await soundStore(), emptyPath()];
  const target = opened(into, true);
  const steps: [number, number][] = [];
  const counts = await copyStore(opened(from), target, (done, total) => void steps.push([done, total]));
  expect(counts).toEqual({ organizations: 2, forms: 2, layouts: 5, versions: 7, uploads: 1 });
  expect(rowsOf(into)).toEqual(rowsOf(from));
  expect(Object.values(rowsOf(from)).filter((rows) => rows.length === 0)).toEqual([]);
  expect(await checkStore(target)).toEqual([]);
  expect(steps.at(-1)![0]).toBe(steps.at(-1)![1]);
});

it("knows all tables and columns of a store", async () => {
  const path = emptyPath();
  opened(path, true);
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== "meta");
  expect(names.toSorted()).toEqual(TABLE_NAMES.toSorted());
  for (const table of TABLE_NAMES) {
    const columns = db.prepare(`PRAGMA table_info(${table})`).all();
    expect(columns.map(({ name }) => String(name)).toSorted()).toEqual(columnsOf(table).toSorted());
  }
  db.close();
});

it("refuses a store that has records, and changes nothing", async () => {
  const [from, into] = [await soundStore(), await soundStore()];
  const before = rowsOf(into);
  await expect(copyStore(opened(from), opened(into))).rejects.toMatchObject({
    code: "STORE_EXISTS",
    message: 'the store already has records, for example the organization "org-1"',
  });
  expect(rowsOf(into)).toEqual(before);
});

it("copies nothing if a copied record differs from its original", async () => {
  const target = opened(emptyPath(), true);
  const changed: Store = {
    ...target,
    write: (work) =>
      target.write((tx) => {
        const run: Tx["run"] = async (query) => {
          const count = await tx.run(query);
          if (query.sql.startsWith("INSERT INTO audit")) await tx.run(sql`UPDATE audit SET at = '2020' WHERE seq = 1`);
          return count;
        };
        return work({ ...tx, run });
      }),
  };
  await expect(copyStore(opened(await soundStore()), changed)).rejects.toMatchObject({
    code: "STORE_COPY_DIFFERS",
    message: "the copied rows of the table audit differ from the original rows",
  });
  expect(await target.read((tx) => tx.all(sql`SELECT id FROM organizations`))).toEqual([]);
});

it("copies nothing of a store with a damaged record that the keys refuse", async () => {
  const [from, into] = [await soundStore(), emptyPath()];
  tamper(from, "DELETE FROM modules");
  const target = opened(into, true);
  await expect(copyStore(opened(from), target)).rejects.toMatchObject({
    code: "STORE_COPY_DIFFERS",
    message: "a row of the table objects can't be copied: FOREIGN KEY constraint failed",
  });
  expect(await target.read((tx) => tx.all(sql`SELECT id FROM organizations`))).toEqual([]);
});
