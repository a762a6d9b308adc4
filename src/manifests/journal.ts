/** The record of a run, a line before each write and one after it, each on the disk before anything goes on. */

export type JournalLine =
  | { at: string; event: "begin"; plan: string; place: string }
  /** About to be sent. `mutation` makes it repeatable where the API can repeat it. */
  | { at: string; event: "intent"; resource: string; step: number; operation: string; mutation: string }
  | { at: string; event: "done"; resource: string; step: number; ids: Readonly<Record<string, string>> }
  | { at: string; event: "failed"; resource: string; step: number; code: string; message: string; unknown: boolean }
  | { at: string; event: "end"; outcome: "done" | "partial" | "failed" };

export type Journal = {
  /** Resolves when the line is on the disk; lines that wait at the same time share one flush. */
  write(line: JournalLine): Promise<void>;
  close(): Promise<void>;
};

/** An earlier run that has not come to its end: killed, crashed, or with a step whose outcome is unknown. */
export type UnfinishedRun = { path: string; plan: string; lines: readonly JournalLine[] };

/** One run at a time in a folder. @throws RunInProgress (exit 6) while another living process holds it */
export declare function openJournal(folder: string, run: { place: string; plan: string }): Promise<Journal>;
export declare function unfinishedRuns(folder: string, place: string): Promise<UnfinishedRun[]>;
