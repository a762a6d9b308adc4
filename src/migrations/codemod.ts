/** Applies a transform to manifests and layout files on disk. Only the lines of changed values change. */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { unfitFile } from "../disk/file-errors.ts";
import { readIfExists, refuseLeadingOut } from "../disk/links.ts";
import { clearDrafts, requireWritable, writeWhole } from "../disk/write-file.ts";
import { editYaml, Uneditable } from "../documents/edit-yaml.ts";
import { problemsError } from "../documents/located-error.ts";
import { positionsOf } from "../documents/problems.ts";
import { commentsIn } from "../documents/yaml-source.ts";
import { hasCode } from "../base/error.ts";
import { type FolderFile, type FolderOptions, readFolder, rereadDocument } from "../export/folder.ts";
import { changedLines } from "../documents/changed-lines.ts";
import { fileProblem, invalidManifests } from "../manifests/problems.ts";
import { type Change, diffContent } from "../schemas/content-diff.ts";
import type { Located } from "../schemas/diagnostic.ts";
import type { DraftContent } from "../schemas/draft.ts";
import { type JsonObject, sameJson } from "../schemas/json.ts";
import { type CallableTransform, changeManifest, type DocumentEdit } from "./change-manifest.ts";

export type CodemodRequest = FolderOptions & { transform: CallableTransform };

export type ChangedFile = {
  /** The name for messages, and the real path. */
  name: string;
  path: string;
  before: string;
  after: string;
  /** The number of changed lines. */
  lines: number;
  /** The addresses of the manifests that the changes belong to. */
  addresses: readonly string[];
  /** The changed values. Placeholders such as `${NAME}` are not replaced by their values. */
  changes: readonly Change[];
  /** Comments of the old text that the new text lacks. `line` is the line in the old text. */
  lostComments: readonly { line: number; text: string }[];
};

export type Codemod = {
  /** The changed files, sorted by name. */
  files: readonly ChangedFile[];
  /**
   * `manifests` is the number of manifests in the files. `matched` is the number of manifests that the transform
   * matches.
   */
  manifests: number;
  matched: number;
};

/**
 * Computes the changes of a transform in manifests and layout files. Writes nothing.
 *
 * @throws FILE_UNFIT if a path in the project leads out of it through a link
 * @throws MANIFESTS_INVALID if a manifest can't be read
 * @throws MIGRATION_CONFLICT with every change that can't be made in the files
 * @throws the errors of the functions of the transform
 */
export function planCodemod({ transform, ...where }: CodemodRequest): Codemod {
  for (const path of where.paths) refuseLeadingOut(resolve(where.cwd, path), where.root);
  const folder = readFolder(where);
  const { manifests, sources } = folder;
  const problems = [...folder.problems];
  if (manifests.length === 0) {
    problems.push(fileProblem("MANIFESTS_MISSING", where.paths[0] ?? "", "contains no manifests; nothing was changed"));
  }
  if (problems.some(({ severity }) => severity === "error")) {
    throw invalidManifests(problems, sources, "Correct the files, or specify other paths. Nothing was changed.");
  }
  const conflicts: Located[] = [];
  const edits: AddressedEdit[] = [];
  let matched = 0;
  for (const found of manifests) {
    const changed = changeManifest(found, transform);
    if (!changed) continue;
    matched++;
    conflicts.push(...changed.conflicts);
    edits.push(...changed.edits.map((edit) => ({ ...edit, address: found.manifest.address })));
  }
  const files: ChangedFile[] = [];
  for (const all of Map.groupBy(edits, ({ document }) => document.file.path).values()) {
    const file = changeFile(all, where);
    if ("name" in file) files.push(file);
    else conflicts.push(...file.conflicts);
  }
  if (conflicts.length > 0) {
    const hint = "Nothing was changed. Make these changes by hand, and run the command again for the others.";
    throw problemsError("MIGRATION_CONFLICT", { problems: conflicts, sources, hint });
  }
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, manifests: manifests.length, matched };
}

