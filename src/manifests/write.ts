/** What was exported as files: new ones with names of their own, and in those that are there only what differs. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { editYaml, Uneditable } from "../documents/edit-yaml.ts";
import { InvalidDocument } from "../documents/invalid-document.ts";
import { sameValue } from "../documents/same-value.ts";
import { toYaml } from "../documents/write-yaml.ts";
import type { Mode } from "../schemas/form.ts";
import { digestOf, settledDigest } from "./content.ts";
import { type Exported, manifestOf } from "./export.ts";
import { fileNameOf } from "./file-names.ts";
import { isInside } from "./files.ts";
import type { Folder, FolderFile, FolderManifest } from "./folder.ts";
import type { Lock, LockedResource } from "./lock.ts";
import { type DocumentChange, findManifest, type MergeContext, mergeResource } from "./merge-folder.ts";
import { type Conflict, identityOf } from "./merge-values.ts";
import { canonicalAccess } from "./plan-access.ts";
import { canonicalAssignments } from "./plan-layout.ts";
import { asSet } from "./plan-parts.ts";
import { UnfitFile, writeWhole } from "./whole-file.ts";

export type FileOutcome = {
  /** As people call it. */
  path: string;
  status: "written" | "updated" | "unchanged" | "conflict";
  /** How many of its lines are others now. */
  lines: number;
  conflicts: readonly Conflict[];
};

/** Files as they shall be, none of them written yet. */
export type Writes = {
  outcomes: FileOutcome[];
  /** `before` is what was read; undefined for a new file. */
  files: { path: string; text: string; before: string | undefined }[];
  /** What the lock shall hold; null: it is under another name now. */
  locked: ReadonlyMap<string, LockedResource | null>;
  /** Manifests of what is not there any more, with their files. */
  gone: { address: string; path: string }[];
  notes: string[];
};

export type WriteOptions = MergeContext & {
  exported: readonly Exported[];
  folder: Folder;
  /** The folder as it was typed, and where it is. */
  into: string;
  real: string;
  /** Where the schemas for editors are. */
  schemas: string;
  /** Whether a manifest is about something of which everything was read. */
  isWhole: (manifest: FolderManifest["manifest"]) => boolean;
};

/** Reads what it takes to tell who has changed what; writes nothing. */
export async function planWrites(options: WriteOptions): Promise<Writes> {
  const { exported, folder, lock } = options;
  const changes: DocumentChange[] = [];
  const locked = new Map<string, LockedResource | null>();
  const notes: string[] = [];
  const fresh: Exported[] = [];
  const matched = new Set<FolderManifest>();
  for (const each of exported) {
    const found = findManifest(
      each,
      folder.manifests.filter((manifest) => !matched.has(manifest)),
      lock,
    );
    if (!found) {
      fresh.push(each);
      continue;
    }
    matched.add(found);
    const merged = await mergeResource(each, found, options);
    changes.push(...merged.changes);
    notes.push(...merged.notes.map((note) => `${found.manifest.address}: ${note}`));
    if (merged.address !== found.manifest.address) locked.set(found.manifest.address, null);
    locked.set(merged.address, merged.locked);
  }
  const edited = editFiles(changes);
  const made = newFiles(fresh, options);
  for (const each of fresh) locked.set(each.address, lockedOf(each));
  const gone = folder.manifests.filter((each) => !matched.has(each) && options.isWhole(each.manifest));
  return {
    outcomes: [...edited.outcomes, ...made.outcomes].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    files: [...edited.files, ...made.files],
    locked,
    gone: gone.map(({ manifest, document }) => ({ address: manifest.address, path: document.file.name })),
    notes,
  };
}

/**
 * Each file is there whole, the old one or the new one, whatever happens meanwhile; then the lock.
 *
 * @throws UnfitFile where a folder or file on the way is a link
 */
export async function carryOutWrites({ files, locked }: Writes, real: string, lock: Lock): Promise<void> {
  for (const { path, text, before } of files) {
    await refuseLinksBelow(real, path);
    if (textNow(path) !== before) throw new UnfitFile(`${path} was changed while this was read, and is left as it is`);
    await writeWhole(path, text, modeOf(path));
  }
  for (const [address, resource] of locked) lock.set(address, resource);
  await lock.save();
}

function editFiles(changes: readonly DocumentChange[]): Pick<Writes, "outcomes" | "files"> {
  const outcomes: FileOutcome[] = [];
  const files: Writes["files"] = [];
  for (const [path, all] of Map.groupBy(changes, ({ document }) => document.file.path)) {
    const { file } = all[0]!.document;
    const conflicts = all.flatMap((change) => change.conflicts);
    const text = editFile(file, all, conflicts);
    const lines = changedLines(file.text, text);
    if (text !== file.text) files.push({ path, text, before: file.text });
    const status = conflicts.length > 0 ? "conflict" : text === file.text ? "unchanged" : "updated";
    outcomes.push({ path: file.name, status, lines, conflicts });
  }
  return { outcomes, files };
}

