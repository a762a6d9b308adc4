/**
 * The lock as the files of some manifests see it. A base is what one file and the place last had in common: where another
 * folder holds a manifest of the same form, that file has no base here, and leaves the one of the other as it is.
 */

import { existsSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { Lock } from "./lock.ts";

export type Bases = Lock & {
  /** The file in which a manifest stands, as the lock calls it. */
  fileOf(address: string): string | undefined;
  /** Says in which file a manifest stands, as it was typed. */
  place(address: string, file: string): void;
  /** The file that the lock has for it, where that is there and was not read: it may still describe what no manifest here does. */
  unreadFileOf(address: string): string | undefined;
  /** From now on the base is that of this file, whosever it was: it has just been applied. */
  claim(address: string): void;
};

export type BasesOptions = {
  /** The project, which files are called relative to in the lock; and what they are relative to as they were typed. */
  root: string;
  cwd: string;
  /** The files that were read: where one of them had the base, it does not hold the manifest any more. */
  files: Iterable<string>;
  manifests: Iterable<{ address: string; formerAddress?: string; file: string }>;
};

export function basesOf(lock: Lock, { root, cwd, files, manifests }: BasesOptions): Bases {
  const nameOf = (file: string) => relative(root, resolve(cwd, file)).split(sep).join("/");
  const read = new Set([...files].map(nameOf));
  const names = new Map<string, string>();
  const claimed = new Set<string>();

  /** Another file may have it as long as it is there. */
  function unreadFileOf(address: string): string | undefined {
    const { file } = lock.get(address) ?? {};
    return file !== undefined && !read.has(file) && existsSync(resolve(root, file)) ? file : undefined;
  }

  /** Whether the base is that of another file, which is still there. */
  function isOthers(address: string): boolean {
    const { file } = lock.get(address) ?? {};
    const own = names.get(address);
    if (own === undefined || file === own || claimed.has(address)) return false;
    return unreadFileOf(address) !== undefined;
  }

  const place = (address: string, file: string) => void names.set(address, nameOf(file));

  for (const { address, formerAddress, file } of manifests) {
    place(address, file);
    if (formerAddress !== undefined && !names.has(formerAddress)) place(formerAddress, file);
  }
  return {
    place,
    claim: (address) => void claimed.add(address),
    get(address) {
      const locked = lock.get(address);
      return locked && isOthers(address) ? { ...locked, base: {} } : locked;
    },
    set(address, resource) {
      const locked = lock.get(address);
      const own = names.get(address);
      if (resource && locked && isOthers(address)) {
        const { file, base } = locked;
        lock.set(address, { ...resource, base, ...(file !== undefined && { file }) });
      } else lock.set(address, resource && { ...resource, ...(own !== undefined && { file: own }) });
    },
    entries: () => lock.entries(),
    unreadFileOf,
    fileOf: (address) => names.get(address),
    layoutElsewhere: (address) => lock.layoutElsewhere(address),
    adopt: (addresses, found) => lock.adopt(addresses, found),
    save: (meanwhile) => lock.save(meanwhile),
  };
}
