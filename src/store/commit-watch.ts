/** Notices each commit to a store, by any connection or process, so that what was read from it can be cached. */

import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { isBusy } from "./errors.ts";
import { databaseUrl } from "./sqlite-file.ts";

export type CommitWatch = {
  /**
   * Returns a number that differs after each commit. Undefined if SQLite can't answer, for example because the store is
   * locked, or if the watch can't be opened on the same file again. A commit that was reported to its caller is always
   * noticed.
   */
  version: () => number | undefined;
  /** Opens the connection again. Call it after each connection that reads or writes the store is opened. */
  reopen: () => void;
  close: () => void;
};

/**
 * Watches the store in `path`. The watch has its own connection, which never has a transaction:
 * within a transaction, SQLite reports the version of its snapshot. The connection is opened on first use.
 *
 * Another process can move the store away and create another one in `path`. A connection that is opened later uses the
 * other file, and would not notice the commits to the first. So the watch only uses the file that is in `path` at this
 * call: call it before the store is opened.
 */
export function watchCommits(path: string): CommitWatch {
  /** Undefined after another file was found in `path`: connections of the store may use either file. */
  let file = identityOf(path);
  let opened: { db: DatabaseSync; dataVersion: StatementSync } | undefined;
  let version = 0;
  /** The value of `PRAGMA data_version`, which only the same connection can compare. */
  let seen: number | undefined;
  const close = () => {
    if (opened?.db.isOpen) opened.db.close();
    opened = undefined;
    seen = undefined;
  };
  const read = () => {
    if (file === undefined) return undefined;
    try {
      opened ??= open(path);
      const [now] = opened.dataVersion.get() as unknown as [number];
      // The first read opens the last files of the connection, so the file is compared after it.
      if (seen === undefined && identityOf(path) !== file) {
        file = undefined;
        close();
        return undefined;
      }
      if (now !== seen) version++;
      seen = now;
      return version;
    } catch (error) {
      // A new connection can't know what changed before it was opened, so `seen` is discarded with the old one.
      if (!isBusy(error)) close();
      return undefined;
    }
  };
  return {
    version: read,
    reopen() {
      close();
      read();
    },
    close,
  };
}

/** Returns what identifies a file when it is renamed. Opens no file, which would release the locks of SQLite. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** The connection does not wait for locks, because its caller can read without a cache. */
function open(path: string) {
  const db = new DatabaseSync(databaseUrl(path, false), { readOnly: true, timeout: 0 });
  try {
    const dataVersion = db.prepare("PRAGMA data_version");
    dataVersion.setReturnArrays(true);
    return { db, dataVersion };
  } catch (error) {
    db.close();
    throw error;
  }
}
