/**
 * Finds and reads the project file. Executes nothing, and reads no file above the repository.
 *
 * The project file comes from a repository, which any user may have written. So cosmiconfig does not search for it:
 * creating its explorer reads files of the working directory that configure cosmiconfig, and executes
 * `.config/config.js`. No documented option prevents this (see test/config/project-file.test.ts).
 */

import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPlanted, refusePlanted } from "../disk/owners.ts";
import { readWithin } from "../disk/read-file.ts";
import { MAX_FILE_BYTES } from "../base/file-limits.ts";

const NAMES = ["formctl.yaml", "formctl.yml", "formctl.json"];

export type ProjectFile = {
  path: string;
  /** The content; undefined if the file is too large or can't be read. */
  bytes: Uint8Array | undefined;
  /**
   * The path of a second project file in the same folder. A second file is an error, because either file could apply.
   */
  twin: string | undefined;
};

/**
 * Finds the nearest project file between `cwd` and the folder that contains `.git`. Outside a repository, searches only
 * `cwd`. A file in a parent folder may belong to another user.
 *
 * @throws FILE_UNFIT if another user may have planted the file, see {@link isPlanted}
 */
export function findProjectFile(cwd: string): ProjectFile | undefined {
  for (const folder of foldersToSearch(cwd)) {
    const files = NAMES.map((name) => join(folder, name)).filter(isFile);
    for (const file of files) refusePlanted(file);
    const [path, twin] = files;
    if (path !== undefined) return { path, bytes: bytesOf(path), twin };
  }
  return undefined;
}

/** Returns the content of a file. Commands that ignore the content must work with a file that can't be read. */
function bytesOf(path: string): Uint8Array | undefined {
  try {
    return readWithin(path, MAX_FILE_BYTES);
  } catch {
    // `readSettingsFile` reads the file again and reports the reason.
    return undefined;
  }
}

/** Whether this is a plain file. Reading a FIFO blocks, and reading a device may not end. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Returns the folder that contains `.git`. Searches from `cwd` upwards. Outside a repository, returns `cwd`. A planted
 * `.git` does not make a repository: otherwise its migrations would run.
 */
export function findRepository(cwd: string): string {
  return foldersToSearch(cwd).at(-1) ?? cwd;
}

function foldersToSearch(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    const mark = join(folder, ".git");
    if (existsSync(mark)) return isPlanted(mark) ? [cwd] : folders;
    if (dirname(folder) === folder) return [cwd];
  }
}
