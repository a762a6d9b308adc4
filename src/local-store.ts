/**
 * Connects the engine to a store: to SQLite and the uploaded files, or to PostgreSQL. Loaded when a command needs the
 * store.
 */

import { randomId } from "./engine/ids.ts";
import { openLocalService } from "./engine/local.ts";
import type { CopyPart, LocalService, OnProgress, StoreCounts } from "./local-service.ts";
import { lazyStore } from "./store/lazy-store.ts";
import { listOrganizations } from "./store/organizations.ts";
import type { Store } from "./store/store.ts";
import { uploadFiles } from "./store/uploads.ts";
import { isStoreUrl } from "./database-url.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the service over a store. The first operation that needs the store opens the file or the connection.
 *
 * @param store the path of a file, or the URL of a database
 * @param options.serves opens the store for concurrent requests: reads do not wait for writes
 * @param options.env the environment variables: PGUSER is used for a URL without a user, PGPASSWORD for a URL without a
 *   password
 */
export function openLocal(
  store: string,
  now: () => Date,
  { serves = false, env = process.env }: { serves?: boolean; env?: Environment } = {},
): LocalService {
  const options = { now, newId: randomId, store: lazyStore(() => openStore(store, { serves, env })) };
  if (isStoreUrl(store)) {
    const copyDatabase = async (growth?: number, part?: CopyPart) => {
      const copy = await (await import("./store/sqlite.ts")).openScratchSqlite(growth);
      return copyInto(options.store, copy, part);
    };
    return openLocalService({ ...options, copy: copyDatabase });
  }
  const copy = async (growth?: number, part?: CopyPart) =>
    (await import("./store/sqlite.ts")).openSqliteCopy(store, growth, part);
  return openLocalService({ ...options, files: uploadFiles(store), copy });
}

async function openStore(store: string, { serves, env }: { serves: boolean; env: Environment }): Promise<Store> {
  if (isStoreUrl(store)) {
    const { openPostgres, SERVING } = await import("./store/postgres/postgres.ts");
    return openPostgres(store, { ...(serves && SERVING), env });
  }
  const { openSqlite, openSqliteForServing } = await import("./store/sqlite.ts");
  return serves ? openSqliteForServing(store) : openSqlite(store, { create: false });
}

/** Copies a part of a store into an empty store. If the copy fails, closes the empty store. @returns `into` */
async function copyInto(from: Store, into: Store, part: CopyPart | undefined): Promise<Store> {
  try {
    const { chooseOrganization } = await import("./engine/setup/choose-organization.ts");
    const { copyOrganization } = await import("./store/organization-copy.ts");
    const { id } = await from.read((tx) => chooseOrganization(tx, part?.organization));
    await copyOrganization(from, into, id, part);
    return into;
  } catch (error) {
    await into.close();
    throw error;
  }
}

/**
 * Copies one organization of a PostgreSQL database into a new file.
 *
 * @param env see {@link openLocal}
 */
export async function copyOrganizationTo(
  { from, into }: { from: string; into: string },
  organizationKey: string | undefined,
  env: Environment,
): Promise<void> {
  const source = await openStore(from, { serves: false, env });
  try {
    const { openSqlite } = await import("./store/sqlite.ts");
    await (await copyInto(source, openSqlite(into, { create: true }), { organization: organizationKey })).close();
  } finally {
    await source.close();
  }
}

/** Creates a store if it does not exist. @param env see {@link openLocal} @throws StoreError */
export async function createStore(store: string, env: Environment = process.env): Promise<void> {
  if (isStoreUrl(store)) {
    await (await import("./store/postgres/postgres.ts")).createPostgres(store, { env });
    return;
  }
  const { openSqlite } = await import("./store/sqlite.ts");
  await openSqlite(store, { create: true }).close();
}

/**
 * Copies all records of a store.
 *
 * @param stores.into a store without records. Created if it does not exist
 * @param env see {@link openLocal}
 * @throws StoreError if a store can't be used, `into` has records, or the copy differs. Nothing is copied then
 */
export async function copyStoreTo(
  { from, into }: { from: string; into: string },
  env: Environment,
  onProgress: OnProgress,
): Promise<StoreCounts> {
  const source = await openStore(from, { serves: false, env });
  try {
    // A missing source is reported before the target is created.
    await source.read(listOrganizations);
    await createStore(into, env);
    const target = await openStore(into, { serves: false, env });
    try {
      return await (await import("./store/copy.ts")).copyStore(source, target, onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
