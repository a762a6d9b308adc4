/** Opens a connection to a SQLite file. Checks the file, and applies the settings for durable writes. */

import { DatabaseSync } from "node:sqlite";
import {
  BUSY_TIMEOUT_MS,
  isBusy,
  isUnopenable,
  readOnly as readOnlyError,
  translate,
  unreadableLog,
} from "./errors.ts";
import { databaseUrl, hasLog, isWritable, prepareFile } from "./sqlite-file.ts";
import { identify, inspectSchema, migrate, PAGE_SIZE } from "./sqlite-schema.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import { StoreError } from "./store.ts";

/** `readOnly` is true in the mode `look`, and if the file or its folder is write-protected. */
export type Connection = { db: DatabaseSync; readOnly: boolean };

/**
 * Opens the store in `path`:
 *
 * - `open` migrates an old schema.
 * - `create` also migrates an old schema, and creates a missing store.
 * - `look` changes nothing.
 *
 * @throws StoreError when the store is missing, or the file is not a usable store
 */
export function connect(path: string, mode: "open" | "create" | "look"): Connection {
  refuseUnsafeSqlite(process.versions.sqlite ?? "0");
  prepareFile(path, mode === "create");
  const writable = isWritable(path);
  const readOnly = mode === "look" || !writable;
  return translate(path, () => {
    const db = new DatabaseSync(databaseUrl(path, !writable), {
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
      readOnly: !writable,
    });
    try {
      prepare(db, path, mode, readOnly);
    } catch (error) {
      db.close();
      throw !writable && hasLog(path) && isUnopenable(error) ? unreadableLog(path, error) : error;
    }
    return { db, readOnly };
  });
}

/**
 * Refuses SQLite before 3.51.3. With such a version, two processes can corrupt a WAL file (sqlite.org/wal.html,
 * "WAL-reset bug"). @throws StoreError
 */
export function refuseUnsafeSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > 3 || (major === 3 && (minor > 51 || (minor === 51 && patch >= 3)))) return;
  throw new StoreError(
    "STORE_UNUSABLE",
    `this Node version includes SQLite ${version}, which can corrupt a store that two processes use`,
    "Use Node 24.16, or 26.1 or newer, which includes SQLite 3.51.3 or newer.",
  );
}

function prepare(db: DatabaseSync, path: string, mode: "open" | "create" | "look", readOnly: boolean): void {
  // The file may come from an untrusted source. These settings detect damaged cells, and forbid the schema to call
  // unsafe functions.
  db.exec("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
  const origin = identify(db);
  if (origin === "foreign" || (origin === "empty" && mode !== "create")) {
    throw new StoreError(
      "STORE_FOREIGN",
      origin === "empty" ? `${path} is empty and not a formctl store` : `${path} is not a formctl store`,
      origin === "empty" ? "Create a store in it: formctl local init" : "Specify another file with --store.",
    );
  }
  const version = inspectSchema(db, path);
  // The cache has 32 MiB: the default of 2 MiB is too small for concurrent writers and for the check of a whole store.
  db.exec("PRAGMA cache_size = -32768");
  if (readOnly) {
    if (version < SCHEMA_VERSION && mode !== "look") throw readOnlyError(path);
    return;
  }
  // The page size can only be set before the first page is written.
  if (origin === "empty") db.exec(`PRAGMA page_size = ${PAGE_SIZE}`);
  useWriteAheadLog(db, path);
  // - `synchronous` flushes the log to the disk before a write is acknowledged.
  // - `fullfsync` and `checkpoint_fullfsync` also flush the cache of the disk on macOS.
  // - `journal_size_limit` shrinks a log that has grown during a long read.
  // - `temp_store` keeps statement journals in memory: most of them are discarded unused.
  db.exec(`
    PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY`);
  if (version < SCHEMA_VERSION) migrate(db);
}

/**
 * Switches to the write-ahead log. This needs an exclusive lock. SQLite does not wait for the lock, so this function
 * tries again until the timeout.
 */
function useWriteAheadLog(db: DatabaseSync, path: string): void {
  // Most connections do not wait, and need no clock.
  let deadline: number | undefined;
  for (;;) {
    try {
      const row = db.prepare("PRAGMA journal_mode = WAL").get() as { journal_mode: string };
      if (row.journal_mode === "wal") return;
      throw new StoreError(
        "STORE_UNUSABLE",
        `the file system of ${path} does not support a write-ahead log. Network folders do not`,
        "Use a file on a local disk: --store PATH",
      );
    } catch (error) {
      if (!isBusy(error)) throw error;
      deadline ??= performance.now() + BUSY_TIMEOUT_MS;
      if (performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
