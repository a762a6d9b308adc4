/** Writes many files, each as a whole like `writeWhole`, without waiting for the disk after each of them. */

import { closeSync, fsync, mkdtempSync, openSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asUnwritable } from "./file-errors.ts";
import { makeFolder } from "./folders.ts";
import { DRAFT_PREFIX, syncFolder } from "./write-file.ts";

export type WholeFile = {
  path: string;
  content: string;
  mode: number;
  /** Called right before the file gets its name. If it throws, the file is not written. */
  check: () => Promise<void>;
};

/**
 * The number of concurrent flushes. The thread pool of Node has four threads, and a waiting flush keeps each of them
 * busy.
 */
const FLUSHES = 8;

/**
 * Writes files, replacing existing ones. Creates their folders. Each file is flushed before it gets its name, and each
 * folder after all files have their names: after a crash, each path has the old content or the new one. After a failure
 * no further file is written, and the files that were already flushed remain.
 *
 * @throws FILE_UNWRITABLE; and what `check` throws
 */
export async function writeWholeFiles(files: readonly WholeFile[]): Promise<void> {
  const drafts = new Map<string, string>();
  const waiting = files.entries();
  let failure: { error: unknown } | undefined;
  const write = async () => {
    for (const [index, file] of waiting) {
      if (failure) return;
      try {
        await writeDraft(join(draftsBeside(file.path), String(index)), file);
      } catch (error) {
        failure ??= { error: asUnwritable(file.path, error) };
      }
    }
  };
  try {
    // A failure of one writer ends the others, and none of them writes after this call has ended.
    await Promise.all(Array.from({ length: FLUSHES }, write));
    if (failure) throw failure.error;
    for (const folder of drafts.keys()) {
      await syncFolder(folder).catch((error: unknown) => {
        throw asUnwritable(folder, error);
      });
    }
  } finally {
    for (const folder of drafts.values()) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }

  /** Returns the folder of the drafts for the folder of a file. Creates both. */
  function draftsBeside(path: string): string {
    const folder = dirname(path);
    const known = drafts.get(folder);
    if (known !== undefined) return known;
    makeFolder(folder);
    const created = mkdtempSync(join(folder, DRAFT_PREFIX));
    drafts.set(folder, created);
    return created;
  }
}

/**
 * Writes a file to a draft and gives it the name of the file. Only the flush is asynchronous: the other calls take less
 * time than their way to a thread and back.
 */
async function writeDraft(draft: string, { path, content, mode, check }: WholeFile): Promise<void> {
  const file = openSync(draft, "wx", mode);
  try {
    writeFileSync(file, content);
    await flush(file);
  } finally {
    closeSync(file);
  }
  await check();
  renameSync(draft, path);
}

function flush(file: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(file, (error) => (error ? reject(error) : resolve()));
  });
}
