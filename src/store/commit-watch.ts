/**
 * Detects each commit to a store, by any connection or process, so that data read from the store can be cached until
 * then.
 */

import { statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { isBusy } from "./errors.ts";
import { databaseUrl } from "./sqlite-file.ts";

export type CommitWatch = {
  /**
   * Returns a number that differs after each commit. Undefined if SQLite can't answer, for example because the store is
   * locked, or if the watch can't be opened on the same file again. Once the caller of a write has its result, the
   * number has changed.
   */
  version: () => number | undefined;
  /**
   * Opens the connection of the watch again, and checks that `path` is still the same file. Call it after each
   * connection that reads or writes the store is opened, because that connection may have opened another file.
   */
  reopen: () => void;
  close: () => void;
};

/**
 * Watches the store in `path`. The watch has its own connection, which is opened on first use and never begins a
 * transaction: in a transaction, SQLite would report the version of the snapshot.
 *
 * Another process can move the store away and create a new file in `path`. If the watch opened the new file, it would
 * miss the commits to the moved store. So the watch only uses the file that is in `path` when this function is called.
 * Call this function before the store is opened.
 */
export function watchCommits(path: string): CommitWatch {
  /**
   * The identity of the watched file. Undefined after another file was found in `path`: the connections of the store
   * may use either file, so commits can't be detected from then on.
   */
  let file = identityOf(path);
  let opened: { db: DatabaseSync; dataVersion: StatementSync } | undefined;
  let version = 0;
  /** The last value of `PRAGMA data_version`. It can be compared only with other values of the same connection. */
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
      // The connection opens some of its files only with the first read, so the identity is compared after that read.
      if (seen === undefined && identityOf(path) !== file) {
        file = undefined;
        close();
        return undefined;
      }
      if (now !== seen) version++;
      seen = now;
      return version;
    } catch (error) {
      // The values of a new connection do not count earlier changes, so `seen` is discarded together with the old
      // connection.
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
 * Returns the device and inode of a file, which do not change when the file is renamed. Does not open the file, because
 * closing it would release the locks of SQLite.
 */
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
