/** One connection to a store in a SQLite file: checked, with the settings that keep every acknowledged write. */

import { DatabaseSync } from "node:sqlite";
import { BUSY_TIMEOUT_MS, isBusy, readOnly as readOnlyError, translate } from "./errors.ts";
import { databaseUrl, isWritable, prepareFile } from "./sqlite-file.ts";
import { identify, inspectSchema, migrate, PAGE_SIZE } from "./sqlite-schema.ts";
import { SCHEMA_VERSION } from "./migrations/migrations.ts";
import { StoreError } from "./store.ts";

/** `readOnly` where the file or its folder is write-protected: then there is no way to write, only to read. */
export type Connection = { db: DatabaseSync; readOnly: boolean };

/**
 * Opens the store in `path`. `create` makes a new one where there is none; `look` is for who only reads:
 * it changes nothing, not even an old schema.
 *
 * @throws StoreError when there is no store, or the file is not one that this program can use
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
      throw error;
    }
    return { db, readOnly };
  });
}

/** SQLite before 3.51.3 can corrupt a WAL file that two processes use (sqlite.org/wal.html, "WAL-reset bug"). */
export function refuseUnsafeSqlite(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major > 3 || (major === 3 && (minor > 51 || (minor === 51 && patch >= 3)))) return;
  throw new StoreError(
    "STORE_UNUSABLE",
    `this Node brings SQLite ${version}, which can corrupt a store that two processes use`,
    "Use Node 24.15 or newer, which brings SQLite 3.51.3 or newer.",
  );
}

function prepare(db: DatabaseSync, path: string, mode: "open" | "create" | "look", readOnly: boolean): void {
  // The file may come from anybody: damaged cells are noticed, and its schema can call no function.
  db.exec("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
  const whose = identify(db);
  if (whose === "foreign" || (whose === "empty" && mode !== "create")) {
    throw new StoreError(
      "STORE_FOREIGN",
      whose === "empty" ? `${path} is empty: it holds no formctl store` : `${path} is not a formctl store`,
      whose === "empty" ? "Make a store of it with formctl local init." : "Name another file with --store.",
    );
  }
  const version = inspectSchema(db, path);
  if (readOnly) {
    if (version < SCHEMA_VERSION && mode !== "look") throw readOnlyError(path);
    return;
  }
  // The page size can only be set before the first page is written.
  if (whose === "empty") db.exec(`PRAGMA page_size = ${PAGE_SIZE}`);
  useWriteAheadLog(db, path);
  // FULL: the log reaches the disk before a write is acknowledged. The next two matter on macOS, where an ordinary sync
  // stops at the disk's cache. A long reader makes the log grow; afterwards it shrinks to the size of the last. Pages are
  // kept (32 MiB at most), because what many writers at once touch is more than SQLite's usual 2 MiB; and what undoes one
  // write of many in a transaction is kept in memory, where a file would be written and thrown away for most of them.
  db.exec(`
    PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;
    PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY`);
  if (version < SCHEMA_VERSION) migrate(db);
}

/** Switching the mode needs the file alone for a moment, and SQLite does not wait for that by itself. */
function useWriteAheadLog(db: DatabaseSync, path: string): void {
  // Only who has to wait looks at the clock, whose module takes a millisecond to load.
  let deadline: number | undefined;
  for (;;) {
    try {
      const row = db.prepare("PRAGMA journal_mode = WAL").get() as { journal_mode: string };
      if (row.journal_mode === "wal") return;
      throw new StoreError(
        "STORE_UNUSABLE",
        `the file system of ${path} can't keep a write-ahead log, as network folders can't`,
        "Keep the store on a local disk: name another file with --store.",
      );
    } catch (error) {
      if (!isBusy(error)) throw error;
      deadline ??= performance.now() + BUSY_TIMEOUT_MS;
      if (performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
