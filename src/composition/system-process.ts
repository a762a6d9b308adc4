/** Waits, identifies this process, and checks whether other processes of the machine still run. */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Keychain, Processes } from "../base/host.ts";

/** Waits this number of milliseconds. Ends early when `until` is aborted. */
export function sleep(milliseconds: number, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      until?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, until?.aborted ? 0 : milliseconds);
    until?.addEventListener("abort", end);
  });
}

/** With FORMCTL_HOME, tokens are in that folder and not in the keychain. So two such folders share no tokens. */
export async function keychainOf(env: Readonly<Record<string, string | undefined>>): Promise<Keychain | undefined> {
  return env["FORMCTL_HOME"] ? undefined : (await import("../config/keychain.ts")).systemKeychain();
}

export function systemProcesses(): Processes {
  const { pid } = process;
  return {
    self: { pid, host: hostname(), ...processNamespace(), startedAt: startOf(pid) },
    isRunning: (other) => isAlive(other.pid) && startOf(other.pid) === other.startedAt,
  };
}

/** Returns the id of the container, on Linux only. Containers can share a host name and process numbers. */
function processNamespace(): { namespace?: string } {
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
    // With EPERM, the process is alive, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Returns the start time of a process. Linux reports the time in ticks since the boot. On other systems, the start time
 * is empty, so only the pid identifies a process. There a later process with the same pid is mistaken for the earlier
 * one.
 */
function startOf(pid: number): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program name in parentheses, and may contain anything. The third field is the state. The
    // 22nd field is the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie process has ended, but its parent has not read the exit status yet.
    return fields[0] === "Z" ? "ended" : `${boot} ${fields[19]}`;
  } catch {
    return "";
  }
}
