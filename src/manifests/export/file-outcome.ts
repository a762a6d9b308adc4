/** What an export does to files, before it is done and as it is told afterwards. */

import type { Conflict } from "./merge-values.ts";

export type FileOutcome = {
  /** As people call it. */
  path: string;
  status: "written" | "updated" | "unchanged" | "conflict";
  /** How many of its lines are others now. */
  lines: number;
  conflicts: readonly Conflict[];
};

/** `before` is what was read; undefined for a new file. */
export type PlannedFile = { path: string; text: string; before: string | undefined };

export type PlannedFiles = { outcomes: FileOutcome[]; files: PlannedFile[] };
