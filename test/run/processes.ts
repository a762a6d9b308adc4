/** Finds and ends the processes that a test run leaves. It works on Linux only; elsewhere it finds none. */

import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

type Found = { pid: number; command: string };

/**
 * Returns the processes that mention a folder in their command line, environment or working directory.
 *
 * @param except this process and its direct children, the workers of vitest, are not returned
 */
export function processesOf(folders: readonly string[], { except }: { except: number }): Found[] {
  if (!existsSync("/proc/self/environ")) return [];
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const read = (file: string) => readFileSync(`/proc/${name}/${file}`, "utf8");
      // The parent is the second value after the name of the program, which is in parentheses.
      const parent = Number(read("stat").split(") ").at(-1)!.split(" ")[1]);
      const command = read("cmdline").replaceAll("\0", " ").trim();
      const texts = [command, read("environ"), readlinkSync(`/proc/${name}/cwd`)];
      const isOfRun = folders.some((folder) => texts.some((text) => text.includes(folder)));
      return isOfRun && command !== "" && pid !== except && parent !== except ? [{ pid, command }] : [];
    } catch {
      // The process ended, or belongs to another user.
      return [];
    }
  });
}

export function endProcesses(processes: readonly Found[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process ended.
    }
  }
}
