/** Checks that a store of an earlier schema is migrated to the current schema without loss. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import sql from "sql-template-tag";
import { describe, expect, it, vi } from "vitest";
import { restoreStore } from "../../src/store/backup.ts";
import { findFormParts } from "../../src/store/forms.ts";
import { checkStore } from "../../src/store/invariants.ts";
import { SCHEMA_VERSION } from "../../src/store/migrations.ts";
import { copyDatabase } from "../../src/store/scratch.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { emptyStore } from "../../src/store/sqlite-schema.ts";
import { ConstraintViolation, inOrganization, type Store } from "../../src/store/store.ts";
import { columnsOf, TABLE_NAMES } from "../../src/store/tables.ts";
import { temporaryFolders } from "../temporary.ts";
import { hashRecords, soundRecords, tamper } from "./sound-store.ts";

vi.mock(import("../../src/store/migrations.ts"), async (original) => {
  const { withInvented } = await import("./invented-migration.ts");
  return withInvented(original);
});

const folder = temporaryFolders();

/** Creates a store of the first schema. Its fields have no hash, which the second migration writes. */
function oldStore(): string {
  const path = join(folder(), "old.db");
  const db = emptyStore(1);
  db.exec(soundRecords);
  hashRecords(db);
  db.exec("UPDATE fields SET record_hash = ''");
  db.prepare("VACUUM INTO ?").run(path);
  db.close();
  return path;
}

/** Opens the store, which migrates it to the current schema. Returns the violations in the store. */
async function violationsOf(path: string) {
  const store = openSqlite(path, { create: false });
  const violations = await checkStore(store);
  await store.close();
  return violations;
}

function query(path: string, text: string): unknown[] {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare(text).all();
  db.close();
  return rows;
}

const versionOf = (path: string) => query(path, "PRAGMA user_version");

describe("a store of an earlier schema", () => {
  it("is migrated when it is opened, and gets a hash for each record", async () => {
    const path = oldStore();
    expect(versionOf(path)).toEqual([{ user_version: 1 }]);
    expect(await violationsOf(path)).toEqual([]);
    expect(versionOf(path)).toEqual([{ user_version: SCHEMA_VERSION }]);
    tamper(path, "UPDATE fields SET name = 'Other'");
    expect(await violationsOf(path)).toContainEqual(expect.objectContaining({ invariant: "I32", record: "fld_1" }));
  });

  it("keeps its records", async () => {
    const path = oldStore();
    // The migration changes these columns.
    const isWritten = (name: string) => name === "record_hash" || name === "fields_version";
    const rows = () =>
      TABLE_NAMES.map((table) => {
        const columns = columnsOf(table).filter((name) => !isWritten(name));
        return [table, query(path, `SELECT ${columns.join(", ")} FROM ${table}`)];
      });
    const before = rows();
    await violationsOf(path);
    expect(rows()).toEqual(before);
    expect(query(path, "SELECT DISTINCT color FROM forms")).toEqual([{ color: "gray" }]);
  });

  it("has keys and checks after its migration", async () => {
    const store = openSqlite(oldStore(), { create: false });
    for (const statement of [
      sql`UPDATE forms SET object_id = 'none'`,
      sql`UPDATE layout_versions SET number = 0 WHERE status = 'DRAFT'`,
    ]) {
      await expect(store.write((tx) => tx.run(statement))).rejects.toBeInstanceOf(ConstraintViolation);
    }
    await store.close();
  });

  it("is opened with a number that JavaScript can't represent, so that the check can report it", async () => {
    const path = oldStore();
    tamper(path, "UPDATE fields SET value_count = 9007199254740993");
    expect(await violationsOf(path)).not.toEqual([]);
  });

  it("is copied with the current schema, and stays as it is", async () => {
    const path = oldStore();
    for (const growth of [0, 2 ** 30]) {
      const copy = await copyDatabase(path, growth);
      expect(copy.prepare("SELECT DISTINCT color FROM forms").all()).toEqual([{ color: "gray" }]);
      copy.close();
    }
    expect(versionOf(path)).toEqual([{ user_version: 1 }]);
  });
});

