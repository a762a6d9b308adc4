/**
 * Copies, replaces and empties a whole store.
 *
 * Only SQLite opens a live database. If this process opened and closed the file with `fs`, SQLite would lose its locks.
 *
 * A store is replaced by overwriting its pages in one transaction. Other processes read the new records from their next
 * transaction on. If the file were renamed, other processes would continue to write to the old file.
 */

import { existsSync, statSync } from "node:fs";
import { link, mkdtemp, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { StoreBackup, StoreCounts, StoreRestored } from "../local-service.ts";
import { syncFile, syncFolder } from "../disk/flush.ts";
import { placeNewFile } from "../disk/write-file.ts";
import { mkdirsDurably } from "../disk/folders.ts";
import { existing, fileError, busy, BUSY_TIMEOUT_MS, toStoreError, translate } from "./errors.ts";
import { connect } from "./sqlite-connection.ts";
import { SIDE_FILES } from "./sqlite-file.ts";
import { emptyStore, pragma, schemaDifferences } from "./sqlite-schema.ts";
import { StoreError } from "./store.ts";
import { uploadFiles } from "./uploads.ts";

/** More pages than any store has. All pages are copied in one step, so that no other transaction can intervene. */
const ALL_PAGES = 2 ** 30;

/**
 * Copies the store in `path` to the new file `into` (0600). Other processes can use the store meanwhile.
 *
 * @throws StoreError when `into` exists or the copy is damaged
 */
export async function backupStore(path: string, into: string): Promise<StoreBackup> {
  refuseSameFile(into, path, "Specify a new file.");
  const { db } = connect(path, "look");
  try {
    const draft = await makeDraft(db, into, path);
    try {
      for (const suffix of ["", ...SIDE_FILES]) if (existsSync(into + suffix)) throw existing(into + suffix);
      await placeNewFile(draft.path, into);
    } catch (error) {
      throw fileError(into, error);
    } finally {
      await draft.remove();
    }
    return { path: into, bytes: (await stat(into)).size, counts: draft.counts };
  } finally {
    db.close();
  }
}

/**
 * Replaces the store in `path` by the backup `from`. A missing store is created. A store that can't be read is renamed
 * first.
 *
 * @returns the number of records, and the new path of a damaged store
 * @throws StoreError when `from` is not an intact store. Nothing is changed
 * @throws StoreError when another process keeps `path` locked. Nothing is changed
 */
export async function restoreStore(from: string, path: string): Promise<StoreRestored> {
  const source = openBackup(from, path);
  try {
    return { damaged: await replace(source, path), counts: countRecords(source) };
  } finally {
    source.close();
  }
}

/** Counts the records of the backup `from`. @throws StoreError if the backup can't replace the store in `path` */
export async function inspectBackup(from: string, path: string): Promise<StoreCounts> {
  const source = openBackup(from, path);
  try {
    return countRecords(source);
  } finally {
    source.close();
  }
}

/**
 * Deletes all records and uploaded files of a store. A damaged store is renamed.
 *
 * @returns the new path of a damaged store
 */
export async function resetStore(path: string): Promise<{ damaged: string | undefined }> {
  const source = emptyStore();
  try {
    const damaged = await replace(source, path);
    await uploadFiles(path).clear();
    return { damaged };
  } finally {
    source.close();
  }
}

function openBackup(from: string, path: string): DatabaseSync {
  // The files are compared before the backup is opened. The backup may be a hard link to the store. Then SQLite would
  // have two separate logs for the same file.
  refuseSameFile(from, path, "Specify a backup of the store.");
  const source = connectBackup(from);
  try {
    requireIntact(source, from, "Use another backup. Nothing was changed.");
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Refuses a file that is the store itself. Compares device and inode, because a hard link has a different path. */
function refuseSameFile(file: string, path: string, hint: string): void {
  const [one, other] = [file, path].map((name) => statSync(name, { throwIfNoEntry: false, bigint: true }));
  if (one && other && one.dev === other.dev && one.ino === other.ino)
    throw new StoreError("STORE_UNUSABLE", `${file} is the store itself`, hint);
}

function connectBackup(from: string): DatabaseSync {
  try {
    return connect(from, "look").db;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const message = error.code === "STORE_MISSING" ? `no backup found at ${from}` : error.message;
    throw new StoreError(error.code, message, "Specify a file that formctl local backup created.", { cause: error });
  }
}

/**
 * Requires intact pages, foreign keys and schema. Without the keys of the schema, a store would accept invalid records.
 */
function requireIntact(db: DatabaseSync, path: string, hint: string): void {
  const problems = translate(path, () => [
    ...db
      .prepare("PRAGMA integrity_check(1)")
      .all()
      .map((row) => String(row["integrity_check"])),
    ...db
      .prepare("PRAGMA foreign_key_check")
      .all()
      .map((row) => `a row of ${String(row["table"])} refers to a missing row`),
    ...schemaDifferences(db, pragma(db, "user_version")),
  ]);
  const problem = problems.find((line) => line !== "ok");
  if (problem === undefined) return;
  throw new StoreError("STORE_CORRUPT", `${path} is damaged: ${problem}`, hint);
}

/** Replaces or creates the store in `path`. @returns the new path of existing files that can't be read */
async function replace(source: DatabaseSync, path: string): Promise<string | undefined> {
  if (isUsable(path)) {
    await overwrite(source, path);
    return undefined;
  }
  const draft = await makeDraft(source, path, path);
  try {
    // Another process may have created or restored the store meanwhile.
    if (!isUsable(path)) return await replaceFile(draft.path, path);
    await overwrite(source, path);
    return undefined;
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await draft.remove();
  }
}

/**
 * Whether the store can be opened.
 *
 * @returns false if the store is missing or damaged
 * @throws StoreError if the store has another problem
 */
function isUsable(path: string): boolean {
  try {
    connect(path, "open").db.close();
    return true;
  } catch (error) {
    const code = error instanceof StoreError ? error.code : undefined;
    if (code !== "STORE_MISSING" && code !== "STORE_CORRUPT") throw error;
    return false;
  }
}

/** Overwrites a live store with `source` in one transaction, after the current writer has finished. */
async function overwrite(source: DatabaseSync, path: string): Promise<void> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      await backup(source, pathToFileURL(path), { rate: ALL_PAGES });
      return;
    } catch (error) {
      // If another process holds a lock, `backup` throws an error with code 0, or a busy error.
      const storeError = toStoreError(path, error);
      const isBusy = (error as { errcode?: number }).errcode === 0;
      if (!isBusy && !(storeError instanceof StoreError && storeError.code === "STORE_BUSY")) throw storeError;
      if (performance.now() > deadline) throw busy(path, error);
      await setTimeout(20);
    }
  }
}

