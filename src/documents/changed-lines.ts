/** Counts the lines that an edit changes. */

import { diffLines } from "diff";

/**
 * The maximum number of edits for a diff. The time of a diff grows with the square of the edits. Above the maximum,
 * every line counts as changed.
 */
const MAX_EDITS = 2_000;

/** Returns the number of added lines or the number of removed lines, whichever is larger. */
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
