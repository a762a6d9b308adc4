/**
 * Reads and writes the lock: the file `lock.json` in the state folder of the project, usually `.formctl`. It is
 * committed. The entries of stores in a file are in `runs/lock.json`, which version control ignores: the path of such a
 * store means nothing on another machine.
 *
 * For each manifest, the lock keeps the ids of its form and layout, and the base: digests of the state at the last apply
 * or export.
 *
 * A base has one owner: the manifest file that was applied or exported. While the owner exists and is not read, a
 * manifest of the same resource in another file sees no base and does not change the base.
 *
 * Concurrent processes save one after another. Each process reads the file again and writes only the addresses that it
 * changed.
 */

import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isStoreUrl } from "../base/database-url.ts";
import { makeMachineFolder } from "../disk/folders.ts";
import { refuseLinks } from "../disk/links.ts";
import { type LockHost, waitForLock } from "../disk/process-lock.ts";
import { clearDrafts, writeWhole } from "../disk/write-file.ts";
import { type LockedResource, lockText, readableResource, readLockFile, resourceText } from "./lock-file.ts";
import type { Addressed } from "../manifests/manifest.ts";

export type { LockedResource } from "./lock-file.ts";

export type Lock = {
  /** Returns the entry of an address. The base is empty if it has another owner that was not read. */
  get(address: string): LockedResource | undefined;
  entries(): Iterable<[string, LockedResource]>;
  /**
   * Sets the entry of an address. Null deletes the entry. If the base has another owner that was not read, the entry
   * keeps its owner and base, and only gets the new ids. Otherwise, the file of the manifest becomes the owner. Without
   * such a file, the owner is the file in `resource`, or else the previous owner.
   *
   * @param owner `manifest` makes the file of the manifest the owner in each case. For a completely applied manifest
   */
  set(address: string, resource: LockedResource | null, owner?: "manifest"): void;
  /** Registers the file of a manifest, as the user typed it. */
  setFile(address: string, file: string): void;
  /** Returns the file of a manifest, relative to the project. */
  fileOf(address: string): string | undefined;
  /** Returns the owner of the base if it exists and was not read. Such a file may still describe the resource. */
  unreadFileOf(address: string): string | undefined;
  /**
   * Returns the layout id in the entries of other profiles of the same server. Returns undefined if no entry has a
   * layout id, or if the ids differ.
   */
  layoutOfOtherProfile(address: string): string | undefined;
  /**
   * Adds missing entries from other profiles of the same server. Adds an entry only if the target has its layout. A
   * shared layout shows that both profiles use the same organization.
   *
   * @param found ids of layouts on the target
   */
  adopt(addresses: Iterable<string>, found: ReadonlySet<string>): void;
  /**
   * Writes the changed entries. All other entries stay as in the file, including new entries of other processes.
   *
   * @throws FILE_UNWRITABLE
   * @throws FILE_HELD if another process holds the file too long
   * @throws the errors of `openLock`
   */
  save(): Promise<void>;
};

/** The read files, and the manifests in these files. Paths are as the user typed them, relative to `cwd`. */
export type ManifestFiles = {
  /** The folder of the project. Paths in the lock are relative to this folder. */
  root: string;
  cwd: string;
  files: Iterable<string>;
  manifests: Iterable<{ address: string; formerAddress?: string; file: string }>;
};

/**
 * Opens the lock of one target. Entries of other targets are kept unchanged.
 *
 * @param folder the state folder of the project
 * @param host used to wait for other processes that write the file
 * @param manifestFiles if absent, each base is read and written, regardless of its file
 * @throws INVALID_FILE if the file is invalid; FILE_UNFIT if the file is a link or can't be read
 */
