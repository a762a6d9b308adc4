/** Which files may be opened as a store. All is settled by name: `fs` never opens a live database, or its locks are lost. */

import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, type Stats } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { mkdirs } from "../disk/folders.ts";
import { fileError } from "./file-errors.ts";
import { StoreError } from "./store.ts";

/** The files beside a store while it is in use: they hold what the store does not hold yet. */
export const SIDE_FILES = ["-wal", "-shm", "-journal"] as const;

/**
 * Makes sure that `path` is a file which SQLite may open; `create` makes an empty one where there is none
 * (folders 0700, file 0600: SQLite gives the side files the same mode).
 *
 * @throws StoreError when there is none, or when it is not a regular file
 */
export function prepareFile(path: string, create: boolean): void {
  for (const suffix of SIDE_FILES) refuseLink(path + suffix);
  if (refuseLink(path)) return;
  if (!create) {
    throw new StoreError(
      "STORE_MISSING",
      `there is no local store at ${path}`,
      "Create one: formctl local init --demo (with example data), or formctl local init",
    );
  }
  try {
    mkdirs(dirname(resolve(path)), 0o700);
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Another process was faster: then its file is the store.
    if ((error as NodeJS.ErrnoException).code === "EEXIST" && refuseLink(path)) return;
    throw fileError(path, error);
  }
}

/** False when the file, or the folder in which SQLite keeps the side files, is write-protected for this user. */
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
 * What SQLite is told to open: a URL, because it would read a path such as `file:x?mode=memory` in its own way.
 *
 * Reading needs side files, and nobody can make them in a write-protected folder. A store without them is one that no
 * process has open: it is read as if it could not change.
 */
export function databaseUrl(path: string, readOnly: boolean): URL {
  const url = pathToFileURL(path);
  if (readOnly && !existsSync(`${path}-wal`)) url.searchParams.set("immutable", "1");
  return url;
}

/** @returns whether there is a file at all */
function refuseLink(path: string): boolean {
  const found = look(path);
  if (!found) return false;
  if (found.isSymbolicLink()) {
    throw new StoreError(
      "STORE_UNUSABLE",
      `${path} is a symbolic link`,
      "Name the file that it points to with --store.",
    );
  }
  if (!found.isFile()) throw new StoreError("STORE_UNUSABLE", `${path} is not a file`, "Name a file with --store.");
  return true;
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError(path, error);
  }
}
