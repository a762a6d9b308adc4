/**
 * Writes and reads the journals of `apply`. Each run has one file, with an entry before and after each request. The
 * entries of a resource are flushed to disk before the next write for the resource is sent. Only one process at a time
 * writes to a folder of journals.
 */

import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unfitFile, asUnreadable, asUnwritable, reasonOf } from "../disk/file-errors.ts";
import { makeMachineFolder } from "../disk/folders.ts";
import { readStateJson, statOf } from "../disk/links.ts";
import { lockedError, takeLock, type ProcessLock } from "../disk/process-lock.ts";
import { FormctlError, hasCode } from "../base/error.ts";
import { MAX_STATE_BYTES } from "../base/file-limits.ts";
import type { Processes } from "../base/host.ts";
import { measureJson } from "../schemas/json-limits.ts";
import { JournalEntry, type RecordedRun } from "./recorded-runs.ts";
import { unansweredCreations } from "./unanswered-creations.ts";

/** Returns the error for a journal that can't be written. No request may be sent without its journal entry. */
export function recordUnwritable(path: string, cause: unknown): FormctlError {
  return new FormctlError(
    "RECORD_UNWRITABLE",
    `can't write the journal ${path}: ${reasonOf(cause)}`,
    "Make sure that the folder is writable and the disk has room left, then apply again to continue.",
    cause,
  );
}

