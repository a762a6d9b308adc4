/** What stands where a file or folder of ours belongs, and is something else: told, and neither followed nor replaced. */

import { lstat, readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { Stats } from "node:fs";
import { FormctlError } from "../error.ts";
import { reasonOf } from "./unwritable-file.ts";

/** A path that should be read or written is not a plain file or folder, or can't be read. */
export function unfitFile(message: string, { hint, cause }: ErrorOptions & { hint?: string } = {}): FormctlError {
  return new FormctlError("FILE_UNFIT", message, hint ?? "Remove it, or put a file in its place.", cause);
}

/**
 * For files that a repository may bring along.
 *
 * @param from the outermost folder that it may bring; the folder of the file where nothing is said
 * @throws FILE_UNFIT where the file or a folder is a link: it would be written wherever somebody else has pointed
 */
export async function refuseLinks(path: string, from = dirname(path)): Promise<void> {
  await requireFolders(dirname(path), from);
  const file = await statOf(path);
  if (file?.isSymbolicLink()) throw unfitFile(`${path} is a link, and is not followed`);
  if (file && !file.isFile()) throw unfitFile(`${path} is not a file`);
}

/** @throws FILE_UNFIT where one of the folders from `from` down to `folder` is a link, or is none. They may be missing */
export async function requireFolders(folder: string, from = folder): Promise<void> {
  const below = relative(from, folder);
  const names = below === "" ? [] : below.split(sep);
  for (const path of [from, ...names.map((_, index) => join(from, ...names.slice(0, index + 1)))]) {
    const stats = await statOf(path);
    const hint = "Remove it, or put a folder in its place.";
    if (stats?.isSymbolicLink()) throw unfitFile(`${path} is a link, and is not followed`, { hint });
    if (stats && !stats.isDirectory()) throw unfitFile(`${path} is not a folder`, { hint });
  }
}

/** @returns undefined where there is no such file @throws FILE_UNFIT where it can't be read */
export async function readOwnFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(path, error);
  }
}

/** @returns the system's refusals as FILE_UNFIT; any other error as it is */
export function unreadable(path: string, error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error;
  return unfitFile(`can't read ${path}: ${reasonOf(error)}`, {
    cause: error,
    hint: "Look at what it is, who owns it, and its permissions.",
  });
}

/** @returns undefined where nothing is */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreadable(path, error);
  }
}
