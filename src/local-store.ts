/** The local store, wired: the engine on SQLite with its uploaded files. Loaded when a command needs it. */

import { randomId } from "./engine/ids.ts";
import { openLocalService } from "./engine/local.ts";
import type { LocalService } from "./local-service.ts";
import { lazyStore } from "./store/lazy-store.ts";
import { uploadFiles } from "./store/uploads.ts";

/**
 * The service over the store in `path`. No file is opened before the first operation that needs one. `serves`: many callers at
 * once use it, whose reads must not wait for writes.
 */
export function openLocal(path: string, now: () => Date, { serves = false } = {}): LocalService {
  const store = lazyStore(async () => {
    const { openSqlite, openSqliteForServing } = await import("./store/sqlite.ts");
    return serves ? openSqliteForServing(path) : openSqlite(path, { create: false });
  });
  return openLocalService({ store, now, newId: randomId, files: uploadFiles(path) });
}

/** Makes a store in `path`, where there is none. @throws StoreError when the place can't be used */
export async function createStore(path: string): Promise<void> {
  const { openSqlite } = await import("./store/sqlite.ts");
  await openSqlite(path, { create: true }).close();
}
