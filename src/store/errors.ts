/** SQLite's result codes (sqlite.org/rescode.html) in the words of the port. */

import { ConstraintViolation, StoreError } from "./store.ts";

/** How long anything waits for another process's transaction. */
export const BUSY_TIMEOUT_MS = 5000;

/** Runs `call`; what SQLite throws there comes out as a StoreError or a ConstraintViolation. */
export function translate<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toStoreError(path, error);
  }
}

/** True when somebody else holds the lock: waiting may help. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === 5 || code === 6 || code === 15;
}

/** @returns the port's error for one of SQLite's; any other error as it is */
export function toStoreError(path: string, error: unknown): unknown {
  // A flipped bit can make a small number one that JavaScript cannot hold.
  if ((error as NodeJS.ErrnoException).code === "ERR_OUT_OF_RANGE") return corrupt(path, error);
  if (isBusy(error)) return busy(path, error);
  const message = (error as Error).message;
  switch (primaryCode(error)) {
    case 1:
      // A query of ours that can be read asks only for what the migrations made: if that fails, the schema is damaged.
      return /syntax error|incomplete input/.test(message) ? error : corrupt(path, error);
    case 8:
      return readOnly(path, error);
    case 11:
    case 26:
      return corrupt(path, error);
    case 13:
      return new StoreError(
        "STORE_FULL",
        `there is no room left to write ${path}`,
        "Free some space and try again: nothing was changed.",
        { cause: error },
      );
    case 19:
      return new ConstraintViolation(message, { cause: error });
    case 10:
      return new StoreError(
        "STORE_UNUSABLE",
        `the disk failed, or another program changed the files of ${path}: ${message}`,
        "Check the disk, that the file has no second name (hard link), and what is stored: formctl local check",
        { cause: error },
      );
    case 14:
      return new StoreError(
        "STORE_UNUSABLE",
        `can't use ${path}: ${message}`,
        "Check that the file and its folder can be read and written.",
        { cause: error },
      );
    default:
      return error;
  }
}

export function busy(path: string, cause?: unknown): StoreError {
  return new StoreError(
    "STORE_BUSY",
    `another process has kept ${path} locked for ${BUSY_TIMEOUT_MS / 1000} seconds`,
    "Try again when it has finished.",
    { cause },
  );
}

export function readOnly(path: string, cause?: unknown): StoreError {
  return new StoreError(
    "STORE_READ_ONLY",
    `${path} can only be read: the file, its folder or the whole disk is write-protected`,
    "Check who owns the file and its folder, and their permissions.",
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

/** The low byte of SQLite's code; undefined for an error that is not SQLite's. */
function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: number }).errcode;
  return code === undefined ? undefined : code & 0xff;
}

/** @returns the port's error for one of the file system's; any other error as it is */
export function fileError(path: string, error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const cause = { cause: error };
  switch (code) {
    case "EEXIST":
      return existing(path, cause);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new StoreError(
        "STORE_FULL",
        `there is no room left to write ${path}`,
        "Free some space and try again: nothing was changed.",
        cause,
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StoreError(
        "STORE_READ_ONLY",
        `${path} can't be written: ${message}`,
        "Check who owns the file and its folder, and their permissions.",
        cause,
      );
    default:
      return new StoreError("STORE_UNUSABLE", `can't use ${path}: ${message}`, "Choose another place.", cause);
  }
}

/** A new file was to be written where there is one: nothing is ever overwritten. */
export function existing(path: string, options?: ErrorOptions): StoreError {
  return new StoreError(
    "STORE_EXISTS",
    `${path} exists already`,
    "Nothing is overwritten: name another file.",
    options,
  );
}
