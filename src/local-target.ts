/** A local store as the place where a command works: opened when it is first needed, closed at the end. */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FormctlError } from "./error.ts";
import type { LocalStoreFile } from "./commands/command.ts";
import type { LocalService } from "./local-service.ts";

export type LocalTarget = {
  service(): Promise<LocalService>;
  file: LocalStoreFile;
  close(): Promise<void>;
};

/** Nothing is loaded or opened here: help and settings need no store. `serves`: the store is for `formctl serve`. */
export function localTarget(path: string, now: () => Date, { serves = false } = {}): LocalTarget {
  let opened: Promise<LocalService> | undefined;
  const open = async () => (await import("./local-store.ts")).openLocal(path, now, { serves });
  const close = async () => {
    await (await opened?.catch(() => undefined))?.close();
    opened = undefined;
  };
  const file: LocalStoreFile = {
    location: path,
    exists: () => existsSync(path),
    async create() {
      // An empty file is no store yet.
      const existed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
      await (await import("./local-store.ts")).createStore(path);
      return !existed;
    },
    async backup(into) {
      const folder = dirname(into);
      if (!existsSync(folder))
        throw new FormctlError("INVALID_VALUE", `there is no folder ${folder}`, "Make it first, or name another.");
      return (await import("./store/backup.ts")).backupStore(path, into);
    },
    inspect: async (from) => (await import("./store/backup.ts")).inspectBackup(from, path),
    async restore(from) {
      await close();
      return (await import("./store/backup.ts")).restoreStore(from, path);
    },
    async reset() {
      await close();
      return (await import("./store/backup.ts")).resetStore(path);
    },
  };
  return { service: () => (opened ??= open()), file, close };
}
