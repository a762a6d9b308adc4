/** The operating system's refusals about a file, in the words of the port. */

import { StoreError } from "./store.ts";

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
