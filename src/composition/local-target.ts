/** Makes a store the target of a command. The first operation that needs the store opens it. */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FormctlError } from "../base/error.ts";
import type { LocalStoreFile } from "../commands/command.ts";
import type { Host } from "../base/host.ts";
import type { LocalService } from "../local-service.ts";
import { isStoreUrl, hidePassword, refuseMistypedUrl, storeLocation } from "../base/database-url.ts";

export type OpenLocalTarget = {
  service(): Promise<LocalService>;
  file: LocalStoreFile;
  /**
   * Copies the store into a new file, for a rehearsal. Copies only one organization of a PostgreSQL database. A store
   * that does not exist is not copied.
   *
   * @returns the number of uploaded files, which are not copied
   */
  copyTo(path: string, organizationKey: string | undefined): Promise<{ uploads: number }>;
  close(): Promise<void>;
};

/**
 * Creates the target without opening the store.
 *
 * @param store the path of a file, or the URL of a database
 * @param options.serves opens the store for concurrent requests, for `formctl serve`
 */
export function openLocalTarget(
  store: string,
  { cwd, env, now }: Pick<Host, "cwd" | "env" | "now">,
  { serves = false } = {},
): OpenLocalTarget {
  const path = storeLocation(cwd, store);
  const address = isStoreUrl(store) ? store : path;
  let opened: Promise<LocalService> | undefined;
  const open = async () => (await import("./local-store.ts")).openLocal(address, now, { serves, env });
  const close = async () => {
    await (await opened?.catch(() => undefined))?.close();
    opened = undefined;
  };
  if (isStoreUrl(store)) {
    return {
      service: () => (opened ??= open()),
      file: databaseOf(store, path, env),
      async copyTo(into, organizationKey) {
        await (await import("./local-store.ts")).copyOrganizationTo({ from: store, into }, organizationKey, env);
        return { uploads: 0 };
      },
      close,
    };
  }
  const requirePath = (text: string) => {
    refuseMistypedUrl(text);
    if (isStoreUrl(text)) databaseOf(text, hidePassword(text), env).requireFile();
  };
  const file: LocalStoreFile = {
    location: path,
    requireFile: () => undefined,
    exists: () => existsSync(path),
    async create() {
      // An empty file counts as missing.
      const existed = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
      await (await import("./local-store.ts")).createStore(path);
      return !existed;
    },
    async backup(into) {
      requirePath(into);
      const folder = dirname(into);
      await (await import("../disk/write-file.ts")).requireWritableFolder(folder, into);
      if (!existsSync(folder))
        throw new FormctlError(
          "INVALID_VALUE",
          `the folder ${folder} does not exist`,
          "Create the folder first, or specify another one.",
        );
      return (await import("../store/backup.ts")).backupStore(path, into);
    },
    async inspect(from) {
      requirePath(from);
      return (await import("../store/backup.ts")).inspectBackup(from, path);
    },
    async restore(from) {
      await close();
      return (await import("../store/backup.ts")).restoreStore(from, path);
    },
    async reset() {
      await close();
      return (await import("../store/backup.ts")).resetStore(path);
    },
  };
  const copyTo = async (into: string) => (file.exists() ? (await file.backup(into)).counts : { uploads: 0 });
  return { service: () => (opened ??= open()), file, copyTo, close };
}

/**
 * A store on a database server. Operations on a file are refused: the tools of the server back up and delete a
 * database.
 *
 * @param location the URL without its password, for messages
 */
function databaseOf(url: string, location: string, env: Host["env"]): LocalStoreFile {
  const requireFile = () => {
    throw new FormctlError(
      "USAGE",
      `${location} is on a database server, and this command works on a file`,
      "Copy it into a file: formctl local copy URL FILE. Or use the tools of the database, such as pg_dump.",
    );
  };
  const refuse = async () => requireFile();
  return {
    location,
    requireFile,
    // Only a connection shows whether the store exists.
    exists: () => true,
    create: async () => (await import("../store/postgres/postgres.ts")).createPostgres(url, { env }),
    backup: refuse,
    inspect: refuse,
    restore: refuse,
    reset: refuse,
  };
}
