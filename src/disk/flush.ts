/** Flushes files and folders to the disk. A loss of power then does not undo a write. */

import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Flushes a file that other code, such as SQLite, has written. */
export async function syncFile(path: string): Promise<void> {
  await sync(path, "r+");
}

/** Flushes the names in a folder. Does nothing on Windows, where a folder can't be opened and needs no flush. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform !== "win32") await sync(folder, "r");
}

/** Like `syncFolder`, for synchronous code. */
export function syncFolderNow(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
