/**
 * What was last applied or exported, kept beside the manifests in `.formctl/lock.json`: which layout a manifest made,
 * where the server can't be asked, and from what state both sides have moved since.
 */

import { dirname, join } from "node:path";
import { readDocument } from "../documents/document.ts";
import { invalidDocument } from "../documents/problems.ts";
import { isIdentifier } from "../schemas/words.ts";
import { LockFile } from "../schemas/lock-file.ts";
import { readShape } from "../schemas/shape.ts";
import type { Addressed } from "./address.ts";
import { type LockHost, waitForLock } from "../disk/process-lock.ts";
import { makeMachineFolder } from "../disk/folders.ts";
import { readIfExists, refuseLinks } from "../disk/links.ts";
import { clearDrafts, writeWhole } from "../disk/write-file.ts";

/** What one place (a server by one of its profiles, or an organization of a local store) is known to have had. */
export type LockedResource = {
  formId?: string;
  layoutId?: string;
  /** The manifest whose base it is, relative to the project; absent: it is not known, and may be any. See bases.ts. */
  file?: string;
  /**
   * The digest of each managed aspect as it was last applied or exported: `types`, `access`, `content` … Beside a content what
   * else is known of it (ContentBase).
   */
  base: Readonly<Record<string, string>>;
};

export type Lock = {
  get(address: string): LockedResource | undefined;
  /** All that is known, by address. */
  entries(): Iterable<[string, LockedResource]>;
  /**
   * The layout that the same server has by another profile, where they agree on one: whoever goes there by another name
   * finds it, and whoever goes to another organization is told that it does not exist.
   */
  layoutElsewhere(address: string): string | undefined;
  /**
   * Takes over what another profile of the same server knows of these addresses, where it is of a layout that was found here: an
   * id is no other organization's, so that what the two sides had in common there they have here. What is known here stays.
   *
   * @param found ids of layouts
   */
  adopt(addresses: Iterable<string>, found: ReadonlySet<string>): void;
  /** Where the resource does not say whose base it is, that stays as it was. */
  set(address: string, resource: LockedResource | null): void;
  /**
   * Writes the file whole, or leaves it; nothing where nothing changed. What others have written meanwhile stays.
   *
   * @param meanwhile whose word counts where others have written of the same resource since it was read
   * @throws FILE_UNWRITABLE, FILE_HELD where another process does not come to the end of its own
   */
  save(meanwhile?: "mine" | "theirs"): Promise<void>;
};

/** Layout ids by the address of their manifest. */
export type KnownLayouts = ReadonlyMap<string, string>;

/**
 * The lock of one place; those of other places in the same file stay as they are.
 *
 * @param turns by which it is one's turn to write
 * @throws INVALID_FILE where the file is broken, with the place and the way out; FILE_UNFIT where it is a link
 */
export async function openLock(path: string, place: string, turns: LockHost): Promise<Lock> {
  const before = await readLock(path);
  const resources = new Map(Object.entries(before.places[place] ?? {}));
  const changed = new Set<string>();
  return {
    get: (address) => resources.get(address) as LockedResource | undefined,
    entries: () => resources.entries() as Iterable<[string, LockedResource]>,
    layoutElsewhere: (address) => elsewhere(address)?.layoutId,
    adopt(addresses, found) {
      for (const address of addresses) {
        const known = resources.has(address) ? undefined : elsewhere(address);
        if (known?.layoutId === undefined || !found.has(known.layoutId)) continue;
        changed.add(address);
        resources.set(address, known);
      }
    },
    set(address, wanted) {
      const { file } = { ...resources.get(address), ...wanted };
      const resource = wanted && readable({ ...wanted, ...(file !== undefined && { file }) });
      if (textOf(resources.get(address)) === textOf(resource ?? undefined)) return;
      changed.add(address);
      if (resource) resources.set(address, resource);
      else resources.delete(address);
    },
    async save(meanwhile = "mine") {
      if (changed.size === 0) return;
      await refuseLinks(path);
      const runs = join(dirname(path), "runs");
      await makeMachineFolder(runs);
      const mine = await waitForLock(runs, { name: "turn", file: ".formctl/lock.json" }, turns);
      try {
        await merge(meanwhile);
      } finally {
        await mine.release();
      }
      changed.clear();
    },
  };

  /** What the same server's other profiles know, where they agree on the layout; without a base where they do not on that. */
  function elsewhere(address: string): LockedResource | undefined {
    const all = Object.entries(before.places).flatMap(([other, known]) => {
      const resource = other !== place && isSameServer(other, place) ? known[address] : undefined;
      return resource?.layoutId === undefined ? [] : [resource as LockedResource];
    });
    const [first] = all;
    if (!first || all.some(({ layoutId }) => layoutId !== first.layoutId)) return undefined;
    return all.every((one) => textOf(one) === textOf(first)) ? first : { ...first, base: {} };
  }

  async function merge(meanwhile: "mine" | "theirs"): Promise<void> {
    const { places } = await readLock(path);
    const now = new Map(Object.entries(places[place] ?? {}));
    for (const address of changed) {
      if (meanwhile === "theirs" && textOf(now.get(address)) !== textOf(before.places[place]?.[address])) continue;
      const resource = resources.get(address);
      if (resource) now.set(address, resource);
      else now.delete(address);
    }
    const text = textOfLock({ version: 1, places: { ...places, [place]: Object.fromEntries(now) } });
    await writeWhole(path, text, 0o644);
    await clearDrafts(dirname(path));
  }
}

