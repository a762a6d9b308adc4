/** Writes many files, each as a whole like `writeWhole`. Flushes several files at the same time. */

import { closeSync, fsync, mkdtempSync, openSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asUnwritable } from "./file-errors.ts";
import { syncFolder } from "./flush.ts";
import { makeFolder } from "./folders.ts";
import { DRAFT_PREFIX } from "./write-file.ts";

export type WholeFile = {
  path: string;
  /** Returns the text. Called once, right before the file is written. */
  content: () => string;
  mode: number;
  /** Called right before the file gets its name. If `check` throws, the file is not written. */
  check: () => Promise<void>;
};

/** The number of concurrent flushes. Node has four threads for files. Twice as many flushes keep each thread busy. */
const FLUSHES = 8;

/**
 * Writes files, replacing existing files. Creates the folders of the files. After a crash, each path has the old
 * content or the new content. For this, each file is flushed before it gets its name. The folders are flushed last.
 *
 * After a failure, no further file is begun. Files in progress are finished, and finished files remain. The folders are
 * not flushed.
 *
 * @throws FILE_UNWRITABLE, and what `check` throws
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
    // After a failure each writer finishes its file and stops. `Promise.all` waits for all writers, so no writer
    // continues after this call.
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

  /** Returns the folder for the drafts (temporary files) in the folder of `path`. Creates both folders. */
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
 * Writes a file to a draft and gives it the name of the file. Only the flush runs in a thread. The other calls of the
 * file system take less time than handing them to a thread.
 */
async function writeDraft(draft: string, { path, content, mode, check }: WholeFile): Promise<void> {
  const file = openSync(draft, "wx", mode);
  try {
    writeFileSync(file, content());
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
