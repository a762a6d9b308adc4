/**
 * Copies a store into a temporary database. The database is deleted when this process ends, at the latest. Its writes
 * are not flushed to the disk.
 */

import { closeSync, openSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileError, translate } from "./errors.ts";
import { SCHEMA_VERSION } from "./migrations.ts";
import { connect } from "./sqlite-connection.ts";
import { emptyStore, migrate, pragma } from "./sqlite-schema.ts";

/** The maximum size of a copy in memory, in bytes. A larger copy is in a temporary file. */
const MAX_IN_MEMORY = 64 * 2 ** 20;

/**
 * Copies the store in `path`, and opens the copy.
 *
 * @param growth the number of bytes that the caller will add to the copy, approximately
 * @throws StoreError
 */
export async function copyDatabase(path: string, growth = 0): Promise<DatabaseSync> {
  const { db: live } = connect(path, "look");
  try {
    const bytes = pragma(live, "page_count") * pragma(live, "page_size");
    const fits = bytes + growth <= MAX_IN_MEMORY;
    const copy = fits
      ? translate(path, () => inMemory(live.serialize()))
      : await inTemporaryFile((file) => void translate(path, () => live.prepare("VACUUM INTO ?").run(file)));
    return translate(path, () => usable(copy));
  } catch (error) {
    throw fileError(path, error);
  } finally {
    live.close();
  }
}

function inMemory(image: Uint8Array): DatabaseSync {
  withoutLog(image);
  const db = new DatabaseSync(":memory:");
  db.deserialize(image);
  return db;
}

/** Changes the header of a database image: a copy has no write-ahead log. */
function withoutLog(image: Uint8Array): Uint8Array {
  image[18] = image[19] = 1;
  return image;
}

/**
 * Opens a database in a temporary file. The file is deleted as soon as it is open. So a killed process leaves no file.
 * The operating system keeps the pages until the database is closed or the process ends. Windows can't delete an open
 * file: there the file is deleted when the process exits.
 *
 * @param write writes the database into the empty file
 */
async function inTemporaryFile(write: (file: string) => void): Promise<DatabaseSync> {
  const folder = await mkdtemp(join(tmpdir(), "formctl-copy-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, "store.db");
    // SQLite would create a file that all users can read, so the file is created here.
    closeSync(openSync(file, "wx", 0o600));
    write(file);
    return new DatabaseSync(file);
  } finally {
    await remove().catch(() => process.once("exit", () => void remove()));
  }
}

/** Opens an empty store that is not durable. @param growth see `copyDatabase` */
export async function emptyDatabase(growth: number): Promise<DatabaseSync> {
  const empty = emptyStore();
  const image = empty.serialize();
  empty.close();
  if (growth <= MAX_IN_MEMORY) return usable(inMemory(image));
  return usable(await inTemporaryFile((file) => writeFileSync(file, withoutLog(image))));
}

/** Makes writes fast. No other process reads the database, so nothing is flushed, and the journal is in memory. */
function usable(db: DatabaseSync): DatabaseSync {
  try {
    db.exec(`
      PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON;
      PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY`);
    if (pragma(db, "user_version") < SCHEMA_VERSION) migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
