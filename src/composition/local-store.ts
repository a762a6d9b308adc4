/**
 * Connects the engine to a store: to SQLite and the uploaded files, or to PostgreSQL. Loaded when a command needs the
 * store.
 */

import { randomId } from "../engine/ids.ts";
import { openLocalService } from "../engine/local.ts";
import type { CopyPart, LocalService, OnProgress, StoreCounts } from "../local-service.ts";
import { lazyStore } from "../store/lazy-store.ts";
import { listOrganizations } from "../store/organizations.ts";
import type { Store } from "../store/store.ts";
import { uploadFiles } from "../store/uploads.ts";
import { isStoreUrl } from "../base/database-url.ts";
import { FormctlError } from "../base/error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws STORE_UNUSABLE on a Node that lacks functions of `node:sqlite` */
export function requireSqlite(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if ((major === 24 && minor >= 16) || (major === 26 && minor >= 1) || major > 26) return;
  throw new FormctlError(
    "STORE_UNUSABLE",
    `a store needs Node 24.16, or 26.1 or newer; this is ${process.version}`,
    "Use a newer Node.",
  );
}

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
  const copy = (growth?: number, part?: CopyPart) => copyStorePart(options.store, store, growth, part);
  return openLocalService({ ...options, ...(!isStoreUrl(store) && { files: uploadFiles(store) }), copy });
}

/** Returns the service over a new store in memory. Its records are lost when it is closed. */
export async function openInMemory(now: () => Date): Promise<LocalService> {
  const { openScratchSqlite } = await import("../store/sqlite.ts");
  const store = await openScratchSqlite();
  const copy = (growth?: number, part?: CopyPart) => copyPart(store, part, () => openScratchSqlite(growth));
  return openLocalService({ now, newId: randomId, store, copy });
}

async function openStore(store: string, { serves, env }: { serves: boolean; env: Environment }): Promise<Store> {
  if (isStoreUrl(store)) {
    const { openPostgres, SERVING } = await import("../store/postgres/postgres.ts");
    return openPostgres(store, { ...(serves && SERVING), env });
  }
  const { openSqlite, openSqliteForServing } = await import("../store/sqlite.ts");
  return serves ? openSqliteForServing(store) : openSqlite(store, { create: false });
}

/**
 * Copies a part of a store, or the whole store, for a rehearsal: see `LocalService.copy`.
 *
 * @param store the path of the file, or the URL of the database, of `from`
 */
export async function copyStorePart(from: Store, store: string, growth?: number, part?: CopyPart): Promise<Store> {
  const { openScratchSqlite, openSqliteCopy } = await import("../store/sqlite.ts");
  const open = () => openScratchSqlite(growth);
  if (isStoreUrl(store)) return copyPart(from, part, open);
  // A whole file is copied faster than its records.
  const copyFile = () => openSqliteCopy(store, growth);
  return part?.objects ? copyPart(from, part, open, copyFile) : copyFile();
}

/**
 * Copies a part of a store into an empty store.
 *
 * @param open opens the empty store. It is closed if the copy fails
 * @param copyAll copies the store if the part needs all forms, or if its organization is unclear. Default: all records of
 *   the organization are copied, and an unclear organization is an error
 */
async function copyPart(
  from: Store,
  part: CopyPart | undefined,
  open: () => Promise<Store>,
  copyAll?: () => Promise<Store>,
): Promise<Store> {
  const { chooseOrganization } = await import("../engine/setup/choose-organization.ts");
  const { copyOrganization, formsOfPart } = await import("../store/organization-copy.ts");
  return from.read(async (source) => {
    const named = (await listOrganizations(source)).filter(({ key }) => key === (part?.organization ?? key));
    if (named.length !== 1 && copyAll) return copyAll();
    const { id } = await chooseOrganization(source, part?.organization);
    const forms = part && (await formsOfPart(source, id, part));
    if (!forms && copyAll) return copyAll();
    const into = await open();
    try {
      await copyOrganization(source, into, id, forms);
      return into;
    } catch (error) {
      await into.close();
      throw error;
    }
  });
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
    const { openSqlite } = await import("../store/sqlite.ts");
    const part = { organization: organizationKey };
    await (await copyPart(source, part, async () => openSqlite(into, { create: true }))).close();
  } finally {
    await source.close();
  }
}

/** Creates a store if it does not exist. @param env see {@link openLocal} @throws StoreError */
export async function createStore(store: string, env: Environment = process.env): Promise<void> {
  if (isStoreUrl(store)) {
    await (await import("../store/postgres/postgres.ts")).createPostgres(store, { env });
    return;
  }
  const { openSqlite } = await import("../store/sqlite.ts");
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
      return await (await import("../store/copy.ts")).copyStore(source, target, onProgress);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
