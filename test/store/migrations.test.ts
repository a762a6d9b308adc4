/** A store of an earlier schema is brought to the present one, and loses nothing. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { checkStore } from "../../src/store/invariants.ts";
import { initial } from "../../src/store/migrations/0001-initial.ts";
import { migrations, SCHEMA_VERSION } from "../../src/store/migrations/migrations.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { PAGE_SIZE } from "../../src/store/sqlite-schema.ts";
import { soundStores } from "./sound-store.ts";
import { temporaryFolders } from "../temporary.ts";

const soundStore = soundStores();
const folder = temporaryFolders();

/** Beside the store in `path`, one with the same records as the first version of the program kept them. */
function makeStoreOfFirstSchema(path: string): void {
  const present = new DatabaseSync(path, { readOnly: true });
  const triggers = present.prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").all();
  const id = Number(Object.values(present.prepare("PRAGMA application_id").get()!)[0]);
  present.close();
  const dialect = {
    tableOptions: "STRICT",
    text: "TEXT",
    sequence: "INTEGER PRIMARY KEY AUTOINCREMENT",
    triggers: triggers.map(({ sql }) => String(sql)),
  };
  const db = new DatabaseSync(`${path}.first`);
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}; PRAGMA foreign_keys = OFF`);
  for (const statement of initial(dialect)) db.exec(statement);
  db.exec(`ATTACH '${path}' AS present`);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").all();
  for (const { name } of tables) {
    const columns = db
      .prepare(`SELECT group_concat(name) AS all_of_them FROM pragma_table_info('${String(name)}')`)
      .get()!;
    const which = name === "mutations" ? "WHERE owner_layout_id IS NOT NULL" : "";
    const list = String(columns["all_of_them"]);
    db.exec(`INSERT INTO ${String(name)} (${list}) SELECT ${list} FROM present.${String(name)} ${which}`);
  }
  db.exec(`DETACH present; PRAGMA application_id = ${id}; PRAGMA user_version = 1`);
  db.close();
}

describe("a store of the first schema", () => {
  it("is brought to the present one when it is opened, with its kept answers and its trail", async () => {
    expect(SCHEMA_VERSION).toBe(migrations.length);
    const path = await soundStore();
    makeStoreOfFirstSchema(path);
    const store = openSqlite(`${path}.first`, { create: false });
    expect(await checkStore(store)).toEqual([]);
    await store.close();
    const db = new DatabaseSync(`${path}.first`, { readOnly: true });
    expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: SCHEMA_VERSION });
    expect(db.prepare("SELECT client_mutation_id, owner_layout_id, owner_form_id FROM mutations").all()).toEqual([
      { client_mutation_id: "mut-1", owner_layout_id: "lay_org", owner_form_id: null },
    ]);
    expect(db.prepare("SELECT seq, operation, request_id FROM audit ORDER BY seq").all()).toEqual([
      { seq: 1, operation: "publishLayout", request_id: null },
      { seq: 2, operation: "updateForm", request_id: null },
    ]);
    db.close();
  });

  it("has the same schema as a new one afterwards", async () => {
    const path = join(folder(), "new.db");
    const fresh = openSqlite(path, { create: true });
    // What differs from the schema that the migrations make would be a violation.
    expect(await checkStore(fresh)).toEqual([]);
    await fresh.close();
  });
});