export type Journal = {
  /** Resolves when the entry is on disk. @throws RECORD_UNWRITABLE */
  write(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
};

/** The journals of a folder. This process holds the lock of the folder unless `unwritable` is set. */
export type Runs = {
  /**
   * Returns the runs on the target with this key, or on all targets, the oldest first.
   *
   * @throws FILE_UNFIT if a journal can't be read
   */
  list(target?: string): Promise<RecordedRun[]>;
  /**
   * The error if this process can't write to the folder. This process then has no lock and can't begin a run. But it
   * can read the journals.
   */
  unwritable: FormctlError | undefined;
  /** Creates the journal of a run. @throws RECORD_UNWRITABLE, or the error in `unwritable` */
  begin(run: { at: Date; plan: string; target: string }): Promise<Journal>;
  /** Deletes old journals and releases the lock of the folder. @throws FILE_UNWRITABLE */
  close(): Promise<void>;
};

const KEPT_RUNS = 20;

/** The size of the kept journals besides the newest one. A run that creates 10,000 forms writes about 13 MB. */
const KEPT_BYTES = 8 * 1024 * 1024;

/**
 * Opens a folder of journals. Takes the lock of the folder, so that runs don't overlap.
 *
 * @throws RUN_IN_PROGRESS if another running process holds the lock
 * @throws FILE_UNFIT if the folder, or an entry in the folder, does not have the expected file type
 */
export async function openRuns(folder: string, processes: Processes): Promise<Runs> {
  const lock = await takeFolder(folder, processes);
  const unwritable = hasCode(lock, "FILE_UNWRITABLE") ? lock : undefined;
  let runs = 0;
  return {
    list: async (target) => (await readRuns(folder)).filter((run) => target === undefined || run.target === target),
    unwritable,
    async begin(run) {
      if (hasCode(lock, "FILE_UNWRITABLE")) throw lock;
      return beginRun(folder, run, `${lock.number}.${++runs}`);
    },
    async close() {
      if (hasCode(lock, "FILE_UNWRITABLE")) return;
      try {
        await deleteOld(folder);
      } finally {
        await lock.release();
      }
    },
  };
}

async function takeFolder(folder: string, processes: Processes): Promise<ProcessLock | FormctlError> {
  try {
    await makeMachineFolder(folder);
    return await takeRunLock(folder, processes);
  } catch (error) {
    if (hasCode(error, "FILE_UNWRITABLE")) return error;
    throw error;
  }
}

/** Takes the lock of a folder of journals. @throws RUN_IN_PROGRESS, and the errors of `takeLock` */
export async function takeRunLock(folder: string, processes: Processes): Promise<ProcessLock> {
  const taken = await takeLock(folder, "lock", processes, (file) => numberOf(file)?.lock);
  if ("holder" in taken) throw lockedError("RUN_IN_PROGRESS", "another apply is running in this folder", taken);
  return taken;
}

async function beginRun(
  folder: string,
  run: { at: Date; plan: string; target: string },
  number: string,
): Promise<Journal> {
  const at = run.at.toISOString();
  const name = `${at.replaceAll(":", "")}-${number}-${run.plan.slice(0, 12)}.jsonl`;
  const log = await createAppendLog(join(folder, name));
  const journal: Journal = {
    write: (entry) => log.append(JSON.stringify(entry)),
    close: () => log.close(),
  };
  try {
    await journal.write({ event: "begin", at, plan: run.plan, target: run.target });
  } catch (error) {
    await journal.close();
    throw error;
  }
  return journal;
}

export type AppendLog = {
  /** Resolves when the line is on disk. After a first failure, every line fails. @throws RECORD_UNWRITABLE */
  append(line: string): Promise<void>;
  /** Closes the file. Never throws, because every acknowledged line is already on disk. */
  close(): Promise<void>;
};

/**
 * Creates a file to which lines are appended. Lines that wait at the same time share one flush.
 *
 * @throws RECORD_UNWRITABLE
 */
export async function createAppendLog(path: string): Promise<AppendLog> {
  try {
    const file = await open(path, "wx", 0o600);
    // The directory entry of the file has to reach the disk too. Windows can't open folders, and does not need the
    // flush.
    const folder = await open(dirname(path), "r").catch(() => undefined);
    await folder?.sync();
    await folder?.close();
    return appendTo(file, path);
  } catch (error) {
    throw recordUnwritable(path, error);
  }
}

function appendTo(file: FileHandle, path: string): AppendLog {
  let waiting: string[] = [];
  let failed: FormctlError | undefined;
  /** The flush that will write the waiting lines. Undefined if no line waits. */
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    // A local store answers all requests of one transaction in the same round of the event loop. The journal lines of
    // these requests are appended in that round. The flush waits for the end of the round, so that it writes all these
    // lines.
    await new Promise(setImmediate);
    const lines = waiting;
    waiting = [];
    next = undefined;
    if (failed) throw failed;
    try {
      await file.appendFile(lines.join(""));
      await file.datasync();
    } catch (error) {
      // The last line in the file may now be incomplete. It would corrupt the next line, so all later lines are
      // refused.
      throw (failed = recordUnwritable(path, error));
    }
  }

  return {
    append(line) {
      waiting.push(`${line}\n`);
      next ??= last = last.catch(() => undefined).then(flush);
      return next;
    },
    async close() {
      await last.catch(() => undefined);
      await file.close().catch(() => undefined);
    },
  };
}

/**
 * Reads all journals of a folder, the oldest first, without taking its lock.
 *
 * @throws FILE_UNFIT if a journal can't be read, or all journals together exceed a limit
 */
export async function readRuns(folder: string): Promise<RecordedRun[]> {
  const paths = (await journalNames(folder)).map((name) => join(folder, name));
  // A single journal is refused by its own size, with its path.
  if (paths.length > 1 && (await sizeOf(paths)) > MAX_STATE_BYTES)
    throw unfitJournals(folder, `more than ${MAX_STATE_BYTES / 1024 / 1024} MiB`);
  const journals: { path: string; text: string }[] = [];
  for (const path of paths) {
    const text = (await readStateJson(path)) ?? "";
    // Without a complete first entry, the run was interrupted before it sent a request.
    if (text.startsWith("{")) journals.push({ path, text });
  }
  const { exceeded } = measureJson(journals.map(({ text }) => text).join(""), MAX_STATE_BYTES);
  if (exceeded !== undefined) throw unfitJournals(folder, exceeded);
  let unreadable = 0;
  return journals.flatMap(({ path, text }) => {
    const entries: JournalEntry[] = [];
    for (const line of linesOf(text)) {
      const entry = parseEntry(line);
      if (entry) entries.push(entry);
      else if (entries.length === 0) return [];
      else if (++unreadable > MAX_UNREADABLE)
        throw unfitJournals(folder, `more than ${MAX_UNREADABLE} unreadable lines`);
    }
    const [first] = entries;
    if (first?.event !== "begin") return [];
    const end = entries.findLast((entry) => entry.event === "end");
    return [{ path, plan: first.plan, target: first.target, entries, ...(end && { outcome: end.outcome }) }];
  });
}

