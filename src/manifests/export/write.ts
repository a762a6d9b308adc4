/** What was exported as files: new ones with names of their own, and in those that are there only what differs. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import pMap from "p-map";
import { editFiles } from "./edit-files.ts";
import type { Exported } from "./export.ts";
import { lockedOf } from "./exported-base.ts";
import type { PlannedFiles } from "./file-outcome.ts";
import type { Folder, FolderManifest } from "./folder.ts";
import type { Lock } from "../lock.ts";
import type { LockedResource } from "../lock.ts";
import { findManifest, type MergeContext, mergeResource } from "./merge-folder.ts";
import { newFiles, type NewFilesOptions } from "./new-files.ts";
import { readOwnFile, requireFolders, unfitFile } from "../../disk/unfit-file.ts";
import { clearDrafts, writeWhole } from "../../disk/whole-file.ts";

/** Files as they shall be, none of them written yet. */
export type Writes = PlannedFiles & {
  /** What the lock shall hold; null: it is under another name now. */
  locked: ReadonlyMap<string, LockedResource | null>;
  /** What stands in a new file, with that file: another folder may have a manifest of it, whose base is not touched. */
  fresh: ReadonlyMap<string, { file: string; resource: LockedResource }>;
  /** Manifests of what is not there any more, with their files. */
  gone: { address: string; path: string }[];
  notes: string[];
};

export type WriteOptions = MergeContext &
  NewFilesOptions & {
    exported: readonly Exported[];
    folder: Folder;
    concurrency: number;
    /** Whether a manifest is about something of which everything was read. */
    isWhole: (manifest: FolderManifest["manifest"]) => boolean;
  };

/** Reads what it takes to tell who has changed what; writes nothing. */
export async function planWrites(options: WriteOptions): Promise<Writes> {
  const { exported, folder, lock, concurrency } = options;
  const free = new Set(folder.manifests);
  const pairs: { each: Exported; found: FolderManifest }[] = [];
  const fresh: Exported[] = [];
  for (const each of exported) {
    const found = findManifest(each, [...free], lock);
    if (found) pairs.push({ each, found });
    else fresh.push(each);
    if (found) free.delete(found);
  }
  const merged = await pMap(
    pairs,
    async ({ each, found }) => ({ found, ...(await mergeResource(each, found, options)) }),
    { concurrency },
  );
  const edited = editFiles(merged.flatMap(({ changes }) => changes));
  const made = newFiles(fresh, options);

  const locked = new Map<string, LockedResource | null>();
  for (const { found, changes, address, locked: resource } of merged) {
    // Where a file did not become what it was to be, both sides are as far apart as they were.
    if (changes.some(({ document }) => edited.failed.has(document.file.path))) continue;
    if (address !== found.manifest.address) locked.set(found.manifest.address, null);
    locked.set(address, resource);
  }
  return {
    outcomes: [...edited.outcomes, ...made.outcomes].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    files: [...edited.files, ...made.files],
    locked,
    fresh: new Map(
      fresh.map((each) => [each.address, { file: made.names.get(each.address)!, resource: lockedOf(each) }]),
    ),
    gone: [...free]
      .filter(({ manifest }) => options.isWhole(manifest))
      .map(({ manifest, document }) => ({ address: manifest.address, path: document.file.name })),
    notes: merged.flatMap(({ found, notes }) => notes.map((note) => `${found.manifest.address}: ${note}`)),
  };
}

/**
 * Each file is there whole, the old one or the new one, whatever happens meanwhile. The lock learns of them, and is left to be
 * saved.
 *
 * @throws FILE_UNFIT where a folder on the way is a link or a file, or a file is not any more what was read; FILE_UNWRITABLE
 */
export async function carryOutWrites({ files, locked, fresh }: Writes, real: string, lock: Lock): Promise<void> {
  // Before the first is written: an export that can't be whole is none.
  for (const { path } of files) await requireFolders(dirname(path), real);
  for (const { path, text, before } of files) {
    await requireFolders(dirname(path), real);
    if ((await readOwnFile(path)) !== before)
      throw unfitFile(`${path} was changed while this was read, and is left as it is`);
    await writeWhole(path, text, modeOf(path));
  }
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) await clearDrafts(folder);
  for (const [address, resource] of locked) lock.set(address, resource);
  for (const [address, { file, resource }] of fresh) {
    const before = lock.get(address);
    // Whose base it is was not kept: it may be that of a file elsewhere.
    if (before && before.file === undefined && Object.keys(before.base).length > 0) continue;
    lock.setFile(address, file);
    lock.set(address, resource);
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
}
