/**
 * Stores files that were uploaded through public forms (R83). The rows are in the store. The files are in a folder next
 * to the store.
 */

import { rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import sql from "sql-template-tag";
import { mkdirsDurably } from "../disk/folders.ts";
import { writeNewFile } from "../disk/write-file.ts";
import { fileError } from "./errors.ts";
import { StoreError, type Store, type Tx } from "./store.ts";

/**
 * The uploaded files of a store. Paths are relative to the folder of the uploads. So the store and this folder can be
 * moved together.
 */
export interface UploadFiles {
  /** Stores `bytes` in a new file. @returns its path */
  save(id: string, bytes: Uint8Array): Promise<string>;
  /** Removes a file. A missing file is not an error. */
  remove(path: string): Promise<void>;
  clear(): Promise<void>;
}

/** The allowed paths are plain names. So no row of a store can refer to a file outside the folder. */
const SAFE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Returns the uploaded files of the store in `storePath`. Their folder is `<store>.uploads` (0700, files 0600). */
export function uploadFiles(storePath: string): UploadFiles {
  const folder = `${storePath}.uploads`;
  return {
    async save(id, bytes) {
      const path = inside(folder, id);
      await withStoreErrors(path, async () => {
        mkdirsDurably(folder, 0o700);
        await writeNewFile(path, bytes);
      });
      return id;
    },
    async remove(path) {
      const file = inside(folder, path);
      await withStoreErrors(file, async () => {
        await unlink(file).catch(ignoreMissing);
      });
    },
    clear: () => withStoreErrors(folder, () => rm(folder, { recursive: true, force: true })),
  };
}

/**
 * Removes the files whose rows were deleted. A file is removed before its row in the trash. After a crash in between,
 * the removal is repeated. Never throws, because the operation that deleted the rows has succeeded. Files that can't be
 * removed stay in the trash.
 *
 * @returns the number of removed and of remaining files. If the store fails, `removed` is 0
 */
export async function emptyTrash(store: Store, files: UploadFiles): Promise<{ removed: number; left: number }> {
  let left = 0;
  try {
    // A file with an upload row is in use, even if it is in the trash.
    const waiting = await store.read((tx) =>
      tx.all<{ path: string }>(sql`
        SELECT path FROM file_trash t WHERE NOT EXISTS (SELECT 1 FROM public_uploads u WHERE u.path = t.path)`),
    );
    left = waiting.length;
    for (const { path } of waiting) {
      const isRemoved = await files.remove(path).then(
        () => true,
        () => false,
      );
      if (!isRemoved) continue;
      await store.write((tx) => tx.run(sql`DELETE FROM file_trash WHERE path = ${path}`));
      left--;
    }
    return { removed: waiting.length - left, left };
  } catch {
    return { removed: 0, left };
  }
}

/** Whether the path of an uploaded file is a valid name. A valid name can't lead out of the folder. */
export function isUploadName(path: string): boolean {
  return SAFE_NAME.test(path);
}

function inside(folder: string, name: string): string {
  if (isUploadName(name)) return join(folder, name);
  throw new StoreError(
    "STORE_CORRUPT",
    `invalid name of an uploaded file: ${JSON.stringify(name)}`,
    "Check the store: formctl local check",
  );
}

async function withStoreErrors(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw fileError(path, error);
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

export type UploadRecord = {
  id: string;
  org_id: string;
  form_id: string;
  file_name: string;
  size: number;
  sha256: string;
  /** The path of the file, relative to the folder of the uploads. */
  path: string;
  created_at: string;
};

/** Finds a form of any organization, because the caller administers the whole store. */
export function findUploadForm(
  tx: Tx,
  formId: string,
): Promise<{ id: string; org_id: string; name: string; is_public: 0 | 1 } | undefined> {
  return tx.first(sql`SELECT id, org_id, name, is_public FROM forms WHERE id = ${formId}`);
}

export function listUploadRecords(tx: Tx, formId: string): Promise<UploadRecord[]> {
  return tx.all<UploadRecord>(sql`
    SELECT id, org_id, form_id, file_name, size, sha256, path, created_at FROM public_uploads
    WHERE form_id = ${formId} ORDER BY created_at, id`);
}

export async function insertUpload(tx: Tx, upload: UploadRecord): Promise<void> {
  await tx.write(sql`
    INSERT INTO public_uploads (id, org_id, form_id, file_name, size, sha256, path, created_at)
    VALUES (${upload.id}, ${upload.org_id}, ${upload.form_id}, ${upload.file_name}, ${upload.size}, ${upload.sha256},
            ${upload.path}, ${upload.created_at})`);
}