export async function openLock(
  folder: string,
  target: string,
  host: LockHost,
  manifestFiles: ManifestFiles = { root: "", cwd: "", files: [], manifests: [] },
): Promise<Lock> {
  const { root, cwd, files, manifests } = manifestFiles;
  const runs = join(folder, "runs");
  const path = join(isOnThisMachine(target) ? runs : folder, "lock.json");
  const before = await readLockFile(path, folder);
  const resources = new Map(Object.entries(before.targets[target] ?? {}));
  const changed = new Set<string>();
  const nameInLock = (file: string) => relative(root, resolve(cwd, file)).split(sep).join("/");
  const readFiles = new Set([...files].map(nameInLock));
  const fileNames = new Map<string, string>();
  for (const { address, formerAddress, file } of manifests) {
    fileNames.set(address, nameInLock(file));
    if (formerAddress !== undefined && !fileNames.has(formerAddress)) fileNames.set(formerAddress, nameInLock(file));
  }

  function unreadFileOf(address: string): string | undefined {
    const file = resources.get(address)?.file;
    return file !== undefined && !readFiles.has(file) && existsSync(resolve(root, file)) ? file : undefined;
  }

  /** Whether a file other than the file of the manifest owns the base, exists and was not read. */
  function hasUnreadOwner(address: string): boolean {
    const own = fileNames.get(address);
    if (own === undefined || own === resources.get(address)?.file) return false;
    return unreadFileOf(address) !== undefined;
  }

  function change(address: string, resource: LockedResource | undefined): void {
    changed.add(address);
    if (resource) resources.set(address, resource);
    else resources.delete(address);
  }

  /**
   * Returns an entry of other profiles of the same server for an address. The entry must have a layout id. Returns
   * undefined if there is no such entry, or if the entries have different layout ids. If only other members differ, the
   * returned base is empty.
   */
  function ofOtherProfile(address: string): LockedResource | undefined {
    const all = Object.entries(before.targets).flatMap(([other, known]) => {
      const resource = other !== target && isSameServer(other, target) ? known[address] : undefined;
      return resource?.layoutId === undefined ? [] : [resource];
    });
    const [first] = all;
    if (!first || all.some(({ layoutId }) => layoutId !== first.layoutId)) return undefined;
    return all.every((one) => resourceText(one) === resourceText(first)) ? first : { ...first, base: {} };
  }

  async function merge(): Promise<void> {
    const { targets } = await readLockFile(path, folder);
    const now = new Map(Object.entries(targets[target] ?? {}));
    for (const address of changed) {
      const resource = resources.get(address);
      if (resource) now.set(address, resource);
      else now.delete(address);
    }
    const text = lockText({ version: 1, targets: { ...targets, [target]: Object.fromEntries(now) } });
    await writeWhole(path, text, 0o644);
    await clearDrafts(dirname(path));
  }

  return {
    get(address) {
      const locked = resources.get(address);
      return locked && hasUnreadOwner(address) ? { ...locked, base: {} } : locked;
    },
    entries: () => resources.entries(),
    set(address, resource, owner) {
      const known = resources.get(address);
      const keepsBase = known !== undefined && owner !== "manifest" && hasUnreadOwner(address);
      const file = keepsBase ? known.file : (fileNames.get(address) ?? resource?.file ?? known?.file);
      const base = keepsBase ? known.base : resource?.base;
      const next = resource && readableResource({ ...resource, base: base!, ...(file !== undefined && { file }) });
      if (resourceText(known) !== resourceText(next ?? undefined)) change(address, next ?? undefined);
    },
    setFile: (address, file) => void fileNames.set(address, nameInLock(file)),
    fileOf: (address) => fileNames.get(address),
    unreadFileOf,
    layoutOfOtherProfile: (address) => ofOtherProfile(address)?.layoutId,
    adopt(addresses, found) {
      for (const address of addresses) {
        const known = resources.has(address) ? undefined : ofOtherProfile(address);
        if (known?.layoutId !== undefined && found.has(known.layoutId)) change(address, known);
      }
    },
    async save() {
      if (changed.size === 0) return;
      await refuseLinks(path, folder);
      await makeMachineFolder(runs);
      const held = await waitForLock(runs, { name: "turn", file: ".formctl/lock.json" }, host);
      try {
        await merge();
      } finally {
        await held.release();
      }
      changed.clear();
    },
  };
}

/** Returns an empty lock that stores nothing. */
export function unstoredLock(): Lock {
  return {
    get: () => undefined,
    entries: () => [],
    set: () => undefined,
    setFile: () => undefined,
    fileOf: () => undefined,
    unreadFileOf: () => undefined,
    layoutOfOtherProfile: () => undefined,
    adopt: () => undefined,
    save: async () => undefined,
  };
}

/** Whether a target is a store in a file. */
function isOnThisMachine(target: string): boolean {
  return target.startsWith("local:") && !isStoreUrl(target.slice(target.indexOf("@") + 1));
}

/** Whether two targets are profiles of one server. The profile follows the `#`. Returns false for local stores. */
export function isSameServer(one: string, other: string): boolean {
  return /^https?:/.test(one) && one.split("#", 1)[0] === other.split("#", 1)[0];
}

/** Returns the lock entry of a resource by its current address, or else by its former address. */
export function findLocked(lock: Pick<Lock, "get">, { address, formerAddress }: Addressed): LockedResource | undefined {
  return lock.get(address) ?? (formerAddress === undefined ? undefined : lock.get(formerAddress));
}

/**
 * Returns the lock entry to compare a resource with. A migration may have computed the content. The entry then has the
 * digest of the content that the migration read, and not the digest in the lock.
 */
export function lastKnown(
  { computedFrom }: { computedFrom?: string },
  locked: LockedResource | undefined,
): LockedResource | undefined {
  return computedFrom === undefined ? locked : { base: { content: computedFrom } };
}

/** Layout ids, by the address of the manifest. */
export type LayoutIds = ReadonlyMap<string, string>;

/**
 * Returns the layout ids in the lock, including ids from other profiles of the same server. These ids identify layouts
 * that the server does not list.
 */
export function knownLayouts(
  lock: Pick<Lock, "get" | "layoutOfOtherProfile">,
  resources: Iterable<Addressed>,
): LayoutIds {
  const known = new Map<string, string>();
  for (const { address, formerAddress } of resources) {
    const layoutId =
      findLocked(lock, { address, formerAddress })?.layoutId ??
      lock.layoutOfOtherProfile(address) ??
      (formerAddress === undefined ? undefined : lock.layoutOfOtherProfile(formerAddress));
    if (layoutId !== undefined) known.set(address, layoutId);
  }
  return known;
}

/**
 * Returns the addresses whose lock entry has a layout id but no content digest. Such a layout may have no version yet.
 * So a missing version does not prove that the layout was deleted.
 */
export function layoutsWithoutContent(lock: Pick<Lock, "get">, resources: Iterable<Addressed>): Set<string> {
  const bare = [...resources].filter((each) => {
    const locked = findLocked(lock, each);
    return locked?.layoutId !== undefined && locked.base["content"] === undefined;
  });
  return new Set(bare.map(({ address }) => address));
}
