/** The bytes of a file before it has its name: all of them, and on the disk. */

import { open } from "node:fs/promises";

/** @param path of a file that is not there yet */
export async function writeDraft(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    // It goes on where the system has taken a part only.
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file that another has written, as SQLite. */
export async function syncFile(path: string): Promise<void> {
  await sync(path, "r+");
}

/** A name is in its folder, and that has to reach the disk too. Windows opens no folders, and needs none of this. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform !== "win32") await sync(path, "r");
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
