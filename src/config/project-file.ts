/**
 * Finds and loads the project file with cosmiconfig, as data only and never above the repository.
 *
 * The project file comes from a repository, which any user may have written, and the defaults of cosmiconfig trust it:
 * creating an explorer executes `.config/config.js` of the working directory and lets `.config/config.yaml` redirect
 * the search; `stopDir` falls back to the configuration of the user; `$import` reads other files; a FIFO blocks. The
 * explorers here do none of this, and test/config/project-file.test.ts plants each of these traps.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const NAMES = ["formctl.yaml", "formctl.yml", "formctl.json"];

export type ProjectFile = {
  path: string;
  /** Absent when the file is blank or can't be read. */
  bytes: Uint8Array | undefined;
  /** A second project file in the same folder: which of the two applies is ambiguous. */
  twin: string | undefined;
};

/**
 * The nearest project file between `cwd` and the folder that holds `.git`. Outside a repository only `cwd` is searched:
 * a file in a shared parent folder may belong to another user.
 */
export async function findProjectFile(cwd: string): Promise<ProjectFile | undefined> {
  for (const folder of foldersToSearch(cwd)) {
    // cosmiconfig reads everything that has the name. Reading a FIFO blocks, and reading a device may not end.
    const names = NAMES.filter((name) => isFile(join(folder, name)));
    if (names.length > 0) return loadFrom(folder, names);
  }
  return undefined;
}

async function loadFrom(folder: string, names: readonly string[]): Promise<ProjectFile> {
  const explorer = await openExplorer(names);
  const found = explorer.search(folder);
  const paths = names.map((name) => join(folder, name));
  const path = found?.filepath ?? paths[0]!;
  return {
    path,
    bytes: found?.config as Uint8Array | undefined,
    twin: paths.find((each) => each !== path),
  };
}

/** An explorer for one folder that reads files and executes nothing. */
async function openExplorer(searchPlaces: readonly string[]) {
  const [{ cosmiconfigSync }, { metaSearchPlaces }] = await Promise.all([
    import("cosmiconfig"),
    import("cosmiconfig/dist/defaults.js"),
  ]);
  // cosmiconfig looks here, without an option to turn it off, for files that configure cosmiconfig itself.
  metaSearchPlaces.length = 0;
  // Not the decoded content, in which invalid UTF-8 is replaced. Bytes also have no `$import` that cosmiconfig would
  // follow.
  const readBytes = (path: string) => readFileSync(path);
  return cosmiconfigSync("formctl", {
    searchPlaces: [...searchPlaces],
    searchStrategy: "none",
    loaders: { ".yaml": readBytes, ".yml": readBytes, ".json": readBytes },
    ignoreEmptySearchPlaces: false,
    cache: false,
  });
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
