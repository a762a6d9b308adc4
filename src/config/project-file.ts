/** Finds a repository's own settings file: data only, and never above the repository. */

import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const NAMES = ["formctl.yaml", "formctl.yml", "formctl.json"];

/**
 * The nearest project file from `cwd` up to the folder that holds `.git`. Outside a repository only `cwd` is looked at,
 * so that nobody's file in a shared parent folder is taken for the project's.
 */
export function findProjectFile(cwd: string): string | undefined {
  for (const folder of foldersToSearch(cwd)) {
    const found = NAMES.map((name) => join(folder, name)).find(isFile);
    if (found) return found;
  }
  return undefined;
}

/** Other files in the same folder that would be the project's: which of them is meant, nobody can tell. */
export function projectTwins(path: string): string[] {
  const folder = dirname(path);
  return NAMES.map((name) => join(folder, name)).filter((twin) => twin !== path && isFile(twin));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The folder that holds `.git`, from `cwd` upwards; outside a repository `cwd` itself. */
export function findRepository(cwd: string): string {
  return foldersToSearch(cwd).at(-1) ?? cwd;
}

function foldersToSearch(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) return [cwd];
  }
}