/** Copies `db` to a temporary folder next to `into`. Checks the copy, and flushes the copy to the disk. */
async function makeDraft(
  db: DatabaseSync,
  into: string,
  path: string,
): Promise<{ path: string; counts: StoreCounts; remove: () => Promise<void> }> {
  const folder = dirname(resolve(into));
  let temporary: string | undefined;
  const remove = async () => {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  };
  try {
    mkdirsDurably(folder, 0o700);
    temporary = await mkdtemp(join(folder, ".formctl-"));
    const draft = join(temporary, "store.db");
    // SQLite would create a file that all users can read, so the file is created here.
    await (await open(draft, "wx", 0o600)).close();
    translate(path, () => db.prepare("VACUUM INTO ?").run(draft));
    const copy = connect(draft, "look").db;
    try {
      // The integrity check checks all cells. The file is not mapped into memory: where the disk can't read a mapped page,
      // or another process shortens the file, the system ends the process with a signal.
      pragma(copy, "cell_size_check = OFF");
      requireIntact(copy, path, "List all damage: formctl local check");
      return { path: draft, counts: countRecords(copy), remove };
    } finally {
      copy.close();
      await syncFile(draft);
    }
  } catch (error) {
    await remove();
    throw fileError(into, error);
  }
}

/**
 * Moves the temporary copy `draft` to the path of a missing or damaged store. Existing files are renamed.
 *
 * The side files are renamed first: SQLite would apply an old write-ahead log to the new store. The old main file keeps
 * its name until the new file replaces it. So a killed process leaves either the old or the new store.
 *
 * @returns the new path of the old files
 */
async function replaceFile(draft: string, path: string): Promise<string | undefined> {
  const names = ["", ...SIDE_FILES];
  const found = names.filter((suffix) => existsSync(path + suffix));
  let aside = `${path}.damaged`;
  for (let number = 2; names.some((suffix) => existsSync(aside + suffix)); number++)
    aside = `${path}.damaged-${number}`;
  for (const suffix of found) if (suffix !== "") await rename(path + suffix, aside + suffix);
  await syncFolder(dirname(path));
  if (!found.includes("")) {
    await placeNewFile(draft, path);
    return found[0] && aside + found[0];
  }
  try {
    await link(path, aside);
  } catch {
    // The file system has no hard links. If the process is killed between the two renames, the store is missing. The
    // next restore creates the store.
    await rename(path, aside);
  }
  await rename(draft, path);
  await syncFolder(dirname(path));
  return aside;
}

function countRecords(db: DatabaseSync): StoreCounts {
  const row = db
    .prepare(
      `SELECT (SELECT count(*) FROM organizations) AS organizations, (SELECT count(*) FROM forms) AS forms,
        (SELECT count(*) FROM layouts) AS layouts, (SELECT count(*) FROM layout_versions) AS versions,
        (SELECT count(*) FROM public_uploads) AS uploads`,
    )
    .get();
  return { ...row } as StoreCounts;
}
