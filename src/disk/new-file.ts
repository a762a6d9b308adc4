/** New files that are whole or not there at all, also after a crash. Nothing is ever replaced. */

import { link, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFile, syncFolder, writeDraft } from "./draft.ts";

/** Writes a new file, and returns when it has reached the disk. */
export async function writeNewFile(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const draft = `${path}.tmp`;
  try {
    await writeDraft(draft, content, mode);
    await giveName(draft, path);
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
  await giveName(draft, path);
}

async function giveName(draft: string, path: string): Promise<void> {
  try {
    // A rename would replace what another process put there a moment ago; a link can't.
    await link(draft, path);
    await unlink(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST" || (await exists(path))) throw error;
    // Some file systems have no links.
    await rename(draft, path);
  }
  await syncFolder(dirname(path));
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
