/** Makes a local store the target of a command. The store is opened when it is first needed. */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FormctlError } from "./error.ts";
import type { LocalStoreFile } from "./commands/command.ts";
import type { LocalService } from "./local-service.ts";

export type OpenLocalTarget = {
  service(): Promise<LocalService>;
  file: LocalStoreFile;
  close(): Promise<void>;
};

/**
 * Creates the target without opening the store.
 *
 * @param serves opens the store for concurrent requests, for `formctl serve`
 */
export function openLocalTarget(path: string, now: () => Date, { serves = false } = {}): OpenLocalTarget {
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
      // An empty file counts as missing.
      const existed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
      await (await import("./local-store.ts")).createStore(path);
      return !existed;
    },
    async backup(into) {
      const folder = dirname(into);
      if (!existsSync(folder))
        throw new FormctlError(
          "INVALID_VALUE",
          `the folder ${folder} does not exist`,
          "Create the folder first, or specify another one.",
        );
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
