/** A file that is there whole, the old one or the new one, whatever happens while it is written, and whoever else writes it. */

import { constants } from "node:fs";
import { access, lstat, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { syncFolder, writeDraft } from "./draft.ts";
import { makeFolder } from "./make-folder.ts";
import { statOf, unfitFile } from "./unfit-file.ts";
import { asUnwritable } from "./unwritable-file.ts";

/**
 * Puts `text` where `path` is, through a file of its own that has reached the disk. The folder is made where it is missing; a
 * link is replaced, and not followed.
 *
 * @throws FILE_UNFIT where a folder or a device stands in its place; FILE_UNWRITABLE where it can't be written, and is as it was
 */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  await refuseOther(path);
  makeFolder(dirname(path));
  try {
    await replace(path, text, mode);
  } catch (error) {
    throw asUnwritable(path, error);
  }
}

/**
 * Finds out whether `writeWhole` could write, before there is anything to write.
 *
 * @throws FILE_UNFIT where a folder or a device stands in its place; FILE_UNWRITABLE where its folder takes no file
 */
export async function requireWritable(path: string): Promise<void> {
  await refuseOther(path);
  await requireWritableFolder(dirname(path), path);
}

/** @param path what is to be written below the folder, which is made where it is missing @throws FILE_UNWRITABLE */
export async function requireWritableFolder(folder: string, path = folder): Promise<void> {
  try {
    // With a slash at its end a file is not taken for a folder.
    await access(`${folder}${sep}`, constants.W_OK);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT" && dirname(folder) !== folder;
    if (!isMissing) throw asUnwritable(path, error);
    await requireWritableFolder(dirname(folder), path);
  }
}

/** @throws FILE_UNFIT where a folder or a device stands in the place of a file */
async function refuseOther(path: string): Promise<void> {
  if ((await statOf(path))?.isDirectory()) throw unfitFile(`${path} is a folder`);
  // Who may do anything would have a file in the place of /dev/null, for everybody. A link such as /dev/stdout counts as what it
  // leads to.
  const there = await stat(path).catch(() => undefined);
  if (there && !there.isFile() && !there.isDirectory()) throw unfitFile(`${path} is a device or a pipe, and no file`);
}

/** A folder with a name that nobody else has: two who write the same file never write into one draft. */
async function replace(path: string, text: string, mode: number): Promise<void> {
  const folder = dirname(path);
  const own = await mkdtemp(join(folder, DRAFT));
  try {
    const draft = join(own, "draft");
    await writeDraft(draft, text, mode);
    await rename(draft, path);
  } finally {
    await rm(own, { recursive: true, force: true }).catch(() => undefined);
  }
  await syncFolder(folder);
}

const DRAFT = ".formctl-";
const DRAFT_NAME = /^\.formctl-\w{6}$/;
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * Removes what writers have left that were killed. Of a folder in which something has been written just now: by its time, which
 * is the disk's own, it is told what is old. Should a writer go on after all, its file stays as it was, and it hears so.
 */
export async function clearDrafts(folder: string): Promise<void> {
  try {
    const names = (await readdir(folder)).filter((name) => DRAFT_NAME.test(name));
    if (names.length === 0) return;
    const { mtimeMs: now } = await lstat(folder);
    for (const name of names) {
      const path = join(folder, name);
      const { mtimeMs } = await lstat(path);
      if (now - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
    }
  } catch {
    // Litter harms nobody.
  }
}
