/** Translates errors of SQLite (sqlite.org/rescode.html) and of the file system to StoreError. */

import { statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isSystemError, reasonOf } from "../disk/file-errors.ts";
import { ConstraintViolation, StoreError } from "./store.ts";

/** SQLITE_IOERR_SHMSIZE: the file of the shared index can't grow. */
const SHARED_MEMORY_SIZE = 4874;

/** How long an operation waits for the transaction of another process, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;

/** Runs `call` and translates an error of SQLite to a StoreError or ConstraintViolation. */
export function translate<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toStoreError(path, error);
  }
}

/** Whether the error means that another process holds a lock. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === 5 || code === 6 || code === 15;
}

/** Whether the error means that SQLite can't open or create a file. */
export function isUnopenable(error: unknown): boolean {
  return primaryCode(error) === 14;
}

/** Translates an error of SQLite to a StoreError or ConstraintViolation. Returns any other error unchanged. */
export function toStoreError(path: string, error: unknown): unknown {
  // A number is too large for JavaScript. The store writes no such number, so the file is damaged.
  if ((error as NodeJS.ErrnoException).code === "ERR_OUT_OF_RANGE") return corrupt(path, error);
  if (isBusy(error)) return busy(path, error);
  const message = (error as Error).message;
  switch (primaryCode(error)) {
    case 1:
      // The queries use only tables and columns that formctl creates. If a valid query fails, the schema is damaged.
      return /syntax error|incomplete input/.test(message) ? error : corrupt(path, error);
    case 8:
      return readOnly(path, error);
    case 11:
    case 26:
      return corrupt(path, error);
    case 13:
      return full(path, error);
    case 19:
      return new ConstraintViolation(message, { cause: error });
    case 10:
      if ((error as { errcode?: number }).errcode === SHARED_MEMORY_SIZE && isDiskFull(path)) return full(path, error);
      return new StoreError(
        "STORE_UNUSABLE",
        `the disk failed, or another program changed the files of ${path}: ${message}`,
        "Check the disk, check that the file has no hard links, and check the store: formctl local check",
        { cause: error },
      );
    case 14:
      return new StoreError(
        "STORE_UNUSABLE",
        `can't use ${path}: ${reasonOf(error)}`,
        "Check that the file and its folder are readable and writable.",
        { cause: error },
      );
    default:
      return error;
  }
}

export function busy(path: string, cause?: unknown): StoreError {
  return new StoreError(
    "STORE_BUSY",
    `another process has locked ${path} for more than ${BUSY_TIMEOUT_MS / 1000} seconds`,
    "Try again when the other process has finished.",
    { cause },
  );
}

export function readOnly(path: string, cause?: unknown): StoreError {
  return new StoreError(
    "STORE_READ_ONLY",
    `${path} is read-only: the file, its folder or the disk is write-protected`,
    "Check the owner and the permissions of the file and its folder.",
    { cause },
  );
}

function full(path: string, cause: unknown): StoreError {
  return new StoreError(
    "STORE_FULL",
    `no disk space left to write ${path}`,
    "Free some space and try again. Nothing was changed.",
    { cause },
  );
}

/** Whether the disk has no room for the smallest index of a write-ahead log. Readers create this index too. */
function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(resolve(path)));
    return bavail * bsize < 32 * 1024;
  } catch {
    return false;
  }
}

/**
 * Returns the error for a store whose last changes are in a log. Only a process with write access can read this log.
 */
export function unreadableLog(path: string, cause: unknown): StoreError {
  return new StoreError(
    "STORE_READ_ONLY",
    `${path} is read-only, and its last changes are in ${path}-wal, which can't be read without write access`,
    "Copy both files to a folder that you can write, and use the copy: --store PATH",
    { cause },
  );
}

function corrupt(path: string, cause: unknown): StoreError {
  return new StoreError(
    "STORE_CORRUPT",
    `${path} is damaged or not a database: ${(cause as Error).message}`,
    "Restore a backup: formctl local restore FILE",
    { cause },
  );
}

/** Returns the primary result code of an SQLite error; undefined for other errors. */
function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? undefined : code & 0xff;
}

/** Translates an error of the file system to a StoreError. Returns any other error unchanged. */
export function fileError(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const cause = { cause: error };
  switch (error.code) {
    case "EEXIST":
      return existing(path, cause);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return full(path, error);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StoreError(
        "STORE_READ_ONLY",
        `can't write ${path}: ${reasonOf(error)}`,
        "Check the owner and the permissions of the file and its folder.",
        cause,
      );
    default:
      return new StoreError("STORE_UNUSABLE", `can't use ${path}: ${reasonOf(error)}`, "Specify another path.", cause);
  }
}

/** Returns the error for a new file whose path is already in use. */
export function existing(path: string, options?: ErrorOptions): StoreError {
  return new StoreError(
    "STORE_EXISTS",
    `${path} already exists`,
    "Existing files are not overwritten. Specify another file.",
    options,
  );
}
