/** A file that is there whole, the old one or the new one, whatever happens while it is written. */

import { lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Stats } from "node:fs";

/** Something stands where a file was to be read or written that is none. Exit 3. */
export class UnfitFile extends Error {
  override readonly name = "UnfitFile";
  readonly hint: string;

  constructor(message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.hint = options.hint ?? "Remove it, or put a file in its place.";
  }
}

/**
 * Puts `text` where `path` is, through a file beside it that has reached the disk. The folder is made where it is missing; a
 * link is replaced, and not followed.
 *
 * @throws UnfitFile where a folder stands in its place
 */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  if ((await statOf(path))?.isDirectory()) throw new UnfitFile(`${path} is a folder`);
  const draft = `${path}.tmp`;
  await rm(draft, { force: true });
  try {
    const file = await open(draft, "wx", mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/**
 * For files that a repository may bring along.
 *
 * @throws UnfitFile where the file or its folder is a link: it would be written wherever somebody else has pointed
 */
export async function refuseLinks(path: string): Promise<void> {
  const folder = await statOf(dirname(path));
  if (folder?.isSymbolicLink()) throw new UnfitFile(`${dirname(path)} is a link, and is not followed`);
  const file = await statOf(path);
  if (file?.isSymbolicLink()) throw new UnfitFile(`${path} is a link, and is not followed`);
  if (file && !file.isFile()) throw new UnfitFile(`${path} is not a file`);
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The new name is in the folder. Windows opens no folders, and needs none of this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
