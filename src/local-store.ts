/** Connects the engine to SQLite and to the uploaded files. Loaded when a command needs the local store. */

import { randomId } from "./engine/ids.ts";
import { openLocalService } from "./engine/local.ts";
import type { CopyPart, LocalService } from "./local-service.ts";
import { lazyStore } from "./store/lazy-store.ts";
import { uploadFiles } from "./store/uploads.ts";

/**
 * Returns the service over the store at `path`. Opens no file before the first operation that needs one.
 *
 * @param serves opens the store for concurrent requests: reads do not wait for writes
 */
export function openLocal(path: string, now: () => Date, { serves = false } = {}): LocalService {
  const store = lazyStore(async () => {
    const { openSqlite, openSqliteForServing } = await import("./store/sqlite.ts");
    return serves ? openSqliteForServing(path) : openSqlite(path, { create: false });
  });
  const copy = async (growth?: number, part?: CopyPart) =>
    (await import("./store/sqlite.ts")).openSqliteCopy(path, growth, part);
  return openLocalService({ store, now, newId: randomId, files: uploadFiles(path), copy });
}

/** Creates the store at `path` if it does not exist. @throws StoreError */
export async function createStore(path: string): Promise<void> {
  const { openSqlite } = await import("./store/sqlite.ts");
  await openSqlite(path, { create: true }).close();
}
