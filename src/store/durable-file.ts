/** Files that are whole or not there at all, also after a crash. */

import { link, open, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes a new file (0600) with `bytes`, and returns when it has reached the disk. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    await placeNewFile(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * Gives the finished file `draft` its name, when it has reached the disk; both are on one file system.
 *
 * @throws EEXIST when there is a file of that name: it is never replaced
 */
export async function placeNewFile(draft: string, path: string): Promise<void> {
  await syncFile(draft);
  try {
    // A rename would replace what another process put there a moment ago; a link can't.
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || (await exists(path))) throw error;
    // Some file systems have no links.
    await rename(draft, path);
  }
  await syncFolder(path);
}

/** Waits until the content of a file has reached the disk. */
export async function syncFile(path: string): Promise<void> {
  await sync(path, "r+");
}

/** Waits until the name of a file has reached the disk, which is in its folder. Windows opens no folders, and needs none. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform !== "win32") await sync(dirname(path), "r");
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
