/** This process, and whether another one of this machine still runs: by its number and by when it began. */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Processes } from "./host.ts";

export function systemProcesses(): Processes {
  const { pid } = process;
  return {
    self: { pid, host: hostname(), ...namespaceOfProcesses(), startedAt: startOf(pid) },
    isRunning: (holder) => isAlive(holder.pid) && startOf(holder.pid) === holder.startedAt,
  };
}

/** Containers may have one host name, and each has processes with the same numbers. Linux tells them apart. */
function namespaceOfProcesses(): { namespace?: string } {
  try {
    return { namespace: readlinkSync("/proc/self/ns/pid") };
  } catch {
    return {};
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be sent signals, and lives.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Linux tells when a process began, in ticks since the machine was started. Elsewhere the number alone must do: a later
 * process of the same number is then taken for the one that is gone, until it ends.
 */
function startOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in parentheses, which may hold anything; the third the state, the 22nd the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie does nothing any more: only nobody has asked yet how it ended.
    return fields[0] === "Z" ? "gone" : `${boot} ${fields[19]}`;
  } catch {
    return "";
  }
}