function editFile(file: FolderFile, changes: readonly DocumentChange[], conflicts: Conflict[]): string {
  let { text } = file;
  for (const [index, all] of Map.groupBy(changes, ({ document }) => document.index)) {
    const [first, ...others] = all as [DocumentChange, ...DocumentChange[]];
    if (others.some(({ target }) => !sameValue(target, first.target))) {
      conflicts.push({
        path: "",
        message: "several manifests share this layout, and theirs are not the same any more",
      });
      continue;
    }
    if (sameValue(first.target, first.document.raw)) continue;
    if (file.isElsewhere) {
      conflicts.push({ path: "", message: "is a link, or stands outside of the folder, where nothing is written" });
      continue;
    }
    try {
      text = editYaml(text, index, first.target, identityOf);
    } catch (error) {
      if (!(error instanceof Uneditable) && !(error instanceof InvalidDocument)) throw error;
      conflicts.push({ path: "", message: error instanceof Uneditable ? error.message : "would become too large" });
    }
  }
  return text;
}

function newFiles(exported: readonly Exported[], options: WriteOptions): Pick<Writes, "outcomes" | "files"> {
  const { into, real, schemas } = options;
  const outcomes: FileOutcome[] = [];
  const files: Writes["files"] = [];
  const taken = new Set<string>();
  const plain = Map.groupBy(exported, (each) => fileNameOf(each).plain.toLowerCase());
  const add = (name: string, schema: string, value: unknown) => {
    const path = join(real, name);
    if (!isInside(real, path)) throw new UnfitFile(`${name} would be written outside of the folder`);
    const text = `${modeline(path, join(schemas, schema))}\n${toYaml(value)}`;
    taken.add(name.toLowerCase());
    files.push({ path, text, before: undefined });
    outcomes.push({ path: join(into, name), status: "written", lines: text.split("\n").length - 1, conflicts: [] });
  };
  const isFree = (name: string) =>
    ["", ".layout"].every((kind) => {
      const file = `${name}${kind}.yaml`;
      return !taken.has(file.toLowerCase()) && !isThere(join(real, file));
    });
  for (const each of exported) {
    const name = fileNameOf(each);
    const isShared = plain.get(name.plain.toLowerCase())!.length > 1;
    const chosen = [isShared ? name.unique : name.plain, name.unique].find(isFree);
    if (chosen === undefined) {
      throw new UnfitFile(`${name.unique}.yaml is in the way: it holds no manifest of ${each.address}`);
    }
    // The layout first: a manifest never names a file that is not there.
    if (each.layout) add(`${chosen}.layout.yaml`, "layout.schema.json", manifestOf(each)["layout"]);
    add(`${chosen}.yaml`, "manifest.schema.json", manifestOf(each, `./${basename(chosen)}.layout.yaml`));
  }
  return { outcomes, files };
}

/** In any case of letters, for there are file systems that see no difference. */
function isThere(path: string): boolean {
  try {
    return readdirSync(dirname(path)).some((name) => name.toLowerCase() === basename(path).toLowerCase());
  } catch {
    return false;
  }
}

/** By this editors find the schema. */
export function modeline(path: string, schema: string): string {
  const way = relative(dirname(path), schema).split(sep).join("/");
  return `# yaml-language-server: $schema=${way.startsWith(".") ? way : `./${way}`}`;
}

/** @throws UnfitFile */
async function refuseLinksBelow(real: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== real && isInside(real, folder); folder = dirname(folder)) {
    const stats = await lstat(folder).catch(() => undefined);
    if (stats?.isSymbolicLink()) throw new UnfitFile(`${folder} is a link, and is not followed`);
  }
}

function textNow(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o644) & 0o777;
}

function lockedOf(exported: Exported): LockedResource {
  const { members, content, surface, layoutId } = exported;
  const base: Record<string, string> = {};
  for (const name of ["name", "isActive", "isPublic", "config", "metadata"]) {
    if (members[name] !== undefined) base[name] = digestOf(members[name]);
  }
  for (const name of ["types", "supportedModes", "defaultFor"]) {
    const modes = (members as Record<string, Mode[] | undefined>)[name];
    if (modes) base[name] = digestOf(asSet(modes));
  }
  const shown = content?.published ?? content?.draft;
  if (exported.layout && shown) base["content"] = settledDigest(shown.content, surface);
  if (exported.kind === "Layout") {
    if (exported.assignments) base["assignments"] = digestOf(canonicalAssignments(exported.assignments));
    return { layoutId, base };
  }
  if (exported.access) base["access"] = digestOf(canonicalAccess(exported.access));
  return { formId: exported.formId, layoutId, base };
}

function changedLines(before: string, after: string): number {
  if (before === after) return 0;
  const counts = new Map<string, number>();
  for (const line of before.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of after.split("\n")) {
    const left = counts.get(line) ?? 0;
    if (left > 0) counts.set(line, left - 1);
    else added++;
  }
  const removed = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return Math.max(added, removed);
}
