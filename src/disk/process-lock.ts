/**
 * Implements a lock that only one process at a time can hold. If the holder has exited, exactly one waiting process
 * takes over the lock.
 *
 * Each holder creates a numbered file in a folder. The file with the highest number is the current file. It names the
 * process that holds the lock. After a release, it is empty.
 *
 * A process takes over a released or abandoned lock by creating the file with the next number. Only one process can
 * create this file. After that, the process reads all lower files again. If one of them names a running process, or a
 * higher number has appeared, it removes its own file. The file of a holder is never removed while it has the highest
 * number. Therefore no holder's number is used twice.
 */

import { link, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FormctlError } from "../base/error.ts";
import type { Host, ProcessIdentity, Processes } from "../base/host.ts";
import { isJsonObject } from "../schemas/json.ts";
import { asUnwritable, unfitFile } from "./file-errors.ts";
import { readIfExists } from "./links.ts";

/** A lock that this process holds. `number` is higher than all earlier numbers. */
export type ProcessLock = { number: number; release(): Promise<void> };

/** The holder of a lock, and the path of the lock. `self` is the process that tried to take the lock. */
export type LockHolder = { holder: ProcessIdentity; path: string; self: ProcessIdentity };

/**
 * The highest number of a lock. With more digits, other processes would not recognize the lock and the journals of its
 * holder. A repository may contain a file with a high number.
 */
const MAX_NUMBER = 999_999_999_999_999;

/**
 * Takes a lock, or returns the process that holds it.
 *
 * @param spent returns the lock number in the name of another file, such as a journal. The new lock gets a higher
 *   number. The lock files alone do not suffice, because the user may have deleted them
 * @throws FILE_UNFIT if a lock is not a plain file, can't be read, or has the highest number
 * @throws FILE_UNWRITABLE if the folder can't be read or written
 */
export async function takeLock(
  folder: string,
  name: string,
  processes: Processes,
  spent: (file: string) => number | undefined = () => undefined,
): Promise<ProcessLock | LockHolder> {
  const { self } = processes;
  const pathOf = (number: number) => join(folder, `${name}-${number}`);
  const mayRun = (found: ProcessIdentity) => !shareNumbers(found, self) || processes.isRunning(found);
  try {
    for (;;) {
      const { files, numbers } = await findLocks(folder, name);
      const highest = Math.max(0, ...numbers);
      const holder = highest > 0 ? await holderOf(pathOf(highest)) : undefined;
      if (holder && mayRun(holder)) return { holder, path: pathOf(highest), self };
      const own = Math.max(highest, ...files.map((file) => spent(file) ?? 0)) + 1;
      if (own > MAX_NUMBER) {
        const message = `${folder} contains a file with the number ${own - 1}, which no run of formctl has reached`;
        throw unfitFile(message, { hint: "Remove the file." });
      }
      if (!(await createLock(pathOf(own), `${JSON.stringify(self)}\n`, self.pid))) continue;
      const now = await findLocks(folder, name);
      // Without hard links, a lock has no text at first. Each lower lock may have got its text since it was listed, and
      // not only the previous one: that one may be of a process that finds the same holder and gives up.
      const lower = now.numbers.filter((number) => number < own).map(pathOf);
      const earlier = await firstHolder(lower, mayRun);
      if (earlier || now.numbers.some((number) => number > own)) {
        await rm(pathOf(own), { force: true });
        if (earlier) return { ...earlier, self };
        continue;
      }
      for (const number of now.numbers) if (number < own) await rm(pathOf(number), { force: true });
      // Removes the drafts (temporary files) of other processes. Such a process, if it still runs, fails to link its
      // draft and tries again. It then finds this lock.
      for (const draft of now.drafts) await rm(join(folder, draft), { force: true });
      return { number: own, release: () => release(pathOf(own)) };
    }
  } catch (error) {
    throw asUnwritable(folder, error);
  }
}

const PAUSE_MS = 20;
/** The maximum number of attempts. All attempts and pauses take ten seconds, far longer than a write. */
const TRIES = 500;

/**
 * Takes a lock for a short task, such as a change of a settings file. Waits while another process holds the lock.
 *
 * @param folder must exist
 * @param file the file that the lock protects, for the error message
 * @throws FILE_HELD if no attempt succeeded
 * @throws FILE_UNFIT, FILE_UNWRITABLE for the folder
 */
export async function waitForLock(
  folder: string,
  { name, file }: { name: string; file: string },
  { processes, sleep }: LockHost,
): Promise<ProcessLock> {
  const found = await processes();
  for (let tries = 1; ; tries++) {
    const taken = await takeLock(folder, name, found);
    if (!("holder" in taken)) return taken;
    if (tries === TRIES) throw lockedError("FILE_HELD", `another formctl process is writing ${file}`, taken);
    await sleep(PAUSE_MS);
  }
}

