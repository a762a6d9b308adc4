/** The files that came in through public forms. They rest in a folder beside the store, and go with their form (R83). */

import { rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import sql from "sql-template-tag";
import { mkdirs } from "../disk/folders.ts";
import { writeNewFile } from "../disk/write-file.ts";
import { fileError } from "./file-errors.ts";
import { StoreError, type Store } from "./store.ts";

/** A path here is relative to the folder: the store keeps it, and the store can be moved with its folder. */
export interface UploadFiles {
  /** Keeps `bytes` until `remove`. @returns the path to ask for them by; nothing is ever overwritten */
  save(id: string, bytes: Uint8Array): Promise<string>;
  /** Removes a file; one that is gone already is no error. */
  remove(path: string): Promise<void>;
  /** Removes every file. */
  clear(): Promise<void>;
}

/** One plain name: whatever a store's rows say, nothing outside the folder is touched. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** The upload files of the store in `storePath`, in the folder `<store>.uploads` (0700, files 0600). */
export function uploadFiles(storePath: string): UploadFiles {
  const folder = `${storePath}.uploads`;
  return {
    async save(id, bytes) {
      const path = inside(folder, id);
      await told(path, async () => {
        mkdirs(folder, 0o700);
        await writeNewFile(path, bytes);
      });
      return id;
    },
    async remove(path) {
      const file = inside(folder, path);
      await told(file, async () => {
        await unlink(file).catch(ignoreMissing);
      });
    },
    clear: () => told(folder, () => rm(folder, { recursive: true, force: true })),
  };
}

/**
 * Removes the files whose rows are gone: first the files, then the note of them, so that a crash between the two only
 * means that it is done again. Never throws, because the deletion that led here has succeeded: what could not be removed
 * stays in the trash for the next time.
 *
 * @returns how many files were removed, and how many wait
 */
export async function emptyTrash(store: Store, files: UploadFiles): Promise<{ removed: number; left: number }> {
  let left = 0;
  try {
    // A file that a row names is in use, whatever the trash says.
    const waiting = await store.read((tx) =>
      tx.all<{ path: string }>(sql`
        SELECT path FROM file_trash t WHERE NOT EXISTS (SELECT 1 FROM public_uploads u WHERE u.path = t.path)`),
    );
    left = waiting.length;
    for (const { path } of waiting) {
      const isGone = await files.remove(path).then(
        () => true,
        () => false,
      );
      if (!isGone) continue;
      await store.write((tx) => tx.run(sql`DELETE FROM file_trash WHERE path = ${path}`));
      left--;
    }
    return { removed: waiting.length - left, left };
  } catch {
    return { removed: 0, left };
  }
}

/** Whether an uploaded file can have this path: one plain name, which leads nowhere else. */
export function isUploadName(path: string): boolean {
  return SAFE_NAME.test(path);
}

function inside(folder: string, name: string): string {
  if (isUploadName(name)) return join(folder, name);
  throw new StoreError(
    "STORE_CORRUPT",
    `an uploaded file can't be named ${JSON.stringify(name)}`,
    "Look at what is stored: formctl local check",
  );
}

async function told(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw fileError(path, error);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
