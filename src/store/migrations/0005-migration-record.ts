/**
 * Adds the record of `formctl migrate`: the migrations of layouts and forms that ran on each organization. It has
 * nothing to do with the migrations of the schema in this folder.
 *
 * `revision` changes with each write, so that a process can write only over the state that it has read. An entry is one
 * migration, as JSON text in the format of src/migrations/record.ts.
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