/** What is written can be read again: a server may have ids that can't be one (docs/decisions.md, "Tolerance"). */
function readable({ formId, layoutId, file, base }: LockedResource): LockedResource {
  const isId = (id: string | undefined): id is string => id !== undefined && isIdentifier(id);
  return {
    ...(isId(formId) && { formId }),
    ...(isId(layoutId) && { layoutId }),
    ...(file !== undefined && { file }),
    base: { ...base },
  };
}

/** What a lock knows of a resource, be it under the name that it had. */
export function findLocked(lock: Pick<Lock, "get">, { address, formerAddress }: Addressed): LockedResource | undefined {
  return lock.get(address) ?? (formerAddress === undefined ? undefined : lock.get(formerAddress));
}

/** The ids of layouts that a lock knows, for finding them where a server does not list them. */
export function knownLayouts(
  lock: Pick<Lock, "get" | "layoutElsewhere">,
  resources: Iterable<Addressed>,
): KnownLayouts {
  const known = new Map<string, string>();
  for (const { address, formerAddress } of resources) {
    const layoutId =
      findLocked(lock, { address, formerAddress })?.layoutId ??
      lock.layoutElsewhere(address) ??
      (formerAddress === undefined ? undefined : lock.layoutElsewhere(formerAddress));
    if (layoutId !== undefined) known.set(address, layoutId);
  }
  return known;
}

/**
 * Those of which the lock of this place knows an id and no content: nothing tells that they have ever had a version, so that
 * having none now does not tell that they are gone.
 */
export function layoutsWithoutContent(lock: Pick<Lock, "get">, resources: Iterable<Addressed>): Set<string> {
  const bare = [...resources].filter((each) => {
    const locked = findLocked(lock, each);
    return locked?.layoutId !== undefined && locked.base["content"] === undefined;
  });
  return new Set(bare.map(({ address }) => address));
}

/** Places of one server differ in the profile, which is behind the `#`; local stores have none in common. */
export function isSameServer(one: string, other: string): boolean {
  return /^https?:/.test(one) && one.split("#", 1)[0] === other.split("#", 1)[0];
}

const WAY_OUT =
  "Restore it from your repository; without one, delete it: what is in place is recorded anew by the next apply";

async function readLock(path: string): Promise<LockFile> {
  await refuseLinks(path);
  const text = await readIfExists(path);
  if (text === undefined) return { version: 1, places: {} };
  const value = parse(text, path);
  const shape = readShape(LockFile, value);
  if (shape.ok) return shape.value;
  // Positions cost time, and a sound file needs none.
  const document = readDocument(text, path);
  const problems = shape.problems.map(({ path: at, message }) => ({
    severity: "error" as const,
    code: "LOCK_INVALID",
    message: `${at || "the file"} ${message}. ${WAY_OUT}`,
    path: at,
    file: path,
    ...document.locate(at),
  }));
  throw invalidDocument(path, text, problems);
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, column } = brokenAt(text, error as Error);
    const message = CONFLICT.test(text)
      ? "holds both sides of a merge. Take one of them whole: git checkout --ours .formctl/lock.json, or --theirs"
      : `is not JSON: ${(error as Error).message}. ${WAY_OUT}`;
    throw invalidDocument(path, text, [{ severity: "error", code: "LOCK_INVALID", message, file: path, line, column }]);
  }
}

const CONFLICT = /^<{7} /m;

/** Where two versions were merged badly, or where the parser stopped. */
function brokenAt(text: string, error: Error): { line: number; column: number } {
  const conflict = CONFLICT.exec(text)?.index;
  const stopped = /position (\d+)/.exec(error.message)?.[1];
  const before = text.slice(0, conflict ?? (stopped === undefined ? 0 : Number(stopped))).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The same bytes for the same contents: files in a repository are compared by people. */
function textOfLock({ version, places }: LockFile): string {
  const sorted = byName(places, (resources) =>
    byName(resources, ({ formId, layoutId, file, base }) => ({
      ...(formId !== undefined && { formId }),
      ...(layoutId !== undefined && { layoutId }),
      ...(file !== undefined && { file }),
      base: byName(base, (digest) => digest),
    })),
  );
  return `${JSON.stringify({ version, places: sorted }, null, 2)}\n`;
}

function byName<T, R>(record: Readonly<Record<string, T>>, each: (value: T) => R): Record<string, R> {
  const entries = Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, value]) => [name, each(value)]));
}

function textOf(resource: object | undefined): string {
  if (!resource) return "";
  const { formId, layoutId, file, base } = resource as LockedResource;
  return JSON.stringify([formId, layoutId, file, byName(base, (digest) => digest)]);
}
