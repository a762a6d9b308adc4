/**
 * Writes a file as a whole. After a crash, or with concurrent writers, the path has the old content or the new content.
 * Each write goes to a draft (a temporary file). The draft is flushed to the disk, and then gets the name of the file.
 */

import { constants } from "node:fs";
import { access, link, lstat, mkdtemp, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { asUnwritable, unfitFile } from "./file-errors.ts";
import { syncFile, syncFolder } from "./flush.ts";
import { makeFolder } from "./folders.ts";
import { refuseLeadingOut, statOf } from "./links.ts";
import { type LockHost, waitForLock } from "./process-lock.ts";

/**
 * Writes a file, replacing an existing file. Creates the folder of the file. Replaces a link instead of following it.
 *
 * @throws FILE_UNFIT if the path is a folder or a device
 * @throws FILE_UNWRITABLE if the write failed. The file is unchanged, unless the final flush of its folder failed
 */
export async function writeWhole(path: string, content: string, mode: number): Promise<void> {
  await requireReplaceable(path);
  makeFolder(dirname(path));
  try {
    await withDraft(path, content, mode, async (draft) => {
      await rename(draft, path);
      await syncFolder(dirname(path));
    });
  } catch (error) {
    throw asUnwritable(path, error);
  }
}

/**
 * Changes a file that only its owner may read. Each folder has one lock. Therefore concurrent processes change its
 * files one after the other.
 *
 * @param change returns the new text of the file, or undefined to keep the current text
 * @throws FILE_HELD if another process keeps the lock
 * @throws what `writeWhole` throws
 */
export async function changePrivateFile(
  path: string,
  host: LockHost,
  change: () => Promise<string | undefined>,
): Promise<void> {
  const folder = dirname(path);
  makeFolder(folder, 0o700);
  const lock = await waitForLock(folder, { name: "lock", file: basename(path) }, host);
  try {
    const text = await change();
    if (text !== undefined) await writeWhole(path, text, 0o600);
    await clearDrafts(folder);
  } finally {
    await lock.release();
  }
}

/** Writes a file that does not exist yet. @throws the system's own error. It is EEXIST when the file exists */
export function writeNewFile(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  return withDraft(path, content, mode, (draft) => giveNewName(draft, path));
}

/**
 * Flushes the finished file `draft` to the disk, and gives it the name `path`. Both paths must be on one file system.
 *
 * @throws the system's own error. It is EEXIST when the file exists
 */
export async function placeNewFile(draft: string, path: string): Promise<void> {
  await syncFile(draft);
  await giveNewName(draft, path);
}

async function giveNewName(draft: string, path: string): Promise<void> {
  try {
    // A link fails if another process has just created the file. A rename would replace that file.
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || (await exists(path))) throw error;
    // The file system supports no hard links, so the file is renamed.
    await rename(draft, path);
  }
  await syncFolder(dirname(path));
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * Writes a draft, passes its path to `place`, and removes the folder of the draft. Each draft has its own folder.
 * Therefore concurrent writers of a file never share a draft.
 */
async function withDraft(
  path: string,
  content: string | Uint8Array,
  mode: number,
  place: (draft: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(dirname(path), DRAFT_PREFIX));
  try {
    const draft = join(folder, "draft");
    const file = await open(draft, "wx", mode);
    try {
      // `writeFile` continues if the system writes only a part of the content.
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(draft);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The start of the names of folders with drafts. */
export const DRAFT_PREFIX = ".formctl-";
const DRAFT_NAME = /^\.formctl-\w{6}$/;
const ABANDONED_MS = 60 * 60 * 1000;

/**
 * Removes the drafts of killed writers: all drafts in `folder` that are older than an hour. The modification time of
 * `folder` counts as the current time. Therefore call this function right after a write in `folder`.
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
    // A failure is ignored, because an old draft does no harm.
  }
}

/**
 * Checks that `writeWhole` can write to a path that the user named. Callers use it before they create the content.
 *
 * @param project the root of the project, whose links may come from another user
 * @throws FILE_UNFIT if the path is a folder or a device, or its folder leads out of the project through a link
 * @throws FILE_UNWRITABLE if its folder is not writable
 */
export async function requireWritable(path: string, project: string): Promise<void> {
  refuseLeadingOut(dirname(path), project);
  await requireReplaceable(path);
  await requireWritableFolder(dirname(path), path);
}

/**
 * Checks that a folder is writable. If the folder is missing, checks the nearest existing parent.
 *
 * @param path the file for the error message
 * @throws FILE_UNWRITABLE if the checked folder is not writable
 */
export async function requireWritableFolder(folder: string, path = folder): Promise<void> {
  try {
    // The separator at the end makes the call fail for a file.
    await access(`${folder}${sep}`, constants.W_OK);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT" && dirname(folder) !== folder;
    if (!isMissing) throw asUnwritable(path, error);
    await requireWritableFolder(dirname(folder), path);
  }
}

async function requireReplaceable(path: string): Promise<void> {
  if ((await statOf(path))?.isDirectory()) throw unfitFile(`${path} is a folder`);
  // As root, a rename would replace /dev/null for every process. `stat` follows links: for /dev/stdout, it checks the
  // target.
  const target = await stat(path).catch(() => undefined);
  if (target && !target.isFile() && !target.isDirectory()) throw unfitFile(`${path} is a device or a pipe, not a file`);
}
