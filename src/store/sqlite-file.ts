/**
 * Checks and creates the files of a store. Existing files are checked by path only. If this process opened and closed a
 * live database with `fs`, SQLite would lose its locks.
 */

import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { syncFolderNow } from "../disk/flush.ts";
import { mkdirsDurably } from "../disk/folders.ts";
import { isPlanted } from "../disk/owners.ts";
import { fileError } from "./errors.ts";
import { StoreError } from "./store.ts";

/**
 * The suffixes of the files next to a store in use. They are part of the store: a log contains data that the main file
 * lacks.
 */
export const SIDE_FILES = ["-wal", "-shm", "-journal"] as const;

/**
 * Requires a file at `path` that SQLite may open. With `create`, creates a missing file (0600) and its folders (0700).
 * SQLite creates the side files with the same mode as the file.
 *
 * @throws StoreError if a file is not a regular file, or another user may have planted it; without `create`, also if
 *   the file is missing
 */
export function prepareFile(path: string, create: boolean): void {
  for (const suffix of SIDE_FILES) isRegularFile(path + suffix);
  if (isRegularFile(path)) return;
  if (!create) {
    throw new StoreError(
      "STORE_MISSING",
      `the local store ${path} does not exist`,
      "Create one: formctl local init --demo (with example data), or formctl local init",
    );
  }
  try {
    const folder = dirname(resolve(path));
    mkdirsDurably(folder, 0o700);
    closeSync(openSync(path, "wx", 0o600));
    // SQLite flushes the content of the file, but not the name.
    syncFolderNow(folder);
  } catch (error) {
    // Another process created the store meanwhile.
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && isRegularFile(path)) return;
    throw fileError(path, error);
  }
}

/** Whether this user can write the file and its folder. SQLite creates the side files in the folder. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(resolve(path)), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the URL that SQLite opens. A plain path is not safe: SQLite would read a file name such as
 * `file:x?mode=memory` as a URL with options.
 *
 * SQLite needs side files to read a store, but can't create them in a write-protected folder. Without a write-ahead
 * log, no process has the store open. Then SQLite reads the file as immutable, without side files.
 */
export function databaseUrl(path: string, readOnly: boolean): URL {
  const url = pathToFileURL(path);
  if (readOnly && !hasLog(path)) url.searchParams.set("immutable", "1");
  return url;
}

/** Whether a write-ahead log is next to the file. Then a process uses the store, or was killed while using it. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/** Whether the file exists. @throws StoreError if it is not a regular file, or another user may have planted it */
function isRegularFile(path: string): boolean {
  const found = fileStats(path);
  if (!found) return false;
  if (found.isSymbolicLink()) {
    throw new StoreError("STORE_UNUSABLE", `${path} is a link`, "Specify the target of the link with --store.");
  }
  if (!found.isFile()) throw new StoreError("STORE_UNUSABLE", `${path} is not a file`, "Specify a file with --store.");
  // SQLite would also write a planted journal into the store.
  if (isPlanted(path)) {
    throw new StoreError(
      "STORE_UNUSABLE",
      `${path} belongs to another user, and is in a folder that every user can write`,
      "Move the store to a folder of your own, and specify it with --store.",
    );
  }
  return true;
}

function fileStats(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError(path, error);
  }
}
