/** The schema of a SQLite store: how it comes about, and whether a file has it. */

import { DatabaseSync } from "node:sqlite";
import { initialTriggers } from "./migrations/0001-initial.ts";
import { contentTriggers } from "./migrations/0003-layout-contents.ts";
import { migrations, SCHEMA_VERSION } from "./migrations/migrations.ts";
import { hashOf } from "./record-hash.ts";
import { StoreError } from "./store.ts";

/** "fctl" in ASCII: how SQLite's own tools and ours tell this file from another program's. */
const APPLICATION_ID = 0x66_63_74_6c;

/** Suits drafts, which are long texts. All stores have the same, so that one can be copied over another. */
export const PAGE_SIZE = 8192;

type SchemaRow = { type: string; name: string; tbl_name: string; sql: string | null };

/** Whose file this is. */
export function identify(db: DatabaseSync): "ours" | "empty" | "foreign" {
  if (pragma(db, "application_id") === APPLICATION_ID) return "ours";
  // All that is left is read in one snapshot, because another process may be making the store just now.
  db.exec("BEGIN");
  const applicationId = pragma(db, "application_id");
  const isEmpty = applicationId === 0 && pragma(db, "schema_version") === 0;
  db.exec("COMMIT");
  if (applicationId === APPLICATION_ID) return "ours";
  return isEmpty ? "empty" : "foreign";
}

/**
 * Refuses a schema that this program does not know, and a file that brings code of its own: SQLite would run a foreign
 * trigger or view with our queries.
 *
 * @returns the schema's version
 * @throws StoreError
 */
export function inspectSchema(db: DatabaseSync, path: string): number {
  const version = pragma(db, "user_version");
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      "STORE_NEWER",
      `${path} was written by a newer formctl (schema ${version}; this one knows ${SCHEMA_VERSION})`,
      "Upgrade formctl, or name another store with --store.",
    );
  }
  if (version < 1 && identify(db) === "ours") {
    throw new StoreError(
      "STORE_CORRUPT",
      `${path} is marked as a formctl store, and has none of its tables`,
      "Restore a backup: formctl local restore FILE",
    );
  }
  const own = new Set([...initialTriggers, ...contentTriggers]);
  const suspects = "type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'";
  const foreign = schemaRows(db, suspects).find(({ type, sql }) => type !== "trigger" || !own.has(sql ?? ""));
  if (foreign) {
    throw new StoreError(
      "STORE_FOREIGN",
      `${path} holds a ${foreign.type} that formctl did not make: ${foreign.name}`,
      "Do not use this file, or remove that part with a tool for SQLite.",
    );
  }
  return version;
}

/**
 * Runs the steps that are missing, all in one transaction; a process that comes second finds nothing left to do. Records that
 * break a key or a check are taken along as they are: a damaged store can be opened, for the check to tell what is wrong with
 * it, and for a backup to replace it.
 */
export function migrate(db: DatabaseSync, to: number = SCHEMA_VERSION): void {
  // A number that JavaScript can't hold exactly is hashed as SQLite has it.
  db.function("record_hash", { useBigIntArguments: true, varargs: true, directOnly: true }, (...values) =>
    hashOf(values as (string | bigint | null)[]),
  );
  // Inside a transaction keys can't be switched.
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
      for (const statement of step) db.exec(statement);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${to}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** A store without records, in memory; of an earlier schema where `version` says so. */
export function emptyStore(version?: number): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec(`PRAGMA page_size = ${PAGE_SIZE}`);
  migrate(db, version);
  return db;
}

/** What the migrations make: the same each time, and made once. By schema version. */
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

/** What differs from the schema that the migrations make: a key that somebody dropped guards nothing any more. */
export function schemaDifferences(db: DatabaseSync, version: number = SCHEMA_VERSION): string[] {
  const wanted = new Map(migratedRows(version).map((row) => [row.name, row]));
  const found = new Map(schemaRows(db).map((row) => [row.name, row]));
  const differences: string[] = [];
  for (const { type, name, tbl_name, sql } of wanted.values()) {
    const row = found.get(name);
    // The index of a key goes with the table that says so.
    if (sql === null && found.get(tbl_name)?.sql !== wanted.get(tbl_name)?.sql) continue;
    if (!row) differences.push(`the ${type} ${name} is missing`);
    else if (row.sql !== sql) differences.push(`the ${type} ${name} is not as formctl made it`);
  }
  for (const { type, name } of found.values()) {
    if (!wanted.has(name)) differences.push(`the ${type} ${name} is not formctl's`);
  }
  return differences;
}

/** The number that `PRAGMA name` answers. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

/** Without the statistics that SQLite keeps by itself. The indexes of keys have no text. */
function schemaRows(db: DatabaseSync, condition = "true"): SchemaRow[] {
  return db
    .prepare(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema
       WHERE (name NOT LIKE 'sqlite\\_%' ESCAPE '\\' OR name LIKE 'sqlite\\_autoindex%' ESCAPE '\\') AND (${condition})`,
    )
    .all() as SchemaRow[];
}
