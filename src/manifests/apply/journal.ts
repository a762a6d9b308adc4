/** The record of a run, a line before each write and one after it, each on the disk before anything goes on. */

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FormctlError, hasCode } from "../../error.ts";
import { JournalLine } from "../../schemas/run.ts";
import type { Processes } from "../../disk/hold.ts";
import { makeMachineFolder } from "../../disk/machine-folder.ts";
import { readOwnFile, unfitFile, unreadable } from "../../disk/unfit-file.ts";
import { asUnwritable } from "../../disk/unwritable-file.ts";
import { createAppendLog } from "./append-log.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { takeRunLock } from "./run-lock.ts";
import { unknownLayouts } from "./unknown-layouts.ts";

export type { JournalLine } from "../../schemas/run.ts";

export type Journal = {
  /** Resolves when the line is on the disk; lines that wait at the same time share one flush. @throws RECORD_UNWRITABLE */
  write(line: JournalLine): Promise<void>;
  close(): Promise<void>;
};

/** The records of a folder, held by one process. */
export type Runs = {
  /** Those of one place, or of all, the oldest first. @throws FILE_UNFIT where one can't be read */
  of(place?: string): Promise<RecordedRun[]>;
  /** Why no run can begin: nothing can be written. Nobody holds the folder then, and what is there can still be read. */
  unwritable: FormctlError | undefined;
  /** @throws RECORD_UNWRITABLE, and `unwritable` where there is one */
  begin(run: { at: Date; plan: string; place: string }): Promise<Journal>;
  /** Lets go of the folder; records that are old go. @throws FILE_UNWRITABLE */
  close(): Promise<void>;
};

/** How many records are kept. */
const KEPT_RUNS = 20;

/**
 * One run at a time in a folder.
 *
 * @throws RUN_IN_PROGRESS while another living process holds it; FILE_UNFIT where it, or what is in it, is something else
 */
export async function openRuns(folder: string, processes: Processes): Promise<Runs> {
  const lock = await takeFolder(folder, processes);
  const unwritable = hasCode(lock, "FILE_UNWRITABLE") ? lock : undefined;
  let runs = 0;
  return {
    of: async (place) => (await readRuns(folder)).filter((run) => place === undefined || run.place === place),
    unwritable,
    async begin(run) {
      if (hasCode(lock, "FILE_UNWRITABLE")) throw lock;
      return beginRun(folder, run, `${lock.number}.${++runs}`);
    },
    async close() {
      if (hasCode(lock, "FILE_UNWRITABLE")) return;
      try {
        await forgetOld(folder);
      } finally {
        await lock.release();
      }
    },
  };
}

async function takeFolder(folder: string, processes: Processes) {
  try {
    await makeMachineFolder(folder);
    return await takeRunLock(folder, processes, (file) => numberOf(file)?.lock);
  } catch (error) {
    if (hasCode(error, "FILE_UNWRITABLE")) return error;
    throw error;
  }
}

/**
 * The runs of a plan that have not come to its end, the oldest first: those since the last one that did, or since a run of
 * another plan sent anything for one of its resources.
 */
export function unfinishedRuns(
  runs: readonly RecordedRun[],
  { plan, addresses }: { plan: string; addresses: ReadonlySet<string> },
): RecordedRun[] {
  const touches = ({ lines }: RecordedRun) => lines.some((line) => "resource" in line && addresses.has(line.resource));
  const last = runs.findLastIndex((run) => (run.plan === plan ? run.outcome === "done" : touches(run)));
  return runs.slice(last + 1).filter((run) => run.plan === plan);
}

/** The runs that were cut off, the oldest first: those since the last one that came to an end of whatever kind. */
export function brokenRuns(runs: readonly RecordedRun[]): RecordedRun[] {
  return runs.slice(runs.findLastIndex((run) => run.outcome !== undefined) + 1);
}

async function beginRun(
  folder: string,
  run: { at: Date; plan: string; place: string },
  number: string,
): Promise<Journal> {
  const at = run.at.toISOString();
  const name = `${at.replaceAll(":", "")}-${number}-${run.plan.slice(0, 12)}.jsonl`;
  const log = await createAppendLog(join(folder, name));
  const journal: Journal = {
    write: (line) => log.append(JSON.stringify(line)),
    close: () => log.close(),
  };
  try {
    await journal.write({ event: "begin", at, plan: run.plan, place: run.place });
  } catch (error) {
    await journal.close();
    throw error;
  }
  return journal;
}

const RECORD = /^[\dTZ.-]+-(\d{1,15})\.(\d{1,15})-\w+\.jsonl$/;

/** Under which hold of the folder it was made, and as the how-manieth there; undefined: it is no record. */
function numberOf(file: string): { lock: number; run: number } | undefined {
  const [, lock, run] = RECORD.exec(file) ?? [];
  return lock === undefined ? undefined : { lock: Number(lock), run: Number(run) };
}

/** In the order in which the folder was held: clocks may stand still or be set back. */
async function recordNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw unreadable(folder, error);
  });
  const numbered = entries.flatMap((entry) => {
    const number = numberOf(entry.name);
    if (number && !entry.isFile()) throw unfitFile(`${join(folder, entry.name)} is not a file`, { hint: "Remove it." });
    return number ? [{ name: entry.name, ...number }] : [];
  });
  return numbered.sort((a, b) => a.lock - b.lock || a.run - b.run).map(({ name }) => name);
}

/** Every record that is there, the oldest first, for whoever only looks: the folder is not held. @throws FILE_UNFIT */
export async function readRuns(folder: string): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  for (const name of await recordNames(folder)) {
    const path = join(folder, name);
    const lines = readLines((await readOwnFile(path)) ?? "");
    const [first] = lines;
    // Cut off before its first line was whole: nothing has been sent.
    if (first?.event !== "begin") continue;
    const end = lines.findLast((line) => line.event === "end");
    runs.push({ path, plan: first.plan, place: first.place, lines, ...(end && { outcome: end.outcome }) });
  }
  return runs;
}

/** A line that is torn, as the last one may be, has not been waited for: nothing has happened after it. */
function readLines(text: string): JournalLine[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JournalLine.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

/** What a person has to say is not forgotten before it is said. */
async function forgetOld(folder: string): Promise<void> {
  const old = (await recordNames(folder)).slice(0, -KEPT_RUNS);
  if (old.length === 0) return;
  const byPlace = Map.groupBy(await readRuns(folder), ({ place }) => place);
  const open = [...byPlace.values()].flatMap((runs) => [...unknownLayouts(runs).values()]);
  const kept = new Set(open.map(({ record }) => record));
  for (const name of old) {
    const path = join(folder, name);
    if (kept.has(path)) continue;
    await rm(path, { force: true }).catch((error: unknown) => {
      throw asUnwritable(path, error);
    });
  }
}
