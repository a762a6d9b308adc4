/** Lines that are on the disk before anything goes on; those that wait at the same time share one flush. */

import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { FormctlError } from "../../error.ts";
import { reasonOf } from "../../disk/unwritable-file.ts";

/** A record can't be written: what it should have recorded must not be done. */
export function recordUnwritable(path: string, cause: unknown): FormctlError {
  return new FormctlError(
    "RECORD_UNWRITABLE",
    `can't write the record of the run, ${path}: ${reasonOf(cause)}`,
    "Check that the folder can be written and has room left, then apply again: it goes on from there.",
    cause,
  );
}

export type AppendLog = {
  /** Resolves when the line is on the disk. @throws RECORD_UNWRITABLE, from then on at every line */
  append(line: string): Promise<void>;
  /** Never throws: what was acknowledged is on the disk already. */
  close(): Promise<void>;
};

/** @throws RECORD_UNWRITABLE where there is a file of that name, or none can be made */
export async function createAppendLog(path: string): Promise<AppendLog> {
  try {
    const file = await open(path, "wx", 0o600);
    // Its name is in the folder, and that has to reach the disk too. Windows opens no folders, and needs none.
    const folder = await open(dirname(path), "r").catch(() => undefined);
    await folder?.sync();
    await folder?.close();
    return appendLog(file, path);
  } catch (error) {
    throw recordUnwritable(path, error);
  }
}

function appendLog(file: FileHandle, path: string): AppendLog {
  let waiting: string[] = [];
  let failed: FormctlError | undefined;
  /** The flush that writes what waits now; there is one at a time. */
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const lines = waiting;
    waiting = [];
    next = undefined;
    if (failed) throw failed;
    try {
      await file.appendFile(lines.join(""));
      await file.datasync();
    } catch (error) {
      // What is on the disk now, nobody knows: a line after a torn one would be torn too.
      throw (failed = recordUnwritable(path, error));
    }
  }

  return {
    append(line) {
      waiting.push(`${line}\n`);
      next ??= last = last.catch(() => undefined).then(flush);
      return next;
    },
    async close() {
      await last.catch(() => undefined);
      await file.close().catch(() => undefined);
    },
  };
}
