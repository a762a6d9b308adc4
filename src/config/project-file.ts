/**
 * Finds and loads the project file with cosmiconfig. Executes nothing, and reads no file above the repository.
 *
 * The project file comes from a repository, which any user may have written. By default, cosmiconfig trusts the file.
 * This module prevents the following effects (see test/config/project-file.test.ts):
 *
 * - Creating an explorer executes `.config/config.js` of the working directory.
 * - `.config/config.yaml` redirects the search.
 * - With the option `stopDir`, a search ends in the configuration folder of the user.
 * - `$import` reads further files.
 * - A FIFO blocks.
 */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPlanted, refusePlanted } from "../disk/owners.ts";
import { MAX_FILE_BYTES } from "../file-limits.ts";

const NAMES = ["formctl.yaml", "formctl.yml", "formctl.json"];

export type ProjectFile = {
  path: string;
  /** The content; undefined if the file is blank, too large or can't be read. */
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
export async function findProjectFile(cwd: string): Promise<ProjectFile | undefined> {
  for (const folder of foldersToSearch(cwd)) {
    // Passes only plain files to cosmiconfig. Reading a FIFO blocks, and reading a device may not end.
    const names = NAMES.filter((name) => isFile(join(folder, name)));
    for (const name of names) refusePlanted(join(folder, name));
    // cosmiconfig would read a large file completely. Its reader reports the limit (settings-file.ts).
    const large = names.find((name) => statSync(join(folder, name)).size > MAX_FILE_BYTES);
    if (large !== undefined) return { path: join(folder, large), bytes: undefined, twin: undefined };
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

/** Creates the object of cosmiconfig that searches one folder. It reads files and executes nothing. */
async function openExplorer(searchPlaces: readonly string[]) {
  const [{ cosmiconfigSync }, { metaSearchPlaces }] = await Promise.all([
    import("cosmiconfig"),
    import("cosmiconfig/dist/defaults.js"),
  ]);
  // cosmiconfig searches these places for files that configure cosmiconfig itself. No option turns this off.
  metaSearchPlaces.length = 0;
  // Returns bytes, because decoding would replace invalid UTF-8. In bytes, cosmiconfig finds no `$import` to follow.
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
