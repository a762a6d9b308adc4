/** Converts errors of the file system to errors of formctl, with the reason in words. */

import { FormctlError } from "../base/error.ts";

/** Creates a FILE_UNFIT error. The path must be a plain file or folder, but is something else or can't be read. */
export function unfitFile(message: string, { hint, cause }: ErrorOptions & { hint?: string } = {}): FormctlError {
  return new FormctlError("FILE_UNFIT", message, hint ?? "Remove it, or put a file in its place.", cause);
}

/** @returns FILE_UNFIT for an error of the file system; any other error unchanged */
export function asUnreadable(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const hint = "Check the type, the owner and the permissions of the file.";
  return unfitFile(`can't read ${path}: ${reasonOf(error)}`, { cause: error, hint });
}

/** @returns FILE_UNWRITABLE for an error of the file system; any other error unchanged */
export function asUnwritable(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new FormctlError(
    "FILE_UNWRITABLE",
    `can't write ${path}: ${reasonOf(error)}`,
    "Correct the cause and run the command again. Completed steps are not repeated.",
    error,
  );
}

export type SystemError = Error & { code: string; syscall: string; path?: string };

export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error && typeof error.syscall === "string" && "code" in error;
}

/** Returns the reason of a system error in words, such as `the disk is full (ENOSPC)`. */
export function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return Object.hasOwn(REASONS, code) ? `${REASONS[code]} (${code})` : message;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "another process uses it",
  EDQUOT: "the disk quota of this user is exhausted",
  EEXIST: "another file has this name",
  EFBIG: "the file would be larger than the system allows",
  EISDIR: "it is a folder",
  ELOOP: "it is a link that leads to itself",
  ENOENT: "the file or its folder does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "a file has the name of the folder",
  ENOTEMPTY: "it is a folder",
  EPERM: "the system does not permit it",
  EROFS: "the disk is read-only",
};
