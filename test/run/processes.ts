/** Finds and ends the processes that a test run leaves. It works on Linux only; elsewhere it finds none. */

import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

type Found = { pid: number; command: string };

const STEP_MS = 100;
/** How many steps a process may need to end after a signal. */
const PATIENCE = 20;

/**
 * Returns the processes that mention a folder in their command line, environment or working directory.
 *
 * @param runner this process and its children, the workers of vitest and the sweeper, are not returned
 */
export function processesOf(folders: readonly string[], runner: number): Found[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || pid === runner) return [];
    try {
      const read = (file: string) => readFileSync(`/proc/${name}/${file}`, "utf8");
      // The parent is the second value after the name of the program, which is in parentheses.
      const parent = Number(read("stat").split(") ").at(-1)!.split(" ")[1]);
      const command = read("cmdline").replaceAll("\0", " ").trim();
      const texts = [command, read("environ"), readlinkSync(`/proc/${name}/cwd`)];
      const isOfRun = folders.some((folder) => texts.some((text) => text.includes(folder)));
      return isOfRun && command !== "" && parent !== runner ? [{ pid, command }] : [];
    } catch {
      // The process ended, or belongs to another user.
      return [];
    }
  });
}

/** Waits at most `patience` steps for processes that are ending. @returns those that still run */
export async function remainingProcesses(
  folders: readonly string[],
  runner: number,
  patience = PATIENCE,
): Promise<Found[]> {
  let found = processesOf(folders, runner);
  for (let step = 0; step < patience && found.length > 0; step++) {
    await setTimeout(STEP_MS);
    found = processesOf(folders, runner);
  }
  return found;
}

/** Ends the processes, and those that they start in the meantime. */
export async function endProcesses(folders: readonly string[], runner: number): Promise<void> {
  // On SIGINT, a database server removes its files in shared memory.
  for (const { pid } of processesOf(folders, runner)) send("SIGINT", pid);
  for (let found = await remainingProcesses(folders, runner); found.length > 0; found = processesOf(folders, runner)) {
    for (const { pid } of found) send("SIGKILL", pid);
    await setTimeout(STEP_MS);
  }
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended.
  }
}
