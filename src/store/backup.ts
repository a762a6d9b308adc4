/**
 * A store as a whole: copied into a file, replaced by a copy, made empty.
 *
 * SQLite does all of it, and `fs` never opens a live database: its locks would be lost. A store is replaced by
 * overwriting its pages in one transaction, so that processes which have it open see the new records from their next
 * transaction on. A renamed file would leave them writing into one that nobody finds any more.
 */

import { existsSync, realpathSync, renameSync } from "node:fs";
import { mkdtemp, rm, stat, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { StoreCounts } from "../schemas/store-facts.ts";
import { makeFolders } from "../disk/make-folder.ts";
import { placeNewFile } from "../disk/new-file.ts";
import { existing, fileError } from "./file-errors.ts";
import { connect } from "./sqlite-connection.ts";
import { busy, BUSY_TIMEOUT_MS, readOnly as readOnlyError, toStoreError, translate } from "./sqlite-errors.ts";
import { SIDE_FILES } from "./sqlite-file.ts";
import { emptyStore } from "./sqlite-schema.ts";
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
  const { db } = connect(path, "look");
  try {
    await copyInto(db, into, path);
    return { path: into, bytes: (await stat(into)).size, counts: countRecords(db) };
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
  const source = connectBackup(from);
  try {
    if (existsSync(path) && realpathSync(path) === realpathSync(from))
      throw new StoreError("STORE_UNUSABLE", `${from} is the store itself`, "Name a backup of it.");
    refuseDamaged(source, from);
    return source;
  } catch (error) {
    source.close();
    throw error;
  }
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

function refuseDamaged(db: DatabaseSync, path: string): void {
  const complaints = translate(path, () => [
    ...db
      .prepare("PRAGMA integrity_check(1)")
      .all()
      .map((row) => String(row["integrity_check"])),
    ...db
      .prepare("PRAGMA foreign_key_check")
      .all()
      .map((row) => `a row of ${String(row["table"])} points at nothing`),
  ]);
  const complaint = complaints.find((line) => line !== "ok");
  if (complaint === undefined) return;
  throw new StoreError("STORE_CORRUPT", `${path} is damaged: ${complaint}`, "Use another backup: nothing was changed.");
}

/** @returns where the present file was put, if it could not be read */
async function replace(source: DatabaseSync, path: string): Promise<string | undefined> {
  try {
    const { db, readOnly } = connect(path, "open");
    db.close();
    if (readOnly) throw readOnlyError(path);
  } catch (error) {
    const code = error instanceof StoreError ? error.code : undefined;
    if (code !== "STORE_MISSING" && code !== "STORE_CORRUPT") throw error;
    const damaged = code === "STORE_CORRUPT" ? setAside(path) : undefined;
    await copyInto(source, path, path);
    return damaged;
  }
  await overwrite(source, path);
  return undefined;
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

/** Makes the new file `into` from the records of `db`: written elsewhere, checked, and named when it is whole. */
async function copyInto(db: DatabaseSync, into: string, path: string): Promise<void> {
  const folder = dirname(resolve(into));
  let room: string | undefined;
  try {
    if (existsSync(into)) throw existing(into);
    makeFolders(folder, 0o700);
    room = await mkdtemp(join(folder, ".formctl-"));
    const draft = join(room, "store.db");
    // SQLite would make it readable for everybody.
    await (await open(draft, "wx", 0o600)).close();
    translate(path, () => db.prepare("VACUUM INTO ?").run(draft));
    const copy = connect(draft, "look").db;
    try {
      refuseDamaged(copy, path);
    } finally {
      copy.close();
    }
    await placeNewFile(draft, into);
  } catch (error) {
    throw fileError(into, error);
  } finally {
    if (room !== undefined) await rm(room, { recursive: true, force: true });
  }
}

/** A damaged store keeps its records as far as they can be read: it is kept under another name. */
function setAside(path: string): string {
  let name = `${path}.damaged`;
  for (let number = 2; existsSync(name); number++) name = `${path}.damaged-${number}`;
  for (const suffix of ["", ...SIDE_FILES]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, name + suffix);
  }
  return name;
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
