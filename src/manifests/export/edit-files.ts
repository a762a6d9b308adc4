/** Files with other documents in them, each edited in its text. */

import { diffLines } from "diff";
import { hasCode } from "../../error.ts";
import { editYaml, Uneditable } from "../../documents/edit-yaml.ts";
import { sameJson } from "../../schemas/json.ts";
import type { FileOutcome, PlannedFile, PlannedFiles } from "./file-outcome.ts";
import type { FolderFile } from "./folder.ts";
import type { DocumentChange } from "./merge-folder.ts";
import { type Conflict, identityOf } from "./merge-values.ts";

/** @returns also the files in which something was to be changed and could not be */
export function editFiles(changes: readonly DocumentChange[]): PlannedFiles & { failed: ReadonlySet<string> } {
  const outcomes: FileOutcome[] = [];
  const files: PlannedFile[] = [];
  const failed = new Set<string>();
  for (const [path, all] of Map.groupBy(changes, ({ document }) => document.file.path)) {
    const { file } = all[0]!.document;
    const { text, problems } = editFile(file, all);
    if (problems.length > 0) failed.add(path);
    const conflicts = [...all.flatMap((change) => change.conflicts), ...problems];
    if (text !== file.text) files.push({ path, text, before: file.text });
    const status = conflicts.length > 0 ? "conflict" : text === file.text ? "unchanged" : "updated";
    outcomes.push({ path: file.name, status, lines: changedLines(file.text, text), conflicts });
  }
  return { outcomes, files, failed };
}

function editFile(file: FolderFile, changes: readonly DocumentChange[]): { text: string; problems: Conflict[] } {
  let { text } = file;
  const problems: Conflict[] = [];
  const fail = (message: string) => problems.push({ path: "", message });
  for (const [index, all] of Map.groupBy(changes, ({ document }) => document.index)) {
    const [{ target, document }, ...others] = all as [DocumentChange, ...DocumentChange[]];
    if (others.some((other) => !sameJson(other.target, target))) {
      fail("several manifests share this layout, and theirs are not the same any more: it is left as it is");
    } else if (sameJson(target, document.raw)) {
      continue;
    } else if (file.isElsewhere) {
      fail("is a link, or stands outside of the folder, where nothing is written");
    } else {
      try {
        text = editYaml(text, index, target, identityOf);
      } catch (error) {
        if (!(error instanceof Uneditable) && !hasCode(error, "INVALID_FILE")) throw error;
        fail(error instanceof Uneditable ? error.message : "would hold more than a file may");
      }
    }
  }
  return { text, problems };
}

/** With more edits than this, every line counts as changed: the time of a diff grows with the square of the edits. */
const MAX_EDITS = 2_000;

/** The number of changed lines: the lines added or the lines removed, whichever are more. */
export function changedLines(before: string, after: string): number {
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return Math.max(before.split("\n").length, after.split("\n").length) - 1;
  let added = 0;
  let removed = 0;
  for (const change of changes) {
    if (change.added) added += change.count;
    if (change.removed) removed += change.count;
  }
  return Math.max(added, removed);
}