describe("a damaged store of an earlier schema", () => {
  it.each([
    ["an answer", "I29", "mut-1", "UPDATE mutations SET response = '{' WHERE client_mutation_id = 'mut-1'"],
    ["a content", "I16", "ver_1", "UPDATE layout_contents SET content = '{}' WHERE layout_id = 'lay_frm_1'"],
    ["a form without its object", "I11", "frm_2", "UPDATE forms SET object_id = 'x' WHERE id = 'frm_2'"],
    ["a form of a missing organization", "I11", "frm_2", "UPDATE forms SET org_id = 'org_9' WHERE id = 'frm_2'"],
    ["a form that a check refuses", "I15", "store", "UPDATE forms SET is_active = 7 WHERE id = 'frm_2'"],
  ])("can be opened and checked, and reports %s", async (_what, invariant, record, statements) => {
    const path = oldStore();
    tamper(path, statements);
    const violations = await violationsOf(path);
    expect(violations).toContainEqual(expect.objectContaining({ invariant, record }));
    expect(versionOf(path)).toEqual([{ user_version: SCHEMA_VERSION }]);
  });

  it("is refused with an error if a required value is missing, and stays unchanged", async () => {
    const path = oldStore();
    const rename = (from: string, to: string) =>
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'fields'`;
    const required = "options TEXT NOT NULL";
    for (const statements of [
      rename(required, "options TEXT"),
      "UPDATE fields SET options = NULL",
      rename("options TEXT", required),
    ]) {
      const db = new DatabaseSync(path, { defensive: false });
      db.exec(statements);
      db.close();
    }
    await expect(violationsOf(path)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(versionOf(path)).toEqual([{ user_version: 1 }]);
  });

  it.each([
    ["a store of the first schema with a table of the second", 1, "CREATE TABLE forms_new (id)"],
    ["a store of the current schema without a column", SCHEMA_VERSION, "ALTER TABLE forms DROP COLUMN record_hash"],
  ])("is refused if it is partially migrated: %s", async (_what, version, statement) => {
    const path = oldStore();
    const db = new DatabaseSync(path);
    db.exec(`${statement}; PRAGMA user_version = ${version}`);
    db.close();
    const attempt = async () => {
      const store = openSqlite(path, { create: false });
      try {
        return await store.read((tx) => findFormParts(inOrganization(tx, "org_1"), "frm_1"));
      } finally {
        await store.close();
      }
    };
    await expect(attempt()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    expect(versionOf(path)).toEqual([{ user_version: version }]);
  });
});

describe("a store that is open while its schema changes", () => {
  const colors = (store: Store) => store.read((tx) => tx.all(sql`SELECT DISTINCT color FROM forms`));

  it("is migrated if a backup with an earlier schema replaces it", async () => {
    const [backup, path] = [oldStore(), join(folder(), "store.db")];
    const store = openSqlite(path, { create: true });
    expect(await colors(store)).toEqual([]);
    await restoreStore(backup, path);
    expect(await colors(store)).toEqual([{ color: "gray" }]);
    expect(await checkStore(store)).toEqual([]);
    await restoreStore(backup, path);
    expect(await store.write((tx) => tx.run(sql`UPDATE forms SET color = 'red'`))).toBe(2);
    expect(await colors(store)).toEqual([{ color: "red" }]);
    await store.close();
  });

  it("is refused, but not as damaged, if a newer formctl migrated it", async () => {
    const path = join(folder(), "store.db");
    const store = openSqlite(path, { create: true });
    const look = () => store.read((tx) => tx.all(sql`SELECT key FROM meta`));
    expect(await look()).toEqual([]);
    const db = new DatabaseSync(path);
    db.exec(`ALTER TABLE meta RENAME TO facts; PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    for (let time = 0; time < 2; time++) await expect(look()).rejects.toMatchObject({ code: "STORE_NEWER" });
    // The store is usable again after the former schema is restored.
    db.exec(`ALTER TABLE facts RENAME TO meta; PRAGMA user_version = ${SCHEMA_VERSION}`);
    db.close();
    expect(await look()).toEqual([]);
    await store.close();
  });
});

describe("a new store", () => {
  it("has the schema that the migrations create", async () => {
    const path = join(folder(), "new.db");
    await openSqlite(path, { create: true }).close();
    expect(versionOf(path)).toEqual([{ user_version: SCHEMA_VERSION }]);
    // A difference would be reported as a violation.
    expect(await violationsOf(path)).toEqual([]);
  });
});
