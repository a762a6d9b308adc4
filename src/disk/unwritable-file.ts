/** A file that can't be written: which, and what the system says of it, in words. */

import { FormctlError } from "../error.ts";

/** @returns the system's refusals as FILE_UNWRITABLE; any other error as it is */
export function asUnwritable(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error;
  return new FormctlError(
    "FILE_UNWRITABLE",
    `can't write ${path}: ${reasonOf(error)}`,
    "Let it be written and have room left, then type it again: what is done is not done twice.",
    error,
  );
}

/** Why the system refuses to read or write, as somebody would say it who can do something about it. */
export function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return Object.hasOwn(REASONS, code) ? `${REASONS[code]} (${code})` : message;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "there is no room left on the disk",
  EDQUOT: "there is no room left for this user",
  EFBIG: "it may not grow any more",
  EROFS: "the disk is read-only",
  EACCES: "its permissions, or those of its folder, forbid it",
  EPERM: "the system does not permit it",
  ENOENT: "it or its folder is not there any more",
  ENOTDIR: "a file stands where a folder belongs",
  EISDIR: "it is a folder",
  EEXIST: "something else has this name",
  ENOTEMPTY: "it is a folder",
};
