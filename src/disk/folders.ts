/**
 * Creates folders one level at a time. Node's recursive mkdir is not used: it never returns for a path below /proc, and
 * hides the reason of a failure.
 */

import { mkdirSync, type Stats, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { asUnwritable } from "./file-errors.ts";
import { syncFolderNow } from "./flush.ts";
import { requireFolders } from "./links.ts";

/** Creates a folder and its missing parents. @param mode of the created folders @throws FILE_UNWRITABLE */
export function makeFolder(path: string, mode?: number): void {
  asWrite(path, () => mkdirs(path, mode));
}

/**
 * Creates a folder for files that are used only on this machine, such as `.formctl/runs`. A `.gitignore` in the folder
 * excludes the files from version control.
 *
 * @throws FILE_UNFIT if the folder or its parent is a link or a file
 * @throws FILE_UNWRITABLE if the folder can't be created
 */
export async function makeMachineFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  await requireFolders(folder, parent);
  asWrite(folder, () => {
    mkdirsDurably(parent);
    mkdirsDurably(folder, 0o700);
  });
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx", mode: 0o600 }).catch(() => undefined);
}

/** Runs `create`, and throws FILE_UNWRITABLE instead of the system error. */
function asWrite(path: string, create: () => void): void {
  try {
    create();
  } catch (error) {
    throw asUnwritable(path, error);
  }
}

/**
 * Creates a folder and its missing parents.
 *
 * @returns the created folders, outermost first
 * @throws the system error; `makeFolder` throws FILE_UNWRITABLE instead
 */
function mkdirs(path: string, mode = 0o777): string[] {
  const missing: string[] = [];
  let folder = resolve(path);
  let stats = statIfExists(folder);
  while (!stats && dirname(folder) !== folder) {
    missing.push(folder);
    folder = dirname(folder);
    stats = statIfExists(folder);
  }
  if (stats && !stats.isDirectory())
    throw systemError(missing.length === 0 ? "EEXIST" : "ENOTDIR", `${folder} is not a folder`);
  const created = missing.toReversed();
  for (const each of created) mkdir(each, mode);
  return created;
}

/**
 * Creates a folder and its missing parents. Flushes the names of the created folders. Otherwise a loss of power could
 * remove the folders.
 *
 * @throws the system error
 */
export function mkdirsDurably(path: string, mode?: number): void {
  for (const created of mkdirs(path, mode)) syncFolderNow(dirname(created));
}

/**
 * Creates one folder in an existing parent. The system may still report a missing parent (ENOENT). Then the file
 * system, such as /proc, supports no new folders.
 */
function mkdir(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process has created the folder in the meantime.
    if (code === "EEXIST" && statIfExists(folder)?.isDirectory()) return;
    throw code === "ENOENT" ? systemError("ENOTSUP", `no folder can be created in ${dirname(folder)}`) : error;
  }
}

function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

function systemError(code: string, message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code, syscall: "mkdir" });
}
