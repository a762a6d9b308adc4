/**
 * Adds the record of `formctl migrate`: the migrations of layouts and forms that ran on each organization. They are not
 * the migrations of the schema in this folder.
 *
 * Each write changes `revision`. Before a write, a process compares `revision` with the value that it has read. So it
 * does not overwrite the changes of another process. An entry is one migration, as JSON text in the format of
 * src/migrations/record.ts.
 */

export const migrationRecord: readonly string[] = [
  `CREATE TABLE migration_records (
       org_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
       revision TEXT NOT NULL) STRICT`,
  `CREATE TABLE migration_entries (
       id TEXT PRIMARY KEY,
       org_id TEXT NOT NULL REFERENCES migration_records (org_id) ON DELETE CASCADE,
       position INTEGER NOT NULL CHECK (position >= 0),
       name TEXT NOT NULL,
       entry TEXT NOT NULL,
       record_hash TEXT NOT NULL DEFAULT '',
       UNIQUE (org_id, name)) STRICT`,
];
