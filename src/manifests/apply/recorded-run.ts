/** A run as its record tells of it. */

import type { JournalLine } from "../../schemas/run.ts";

export type RecordedRun = {
  path: string;
  plan: string;
  place: string;
  lines: readonly JournalLine[];
  /** Absent: it was killed, or it crashed. */
  outcome?: "done" | "partial" | "failed";
};
