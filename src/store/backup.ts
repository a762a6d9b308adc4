/**
 * A store as a whole: copied into a file, replaced by a copy, made empty.
 *
 * SQLite does all of it, and `fs` never opens a live database: its locks would be lost. A store is replaced by
 * overwriting its pages in one transaction, so that processes which have it open see the new records from their next
 * transaction on. A renamed file would leave them writing into one that nobody finds any more.
 */

import { existsSync, statSync } from "node:fs";
import { link, mkdtemp, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { StoreCounts } from "../schemas/store-facts.ts";
import { syncFile, syncFolder, placeNewFile } from "../disk/write-file.ts";
import { mkdirs } from "../disk/folders.ts";
import { existing, fileError } from "./file-errors.ts";
import { connect } from "./sqlite-connection.ts";
import { busy, BUSY_TIMEOUT_MS, readOnly as readOnlyError, toStoreError, translate } from "./sqlite-errors.ts";
import { SIDE_FILES } from "./sqlite-file.ts";
import { emptyStore, pragma, schemaDifferences } from "./sqlite-schema.ts";
import { StoreError } from "./store.ts";
import { uploadFiles } from "./upload-files.ts";

/** How many pages are copied at once: all, so that nothing can come between. */
const ALL_PAGES = 2 ** 30;

/**
 * Copies the store in `path` into the new file `into` (0600), as it is at this moment and while others use it.
 *
 * @throws StoreError when `into` exists, or the copy is not sound
 */
export async function backupStore(
  path: string,
  into: string,
): Promise<{ path: string; bytes: number; counts: StoreCounts }> {
  refuseSameFile(into, path, "Name a new file.");
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
 * Makes the store in `path` what the backup `from` holds, or creates it. A store that can't be read is set aside first.
 *
 * @returns what the store holds now, and where a damaged one was put
 * @throws StoreError when `from` is no sound store, or another process does not let go of `path`; nothing is changed then
 */
export async function restoreStore(
  from: string,
  path: string,
): Promise<{ counts: StoreCounts; damaged: string | undefined }> {
  const source = openBackup(from, path);
  try {
    return { damaged: await replace(source, path), counts: countRecords(source) };
  } finally {
    source.close();
  }
}

/** What the backup `from` holds. @throws StoreError when the store in `path` can't be replaced by it */
export async function inspectBackup(from: string, path: string): Promise<StoreCounts> {
  const source = openBackup(from, path);
  try {
    return countRecords(source);
  } finally {
    source.close();
  }
}

/** Makes the store in `path` one without records or uploaded files. @returns where a damaged one was put */
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
  // Before it is opened: a second name has a log of its own, and both logs would be written into one file.
  refuseSameFile(from, path, "Name a backup of it.");
  const source = connectBackup(from);
  try {
    refuseDamaged(source, from, "Use another backup: nothing was changed.");
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Device and inode are compared: a hard link is the same file under a path that looks like another one. */
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
    const message = error.code === "STORE_MISSING" ? `there is no backup at ${from}` : error.message;
    throw new StoreError(error.code, message, "Name a file that formctl local backup has written.", { cause: error });
  }
}

/** Pages, keys and schema: rules live in keys, and a store without them would take what breaks them. */
function refuseDamaged(db: DatabaseSync, path: string, hint: string): void {
  const complaints = translate(path, () => [
    ...db
      .prepare("PRAGMA integrity_check(1)")
      .all()
      .map((row) => String(row["integrity_check"])),
    ...db
      .prepare("PRAGMA foreign_key_check")
      .all()
      .map((row) => `a row of ${String(row["table"])} points at nothing`),
    ...schemaDifferences(db, pragma(db, "user_version")),
  ]);
  const complaint = complaints.find((line) => line !== "ok");
  if (complaint === undefined) return;
  throw new StoreError("STORE_CORRUPT", `${path} is damaged: ${complaint}`, hint);
}

/** @returns where the present files were put, if they could not be read */
async function replace(source: DatabaseSync, path: string): Promise<string | undefined> {
  if (isUsable(path)) {
    await overwrite(source, path);
    return undefined;
  }
  const draft = await makeDraft(source, path, path);
  try {
    // Another process may have made or restored the store meanwhile.
    if (!isUsable(path)) return await replaceFile(draft.path, path);
    await overwrite(source, path);
    return undefined;
  } catch (error) {
    throw fileError(path, error);
  } finally {
    await draft.remove();
  }
}

/** @returns whether there is a store that can be opened; false where there is none or a damaged one */
function isUsable(path: string): boolean {
  try {
    const { db, readOnly } = connect(path, "open");
    db.close();
    if (readOnly) throw readOnlyError(path);
    return true;
  } catch (error) {
    const code = error instanceof StoreError ? error.code : undefined;
    if (code !== "STORE_MISSING" && code !== "STORE_CORRUPT") throw error;
    return false;
  }
}

/** Writes the records of `source` over those of a live store, in one transaction, when the present writer has finished. */
async function overwrite(source: DatabaseSync, path: string): Promise<void> {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      await backup(source, pathToFileURL(path), { rate: ALL_PAGES });
      return;
    } catch (error) {
      // A lock held by somebody else comes as an error without a code (0), or as one that says so.
      const told = toStoreError(path, error);
      const isBusy = (error as { errcode?: number }).errcode === 0;
      if (!isBusy && !(told instanceof StoreError && told.code === "STORE_BUSY")) throw told;
      if (performance.now() > deadline) throw busy(path, error);
      await setTimeout(20);
    }
  }
}

/** A copy of `db` in a folder beside `into`: whole, checked and on the disk before anything gets its name. */
async function makeDraft(
  db: DatabaseSync,
  into: string,
  path: string,
): Promise<{ path: string; counts: StoreCounts; remove: () => Promise<void> }> {
  const folder = dirname(resolve(into));
  let room: string | undefined;
  const remove = async () => {
    if (room !== undefined) await rm(room, { recursive: true, force: true });
  };
  try {
    mkdirs(folder, 0o700);
    room = await mkdtemp(join(folder, ".formctl-"));
    const draft = join(room, "store.db");
    // SQLite would make it readable for everybody.
    await (await open(draft, "wx", 0o600)).close();
    translate(path, () => db.prepare("VACUUM INTO ?").run(draft));
    const copy = connect(draft, "look").db;
    try {
      refuseDamaged(copy, path, "Look at all that is damaged: formctl local check");
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
 * Puts the finished `draft` where there is no store that can be read. What is there is kept under another name.
 *
 * The side files go first: SQLite would play a write-ahead log that was left behind into whatever store stands beside
 * it. The old main file keeps its name until the new one takes it, so that a process which is killed in between leaves
 * the one or the other.
 *
 * @returns where the old files were put
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
    // Some file systems have no links: there, a killed restore can leave no store, and the next restore makes it.
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
