/** Notices each commit to a store, by any connection or process, so that what was read from it can be cached. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { databaseUrl } from "./sqlite-file.ts";

export type CommitWatch = {
  /**
   * Returns a number that differs after each commit. Undefined if SQLite can't answer, for example because the store is
   * locked. A commit that was reported to its caller is always noticed.
   */
  version: () => number | undefined;
  close: () => void;
};

/**
 * Watches the store in `path`. The watch has its own connection, which never has a transaction:
 * within a transaction, SQLite reports the version of its snapshot. The connection is opened on first use.
 */
export function watchCommits(path: string): CommitWatch {
  let opened: { db: DatabaseSync; dataVersion: StatementSync } | undefined;
  let version = 0;
  /** The value of `PRAGMA data_version`, which only the same connection can compare. */
  let seen: number | undefined;
  const close = () => {
    if (opened?.db.isOpen) opened.db.close();
    opened = undefined;
    seen = undefined;
  };
  return {
    version() {
      try {
        opened ??= open(path);
        const [now] = opened.dataVersion.get() as unknown as [number];
        if (now !== seen) version++;
        seen = now;
        return version;
      } catch {
        // A new connection can't know what changed before it was opened, so `seen` is discarded with the old one.
        close();
        return undefined;
      }
    },
    close,
  };
}

/** The connection does not wait for locks, because its caller can read without a cache. */
function open(path: string) {
  const db = new DatabaseSync(databaseUrl(path, false), { readOnly: true, timeout: 0 });
  const dataVersion = db.prepare("PRAGMA data_version");
  dataVersion.setReturnArrays(true);
  return { db, dataVersion };
}
