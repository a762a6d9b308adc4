/** A folder and those above it; where one can't be made, the system's own reason, which the recursive call of Node hides. */

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { UnwritableFile } from "./unwritable-file.ts";

/** @param mode of this folder, and not of those above it @throws UnwritableFile */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { ...(mode !== undefined && { mode }) });
  } catch (error) {
    if (await isFolder(path)) return;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path)
      throw new UnwritableFile(path, error);
    await makeFolder(dirname(path));
    await makeFolder(path, mode);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