export type LockHost = Pick<Host, "processes" | "sleep">;

/**
 * Creates the error for a lock that another process holds.
 *
 * @param what the activity of that process, such as "another apply is running in this folder"
 */
export function lockedError(
  code: "FILE_HELD" | "RUN_IN_PROGRESS" | "MIGRATION_IN_PROGRESS",
  what: string,
  { holder, path, self }: LockHolder,
): FormctlError {
  const canCheck = shareNumbers(holder, self);
  const where = holder.host === self.host ? `in another container on ${holder.host}` : `on ${holder.host}`;
  return new FormctlError(
    code,
    `${what}: process ${holder.pid}${canCheck ? "" : ` ${where}`}`,
    canCheck
      ? "Wait until it has finished."
      : `Wait until it has finished. If it no longer runs, which can't be checked from here, delete ${path}.`,
  );
}

/**
 * Whether two processes are on the same machine and in the same container. Otherwise a pid can mean a different process
 * for each of the two.
 */
function shareNumbers(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.host === other.host && one.namespace === other.namespace;
}

/**
 * Lists all files of the folder, the numbers of the locks, and the drafts. A draft is a temporary file (`.tmp`) from
 * which a lock is created.
 *
 * @throws FILE_UNFIT if a lock is not a plain file
 */
async function findLocks(
  folder: string,
  name: string,
): Promise<{ files: string[]; numbers: number[]; drafts: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.map((entry) => entry.name);
  const numberOf = (file: string) => new RegExp(`^${name}-(\\d{1,15})$`).exec(file)?.[1];
  const other = entries.find((entry) => numberOf(entry.name) !== undefined && !entry.isFile());
  if (other) throw unfitFile(`${join(folder, other.name)} is not a file`, { hint: "Remove it." });
  return {
    files,
    numbers: files.flatMap((file) => Number(numberOf(file) ?? [])),
    drafts: files.filter((file) => file.startsWith(`${name}-`) && file.endsWith(".tmp")),
  };
}

/** Releases a lock by emptying its file. Emptying a file works even if the disk is full. */
async function release(path: string): Promise<void> {
  try {
    await truncate(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw asUnwritable(path, error);
  }
}

/** Returns the first of these locks that a running process holds, with its holder. */
async function firstHolder(
  paths: readonly string[],
  mayRun: (holder: ProcessIdentity) => boolean,
): Promise<{ holder: ProcessIdentity; path: string } | undefined> {
  for (const path of paths) {
    const holder = await holderOf(path);
    if (holder && mayRun(holder)) return { holder, path };
  }
  return undefined;
}

/**
 * Returns the process that holds a lock. Returns undefined if the file is empty or incomplete. An empty file is a
 * released lock. With hard links, a lock file gets its complete text at once. Therefore an incomplete file has no
 * holder.
 */
async function holderOf(path: string): Promise<ProcessIdentity | undefined> {
  const text = await readIfExists(path);
  try {
    const value: unknown = JSON.parse(text ?? "");
    return isProcessIdentity(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (!isJsonObject(value)) return false;
  const { pid, host, namespace, startedAt } = value;
  return (
    Number.isSafeInteger(pid) &&
    typeof host === "string" &&
    (namespace === undefined || typeof namespace === "string") &&
    typeof startedAt === "string"
  );
}

let drafts = 0;

/**
 * Creates a lock. First writes the text to a temporary file. Then a hard link gives that file the name of the lock.
 * Therefore no process reads an incomplete lock, except on a file system without hard links.
 *
 * @returns false if the caller has to try again
 */
async function createLock(path: string, text: string, pid: number): Promise<boolean> {
  const draft = `${path}.${pid}.${++drafts}.tmp`;
  try {
    await writeFile(draft, text, { flag: "wx", mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // The caller tries again in these cases:
    // - EEXIST of the lock: another process was faster.
    // - EEXIST of the draft: a process of another container has the same pid.
    // - ENOENT: the faster process has removed the draft.
    if (code === "EEXIST" || (code === "ENOENT" && syscall === "link")) return false;
    if (syscall !== "link" || (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS")) throw error;
    // The file system supports no hard links, so the lock is written directly.
    return await writeFile(path, text, { flag: "wx", mode: 0o600 }).then(
      () => true,
      (failed: NodeJS.ErrnoException) => {
        if (failed.code === "EEXIST") return false;
        throw failed;
      },
    );
  } finally {
    await rm(draft, { force: true });
  }
}