type AddressedEdit = DocumentEdit & { address: string };

/** Edits the documents of one file, and reads the result again to verify it. */
function changeFile(edits: readonly AddressedEdit[], where: FolderOptions): ChangedFile | { conflicts: Located[] } {
  const { file } = edits[0]!.document;
  const conflicts: Located[] = [];
  const changes: Change[] = [];
  let after = file.text;
  for (const [index, all] of Map.groupBy(edits, ({ document }) => document.index)) {
    const [edit, ...others] = all as [AddressedEdit, ...AddressedEdit[]];
    const { document, merged, carrying } = edit;
    const fail = (message: string) => conflicts.push(conflictIn(edit, message));
    if (others.some((other) => !sameJson(other.merged, merged))) {
      fail(
        "several manifests share this layout file, and the migration changes it differently for them. Use a file for each",
      );
      continue;
    }
    try {
      after = editYaml(after, index, merged, carrying.identityOf);
      if (!isAsExpected(after, edit, where)) {
        fail("the file can't be edited so that it has the result of the migration. Change it by hand");
      }
      changes.push(...diffContent(document.raw, merged));
    } catch (error) {
      if (!(error instanceof Uneditable) && !hasCode(error, "INVALID_FILE")) throw error;
      fail(error instanceof Uneditable ? error.message : "the edited file would exceed the limits of a file");
    }
  }
  if (conflicts.length > 0) return { conflicts };
  return {
    name: file.name,
    path: file.path,
    before: file.text,
    after,
    lines: changedLines(file.text, after),
    addresses: [...new Set(edits.map(({ address }) => address))],
    changes,
    lostComments: lostComments(file, after),
  };
}

function conflictIn({ document }: DocumentEdit, message: string): Located {
  return { severity: "error", code: "MIGRATION_CONFLICT", message, file: document.file.name, ...document.locate("") };
}

/** Whether reading the edited document returns the result of the migration. */
function isAsExpected(text: string, { document, expected }: DocumentEdit, where: FolderOptions): boolean {
  const read = rereadDocument(text, document, where);
  if (!read) return false;
  const members = read.manifest as JsonObject | undefined;
  const hasMembers = Object.entries(expected.members ?? {}).every(([name, value]) => sameJson(members?.[name], value));
  return hasMembers && (!expected.content || sameContent(read.content, expected.content));
}

function sameContent(a: DraftContent | undefined, b: DraftContent | undefined): boolean {
  return a !== undefined && b !== undefined && sameJson(a, b);
}

function lostComments({ text }: FolderFile, after: string): ChangedFile["lostComments"] {
  const kept = Map.groupBy(commentsIn(after), (comment) => comment.text);
  const position = positionsOf(text);
  return commentsIn(text).flatMap((comment) =>
    kept.get(comment.text)?.pop() ? [] : [{ line: position(comment.offset).line, text: comment.text }],
  );
}

/**
 * Writes the changed files. If a file can't be written, the files already written get their old texts again.
 *
 * @param project the root of the project
 * @throws FILE_UNFIT if a file was changed since it was read, or leads out of the project through a link
 * @throws FILE_UNWRITABLE
 */
export async function writeCodemod(files: readonly ChangedFile[], project: string): Promise<void> {
  for (const { path, name, before } of files) {
    await requireWritable(path, project);
    if ((await readIfExists(path)) !== before) {
      throw unfitFile(`${name} was changed while the command ran, so nothing was written`, {
        hint: "Run the command again.",
      });
    }
  }
  const written: ChangedFile[] = [];
  try {
    for (const file of files) {
      await writeWhole(file.path, file.after, modeOf(file.path));
      written.push(file);
    }
  } catch (error) {
    for (const { path, before } of written) await writeWhole(path, before, modeOf(path));
    throw error;
  }
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) await clearDrafts(folder);
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