/** The maximum number of unreadable lines of all journals. An interrupted run leaves at most one. */
const MAX_UNREADABLE = 1_000;

function unfitJournals(folder: string, exceeded: string): FormctlError {
  return unfitFile(`the journals in ${folder} have ${exceeded}. They are not read`, {
    hint: "Delete the oldest ones. A run that was interrupted can't be continued without its journal.",
  });
}

async function sizeOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) bytes += (await statOf(path))?.size ?? 0;
  return bytes;
}

/** Returns the lines one by one: a list of 64 million empty lines would need 512 MiB. */
function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  if (start < text.length) yield text.slice(start);
}

/** Parses an entry. Returns undefined for an incomplete line. A run sends no request before its entry is complete. */
function parseEntry(line: string): JournalEntry | undefined {
  try {
    return JournalEntry.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

const JOURNAL_NAME = /^[\dTZ.-]+-(\d{1,15})\.(\d{1,15})-\w+\.jsonl$/;

/**
 * Parses the name of a journal, or returns undefined if the file is not a journal. Each process that locks the folder
 * gets a number (`lock`). The process numbers the journals that it creates (`run`).
 */
function numberOf(file: string): { lock: number; run: number } | undefined {
  const [, lock, run] = JOURNAL_NAME.exec(file) ?? [];
  return lock === undefined ? undefined : { lock: Number(lock), run: Number(run) };
}

/**
 * Returns the names of the journals in the order of their numbers. The times in the names are not used, because the
 * system clock may be set back.
 */
async function journalNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw asUnreadable(folder, error);
  });
  const numbered = entries.flatMap((entry) => {
    const number = numberOf(entry.name);
    if (number && !entry.isFile()) throw unfitFile(`${join(folder, entry.name)} is not a file`, { hint: "Remove it." });
    return number ? [{ name: entry.name, ...number }] : [];
  });
  return numbered.sort((a, b) => a.lock - b.lock || a.run - b.run).map(({ name }) => name);
}

/**
 * Deletes all journals except the newest `KEPT_RUNS`, and the oldest of these if they have more than `KEPT_BYTES`
 * besides the newest one. A journal of the plan that ran last is not deleted for its size. Also keeps a journal with an unanswered
 * creation, until the user states the outcome of that creation.
 */
async function deleteOld(folder: string): Promise<void> {
  const paths = (await journalNames(folder)).map((name) => join(folder, name));
  const recent = paths.splice(-KEPT_RUNS);
  const large: string[] = [];
  while (recent.length > 1 && (await sizeOf(recent.slice(0, -1))) > KEPT_BYTES) large.push(recent.shift()!);
  if (paths.length + large.length === 0) return;
  const runs = await readRuns(folder);
  const byTarget = Map.groupBy(runs, ({ target }) => target);
  const unanswered = [...byTarget.values()].flatMap((each) => [...unansweredCreations(each).values()]);
  const ofLastPlan = runs.filter(({ path, plan }) => plan === runs.at(-1)?.plan && large.includes(path));
  const kept = new Set([...unanswered.map(({ journal }) => journal), ...ofLastPlan.map(({ path }) => path)]);
  for (const path of [...paths, ...large]) {
    if (kept.has(path)) continue;
    await rm(path, { force: true }).catch((error: unknown) => {
      throw asUnwritable(path, error);
    });
  }
}
