/** Copies a store into a database that lives no longer than this process, and whose writes are not flushed to the disk. */

import { closeSync, openSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileError, translate } from "./errors.ts";
import { SCHEMA_VERSION } from "./migrations/migrations.ts";
import { connect } from "./sqlite-connection.ts";
import { migrate, pragma } from "./sqlite-schema.ts";

/**
 * Copies the store in `path` to a temporary file and opens the copy. The file is deleted at once: the open database
 * keeps its pages until it is closed or the process ends, even if the process is killed. On Windows, an open file can't
 * be deleted, so it is deleted when the process exits.
 *
 * @throws StoreError
 */
export async function copyDatabase(path: string): Promise<DatabaseSync> {
  const { db: live } = connect(path, "look");
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), "formctl-copy-"));
    const file = join(folder, "store.db");
    // The file is created here, because SQLite would create a file that all users can read.
    closeSync(openSync(file, "wx", 0o600));
    translate(path, () => live.prepare("VACUUM INTO ?").run(file));
    return openScratch(file);
  } catch (error) {
    throw fileError(path, error);
  } finally {
    live.close();
    await deleteFolder(folder);
  }
}

function openScratch(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  try {
    // Reads the first page, so that the file is open before it is deleted.
    useScratchSettings(db);
    if (pragma(db, "user_version") < SCHEMA_VERSION) migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes writes fast: nothing is flushed, and the journal is in memory, because no other process reads the database. */
export function useScratchSettings(db: DatabaseSync): void {
  db.exec(`
    PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;
    PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY`);
}

async function deleteFolder(folder: string | undefined): Promise<void> {
  if (folder === undefined) return;
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove().catch(() => process.once("exit", () => void remove()));
}
