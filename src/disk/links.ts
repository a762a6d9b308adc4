/** Protection against symbolic links: a repository may contain links, and they may lead anywhere. */

import { realpathSync, type Stats } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { asUnreadable, unfitFile } from "./file-errors.ts";

/** Compares texts: both paths must be resolved, or both as typed. */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a path stays in the folder after its links are followed. Neither needs to exist. */
export function staysInside(folder: string, path: string): boolean {
  return isInside(realPathOf(folder), realPathOf(path));
}

/**
 * Checks a path that the user typed for writing. A path outside the project is the user's choice.
 *
 * @throws FILE_UNFIT when the path is in the project and a link points outside it
 */
export function refuseLeadingOut(path: string, project: string): void {
  if (!isInside(resolve(project), resolve(path)) || staysInside(project, path)) return;
  throw unfitFile(`${path} points outside the project through a link; nothing is written there`, {
    hint: `To write there, specify the target of the link: ${realPathOf(path)}`,
  });
}

/** The path with its links followed; the part that does not exist is kept as it is. */
function realPathOf(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute
      ? absolute
      : resolve(realPathOf(parent), absolute.slice(parent.length).replace(/^[\\/]/, ""));
  }
}

/**
 * Checks a file that a repository may contain. It may be missing.
 *
 * @param from the outermost folder that the repository may contain
 * @throws FILE_UNFIT when the file, or a folder on the way to it, is a link or has another type
 */
export async function refuseLinks(path: string, from = dirname(path)): Promise<void> {
  await requireFolders(dirname(path), from);
  const file = await statOf(path);
  if (file?.isSymbolicLink()) throw unfitFile(`${path} is a link; links are not followed`);
  if (file && !file.isFile()) throw unfitFile(`${path} is not a file`);
}

/**
 * @throws FILE_UNFIT when one of the folders from `from` down to `folder` is a link or not a folder. They may be
 *   missing
 */
export async function requireFolders(folder: string, from = folder): Promise<void> {
  const below = relative(from, folder);
  const names = below === "" ? [] : below.split(sep);
  for (const path of [from, ...names.map((_, index) => join(from, ...names.slice(0, index + 1)))]) {
    const stats = await statOf(path);
    const hint = "Remove it, or put a folder in its place.";
    if (stats?.isSymbolicLink()) throw unfitFile(`${path} is a link; links are not followed`, { hint });
    if (stats && !stats.isDirectory()) throw unfitFile(`${path} is not a folder`, { hint });
  }
}

/** @returns undefined when the file does not exist @throws FILE_UNFIT when it can't be read */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw asUnreadable(path, error);
  }
}

/** Of the path itself: a link is not followed. @returns undefined when nothing exists there */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw asUnreadable(path, error);
  }
}
