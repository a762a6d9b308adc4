/**
 * Detects each commit to a store by any connection or process. Data from the store can be cached until the next commit.
 */

import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { isBusy } from "./errors.ts";
import { databaseUrl } from "./sqlite-file.ts";

export type CommitWatch = {
  /**
   * Returns a number that changes with each commit. When the caller of a write has its result, the number has changed.
   * Returns undefined in these cases:
   *
   * - SQLite can't answer, for example because the store is locked.
   * - The watch can't be opened on the same file again.
   */
  version: () => number | undefined;
  /**
   * Opens the connection of the watch again, and checks that `path` is still the same file. Call this function after a
   * connection to the store is opened: the connection may have opened another file.
   */
  reopen: () => void;
  close: () => void;
};

/**
 * Watches the store in `path`. The watch has its own connection, which is opened on first use. This connection never
 * begins a transaction: in a transaction, SQLite would report the version of the snapshot.
 *
 * Another process can move the store away and create a new file in `path`. If the watch opened the new file, it would
 * miss the commits to the moved store. So the watch uses only the file that was in `path` at the time of this call.
 * Call this function before the store is opened.
 */
export function watchCommits(path: string): CommitWatch {
  /**
   * The identity of the watched file. Undefined after another file was found in `path`. From then on, commits can't be
   * detected: the connections of the store may use either file.
   */
  let file = identityOf(path);
  let opened: { db: DatabaseSync; dataVersion: StatementSync } | undefined;
  let version = 0;
  /** The last value of `PRAGMA data_version`. Values of different connections can't be compared. */
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
      // The first read opens further files of the connection. So the identity is compared after the first read.
      if (seen === undefined && identityOf(path) !== file) {
        file = undefined;
        close();
        return undefined;
      }
      if (now !== seen) version++;
      seen = now;
      return version;
    } catch (error) {
      // A new connection does not count earlier changes. So `seen` is discarded together with the old connection.
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

/**
 * Returns the device and inode of a file: a rename does not change them. The file is not opened, because closing it
 * would release the locks of SQLite.
 */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * Opens the connection of the watch. It does not wait for locks: while the store is locked, `version` returns
 * undefined, and its caller uses no cache.
 */
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
