/** Creates and migrates the schema of a store. Compares the schema of a file with the expected schema. */

import { DatabaseSync } from "node:sqlite";
import { triggerDdl } from "./ddl.ts";
import { migrations, SCHEMA_VERSION } from "./migrations.ts";
import { hashOf } from "./record-hash.ts";
import { StoreError } from "./store.ts";
import { triggers } from "./triggers.ts";

/** "fctl" in ASCII: identifies a formctl store to SQLite tools and to formctl. */
const APPLICATION_ID = 0x66_63_74_6c;

/**
 * The page size in bytes. It suits drafts, which are long texts. All stores have the same page size, so that a store
 * can be copied over another store.
 */
export const PAGE_SIZE = 8192;

type SchemaRow = { type: string; name: string; tbl_name: string; sql: string | null };

/** Determines whether the file is a formctl store, empty, or a file of another program. */
export function identify(db: DatabaseSync): "ours" | "empty" | "foreign" {
  if (pragma(db, "application_id") === APPLICATION_ID) return "ours";
  // Both values are read in one snapshot, because another process may be creating the store.
  db.exec("BEGIN");
  const applicationId = pragma(db, "application_id");
  const isEmpty = applicationId === 0 && pragma(db, "schema_version") === 0;
  db.exec("COMMIT");
  if (applicationId === APPLICATION_ID) return "ours";
  return isEmpty ? "empty" : "foreign";
}

/**
 * Refuses a schema of a newer formctl. Also refuses triggers, views and virtual tables of other programs: SQLite would
 * run their code together with the queries of formctl.
 *
 * @returns the schema's version
 * @throws StoreError
 */
export function inspectSchema(db: DatabaseSync, path: string): number {
  // The mark is read before the version: another process that creates the store commits both together, so a store that
  // is marked has a version.
  const marked = pragma(db, "application_id") === APPLICATION_ID;
  const version = pragma(db, "user_version");
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      "STORE_NEWER",
      `${path} was written by a newer formctl (schema ${version}; this version supports ${SCHEMA_VERSION})`,
      "Upgrade formctl, or specify another store with --store.",
    );
  }
  if (version < 1 && marked) {
    throw new StoreError(
      "STORE_CORRUPT",
      `${path} is marked as a formctl store, but has no tables`,
      "Restore a backup: formctl local restore FILE",
    );
  }
  const own = new Set(triggers.flatMap((trigger) => triggerDdl(trigger, "sqlite")));
  const suspects = "type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'";
  const foreign = schemaRows(db, suspects).find(({ type, sql }) => type !== "trigger" || !own.has(sql ?? ""));
  if (foreign) {
    throw new StoreError(
      "STORE_FOREIGN",
      `${path} contains a ${foreign.type} that formctl did not create: ${foreign.name}`,
      "Specify another file with --store.",
    );
  }
  return version;
}

/**
 * Runs the missing migrations in one transaction. If two processes migrate at the same time, the second process finds
 * no missing migrations. Records that violate a key or CHECK constraint are migrated unchanged. So a damaged store can
 * be opened, checked, and replaced by a backup.
 */
export function migrate(db: DatabaseSync, to: number = SCHEMA_VERSION): void {
  // Numbers are passed as BigInt: as a JavaScript number, a large number would lose digits.
  db.function("record_hash", { useBigIntArguments: true, varargs: true, directOnly: true }, (...values) =>
    hashOf(values as (string | bigint | null)[]),
  );
  // SQLite ignores these settings inside a transaction, so they are changed before the transaction.
  db.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  try {
    migrateUnguarded(db, to);
  } finally {
    db.exec("PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF");
  }
}

function migrateUnguarded(db: DatabaseSync, to: number): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const step of migrations.slice(pragma(db, "user_version"), to)) {
      for (const statement of step("sqlite")) db.exec(statement);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${to}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Creates an empty store in memory, optionally with an earlier schema. */
export function emptyStore(version?: number): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}`);
  migrate(db, version);
  return db;
}

/**
 * The schemas that the migrations create, by version. They can be cached, because a released migration never changes.
 */
const migrated = new Map<number, readonly SchemaRow[]>();

function migratedRows(version: number): readonly SchemaRow[] {
  const known = migrated.get(version);
  if (known) return known;
  const reference = emptyStore(version);
  const rows = schemaRows(reference);
  reference.close();
  migrated.set(version, rows);
  return rows;
}

/**
 * Returns the differences between the schema of a store and the schema that the migrations create. They count as
 * damage: a store with a dropped key would accept invalid records.
 */
export function schemaDifferences(db: DatabaseSync, version: number = SCHEMA_VERSION): string[] {
  const expected = new Map(migratedRows(version).map((row) => [row.name, row]));
  const found = new Map(schemaRows(db).map((row) => [row.name, row]));
  const differences: string[] = [];
  for (const { type, name, tbl_name, sql } of expected.values()) {
    const row = found.get(name);
    // If the table of an implicit index has changed, only the table is reported.
    if (sql === null && found.get(tbl_name)?.sql !== expected.get(tbl_name)?.sql) continue;
    if (!row) differences.push(`the ${type} ${name} is missing`);
    else if (row.sql !== sql) differences.push(`the ${type} ${name} differs from the one that formctl creates`);
  }
  for (const { type, name } of found.values()) {
    if (!expected.has(name)) differences.push(`the ${type} ${name} was not created by formctl`);
  }
  return differences;
}

/** Returns the numeric value of `PRAGMA name`. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Returns the schema without the internal tables of SQLite. Implicit indexes of keys have no SQL text. */
function schemaRows(db: DatabaseSync, condition = "true"): SchemaRow[] {
  return db
    .prepare(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema
       WHERE (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name LIKE 'sqlite\\_autoindex%' ESCAPE '\\') AND (${condition})`,
    )
    .all() as SchemaRow[];
}
