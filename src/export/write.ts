/** Plans and writes the files of an export: new files, and edits of existing files. */

import { lstatSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import pMap from "p-map";
import { unfitFile } from "../disk/file-errors.ts";
import { isInside, readIfExists, requireFolders } from "../disk/links.ts";
import { clearDrafts } from "../disk/write-file.ts";
import { type WholeFile, writeWholeFiles } from "../disk/write-files.ts";
import { editYaml, Uneditable } from "../documents/edit-yaml.ts";
import { hasCode } from "../base/error.ts";
import { packText } from "../contents/memory.ts";
import { sameJson } from "../schemas/json.ts";
import type { Lock, LockedResource } from "../state/lock.ts";
import type { Exported } from "./exported.ts";
import { type Folder, type FolderFile, type FolderManifest, openManifests } from "./folder.ts";
import { type DocumentChange, type MergeContext, mergeResource } from "./merge-resource.ts";
import { changedLines } from "../documents/changed-lines.ts";
import type { Conflict } from "./merge-values.ts";
import { identityOf } from "../documents/item-identity.ts";
import {
  type FileOutcome,
  type NewFiles,
  newFiles,
  type NewFilesOptions,
  type PlannedFile,
  type PlannedFiles,
} from "./new-files.ts";

export type Writes = PlannedFiles & {
  /** The lock entries of merged manifests, by address. Null for an address that a rename replaced. */
  locked: ReadonlyMap<string, LockedResource | null>;
  /**
   * The lock entries of new files, by address. An existing entry is kept if it may belong to a manifest in another
   * folder.
   */
  fresh: NewFiles["fresh"];
  /** Manifests whose resource does not exist on the target. */
  missing: { address: string; path: string }[];
  notes: string[];
};

export type WriteOptions = MergeContext &
  NewFilesOptions & {
    exported: readonly Exported[];
    folder: Folder;
    concurrency: number;
    /**
     * Whether the export has read every form or layout that the manifest may describe. If so, and no record matches
     * the manifest, the form or layout is missing on the target.
     */
    isWhole: (manifest: FolderManifest["manifest"]) => boolean;
  };

/** Merges the exported resources into the folder. Writes nothing. */
export async function planWrites(options: WriteOptions): Promise<Writes> {
  const { exported, folder, lock, concurrency } = options;
  const manifests = openManifests(folder.manifests, lock);
  const pairs: { each: Exported; found: FolderManifest }[] = [];
  const fresh: Exported[] = [];
  for (const each of exported) {
    const found = manifests.take(each);
    if (found) pairs.push({ each, found });
    else fresh.push(each);
  }
  const merged = await pMap(
    pairs,
    async ({ each, found }) => ({ found, ...(await mergeResource(each, found, options)) }),
    { concurrency },
  );
  const edited = editFiles(
    merged.flatMap(({ changes }) => changes),
    (file) => isElsewhere(file, options),
  );
  const created = newFiles(fresh, options);

  const locked = new Map<string, LockedResource | null>();
  for (const { found, changes, address, locked: resource } of merged) {
    // A file that could not be edited still differs from the target. So its lock entry is kept.
    if (changes.some(({ document }) => edited.failed.has(document.file.path))) continue;
    if (address !== found.manifest.address) locked.set(found.manifest.address, null);
    locked.set(address, resource);
  }
  return {
    outcomes: [...edited.outcomes, ...created.outcomes].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    files: [...edited.files, ...created.files],
    locked,
    fresh: created.fresh,
    missing: [...manifests.left]
      .filter(({ manifest }) => options.isWhole(manifest))
      .map(({ manifest, document }) => ({ address: manifest.address, path: document.file.name })),
    notes: merged.flatMap(({ found, notes }) => notes.map((note) => `${found.manifest.address}: ${note}`)),
  };
}

/** Edits the files in memory. `failed` contains the paths of files that could not be edited. */
function editFiles(
  changes: readonly DocumentChange[],
  mayNotWrite: (file: FolderFile) => boolean,
): PlannedFiles & { failed: ReadonlySet<string> } {
  const outcomes: FileOutcome[] = [];
  const files: PlannedFile[] = [];
  const failed = new Set<string>();
  for (const [path, all] of Map.groupBy(changes, ({ document }) => document.file.path)) {
    const { file } = all[0]!.document;
    const { text, problems } = editFile(file, all, mayNotWrite(file));
    if (problems.length > 0) failed.add(path);
    const conflicts = [...all.flatMap((change) => change.conflicts), ...problems];
    if (text !== file.text) files.push({ path, text: packText(text), before: file.text });
    const status = conflicts.length > 0 ? "conflict" : text === file.text ? "unchanged" : "updated";
    outcomes.push({ path: file.name, status, lines: changedLines(file.text, text), conflicts });
  }
  return { outcomes, files, failed };
}

/**
 * Whether a link leads to the file, or the file is outside the folder. A layout file is outside the folder if a
 * manifest references it as `../intake.layout.yaml`, for example.
 */
function isElsewhere({ name, path }: FolderFile, { into, real }: Pick<NewFilesOptions, "into" | "real">): boolean {
  return resolve(real, relative(into, name)) !== path || !isInside(real, path);
}

function editFile(
  file: FolderFile,
  changes: readonly DocumentChange[],
  mayNotWrite: boolean,
): { text: string; problems: Conflict[] } {
  let { text } = file;
  const problems: Conflict[] = [];
  const fail = (message: string) => problems.push({ path: "", message });
  for (const [index, all] of Map.groupBy(changes, ({ document }) => document.index)) {
    const [{ merged, document }, ...others] = all as [DocumentChange, ...DocumentChange[]];
    if (others.some((other) => !sameJson(other.merged, merged))) {
      fail("several manifests share this layout file, and their layouts on the target differ. Use a file for each");
    } else if (sameJson(merged, document.raw)) {
      continue;
    } else if (mayNotWrite) {
      fail("the file is a link or is outside the folder, so it is not written");
    } else {
      try {
        text = editYaml(text, index, merged, identityOf);
      } catch (error) {
        if (!(error instanceof Uneditable) && !hasCode(error, "INVALID_FILE")) throw error;
        fail(error instanceof Uneditable ? error.message : "the edited file would exceed the limits of a file");
      }
    }
  }
  return { text, problems };
}

/**
 * Writes each planned file atomically. Records the files in the lock. The caller saves the lock.
 *
 * @throws FILE_UNFIT if a folder is a link or a file
 * @throws FILE_UNFIT if a file changed after it was read
 * @throws FILE_UNWRITABLE
 */
export async function carryOutWrites({ files, locked, fresh }: Writes, real: string, lock: Lock): Promise<void> {
  const folders = new Set(files.map(({ path }) => dirname(path)));
  // All folders are checked before the first file is written.
  for (const folder of folders) await requireFolders(folder, real);
  // A new manifest is written after all layouts. So it never references a missing file.
  const isNewManifest = ({ layoutFile }: PlannedFile) => layoutFile !== undefined;
  await writeWholeFiles(files.filter((file) => !isNewManifest(file)).map(wholeFile));
  await writeWholeFiles(files.filter(isNewManifest).map(wholeFile));
  for (const folder of folders) await clearDrafts(folder);
  for (const [address, resource] of locked) lock.set(address, resource);
  for (const [address, { file, resource }] of fresh) {
    const before = lock.get(address);
    // An entry without a file may belong to a manifest of another folder. Such an entry is kept.
    if (before && before.file === undefined && Object.keys(before.base).length > 0) continue;
    lock.setFile(address, file);
    lock.set(address, resource);
  }
}

function wholeFile({ path, text, before }: PlannedFile): WholeFile {
  const isUnchanged = async () =>
    before === undefined ? !lstatSync(path, IF_EXISTS) : (await readIfExists(path)) === before;
  return {
    path,
    content: text,
    mode: before === undefined ? NEW_MODE : (statSync(path, IF_EXISTS)?.mode ?? NEW_MODE) & 0o777,
    async check() {
      if (!(await isUnchanged())) throw unfitFile(`${path} was changed during the export, so it is not written`);
    },
  };
}

const IF_EXISTS = { throwIfNoEntry: false } as const;
/** The mode of a new file, before the umask of the process. */
const NEW_MODE = 0o644;
