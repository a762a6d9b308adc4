/** Connects the engine to SQLite and to the uploaded files, or to PostgreSQL. Loaded when a command needs the store. */

import { randomId } from "./engine/ids.ts";
import { openLocalService } from "./engine/local.ts";
import type { LocalService } from "./local-service.ts";
import { lazyStore } from "./store/lazy-store.ts";
import { uploadFiles } from "./store/uploads.ts";
import { isStoreUrl } from "./store-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the service over a store. Opens no file and no connection before the first operation that needs one.
 *
 * @param store the path of a file, or the URL of a database
 * @param options.serves opens the store for concurrent requests: reads do not wait for writes
 * @param options.env the variables with the user and the password of a database, if the URL contains none
 */
export function openLocal(
  store: string,
  now: () => Date,
  { serves = false, env = process.env }: { serves?: boolean; env?: Environment } = {},
): LocalService {
  if (isStoreUrl(store)) {
    const database = lazyStore(async () => {
      const { openPostgres, SERVING } = await import("./store/postgres/postgres.ts");
      return openPostgres(store, { ...(serves && SERVING), env });
    });
    return openLocalService({ store: database, now, newId: randomId });
  }
  const file = lazyStore(async () => {
    const { openSqlite, openSqliteForServing } = await import("./store/sqlite.ts");
    return serves ? openSqliteForServing(store) : openSqlite(store, { create: false });
  });
  const copy = async (growth?: number) => (await import("./store/sqlite.ts")).openSqliteCopy(store, growth);
  return openLocalService({ store: file, now, newId: randomId, files: uploadFiles(store), copy });
}

/** Creates a store if it does not exist. @throws StoreError */
export async function createStore(store: string): Promise<void> {
  if (isStoreUrl(store)) {
    await (await import("./store/postgres/postgres.ts")).createPostgres(store);
    return;
  }
  const { openSqlite } = await import("./store/sqlite.ts");
  await openSqlite(store, { create: true }).close();
}
