/** Protects against symbolic links. A repository may contain links, and a link may point to any path. */

import { realpathSync, type Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { MAX_STATE_BYTES } from "../base/file-limits.ts";
import { asUnreadable, unfitFile } from "./file-errors.ts";
import { refusePlanted } from "./owners.ts";
import { readWithin } from "./read-file.ts";
import { measureJson } from "../schemas/json-limits.ts";

/**
 * Whether `path` is `folder` or inside it. Compares only the texts. Therefore links must be resolved in both paths or
 * in neither path.
 */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a path is inside the folder after links are followed. Neither the path nor the folder needs to exist. */
export function staysInside(folder: string, path: string): boolean {
  return isInside(realPathOf(folder), realPathOf(path));
}

/**
 * Checks a path from the user before formctl writes to it. A path outside the project is allowed. A path inside the
 * project must not lead outside through a link.
 *
 * @throws FILE_UNFIT if a path inside the project leads outside
 */
export function refuseLeadingOut(path: string, project: string): void {
  if (!isInside(resolve(project), resolve(path)) || staysInside(project, path)) return;
  throw unfitFile(`${path} points outside the project through a link; nothing is written there`, {
    hint: `To write there, specify the target of the link: ${realPathOf(path)}`,
  });
}

/** Returns the path with its links followed. Keeps the part of the path that does not exist. */
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
 * Checks a file that a repository may contain. The file may be missing.
 *
 * @param from the outermost folder that the repository may contain
 * @throws FILE_UNFIT if the file is a link or not a plain file
 * @throws FILE_UNFIT if a folder from `from` down to the file is a link or not a folder
 * @throws FILE_UNFIT if another user may have planted the file or one of these folders
 */
export async function refuseLinks(path: string, from = dirname(path)): Promise<void> {
  await requireFolders(dirname(path), from);
  const file = await statOf(path);
  if (file?.isSymbolicLink()) throw unfitFile(`${path} is a link; links are not followed`);
  if (file && !file.isFile()) throw unfitFile(`${path} is not a file`);
  if (file) refusePlanted(path);
}

/**
 * Checks the folders from `from` down to `folder`. A folder may be missing.
 *
 * @throws FILE_UNFIT if one of these folders is a link or not a folder, or another user may have planted it
 */
export async function requireFolders(folder: string, from = folder): Promise<void> {
  const below = relative(from, folder);
  const names = below === "" ? [] : below.split(sep);
  for (const path of [from, ...names.map((_, index) => join(from, ...names.slice(0, index + 1)))]) {
    const stats = await statOf(path);
    const hint = "Remove it, or put a folder in its place.";
    if (stats?.isSymbolicLink()) throw unfitFile(`${path} is a link; links are not followed`, { hint });
    if (stats && !stats.isDirectory()) throw unfitFile(`${path} is not a folder`, { hint });
    refusePlanted(path);
  }
}

/** Reads a text file. Returns undefined for a missing file. @throws FILE_UNFIT if the file can't be read or is too large */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return readWithin(path, MAX_STATE_BYTES).toString("utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw asUnreadable(path, error);
  }
}

/**
 * Reads JSON that formctl has written, or lines of JSON. A repository may contain such a file, and its author may have
 * written text that needs much more memory than its size. Returns undefined for a missing file.
 *
 * @throws FILE_UNFIT if the file can't be read, is too large, or would need too much memory
 */
export async function readStateJson(path: string): Promise<string | undefined> {
  const text = await readIfExists(path);
  const exceeded = text === undefined ? undefined : measureJson(text, MAX_STATE_BYTES).exceeded;
  if (exceeded === undefined) return text;
  throw unfitFile(`${path} has ${exceeded}. It is not read`, { hint: "Restore it from a copy." });
}

/** Returns the stats of the path itself. Does not follow a link. Returns undefined if nothing exists at the path. */
export async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw asUnreadable(path, error);
  }
}
