/** Starts the servers of the benchmarks, each as a separate process. */

import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export type ServerProcess = { port: number; pid: number; stop: () => Promise<void> };

const FORMCTL = join(import.meta.dirname, "..", "bin", "formctl.js");

/**
 * `home` is the folder with the settings of formctl. `knownPort` is the port of a server that doesn't print its port.
 */
type ServerOptions = { home: string; store?: string; knownPort?: number };

/**
 * Starts a server and waits for its URL. The log of the server is discarded: otherwise writes of the log would slow
 * down the writes of the records.
 */
export async function startServer(
  name: string,
  args: string[],
  { home, store, knownPort }: ServerOptions,
): Promise<ServerProcess> {
  const own = { FORMCTL_HOME: home, ...(store !== undefined && { FORMCTL_STORE: store }) };
  const env = { ...process.env, ...own, NODE_OPTIONS: "", NO_COLOR: "1" };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const port = await portOf(child.stdout, knownPort);
  if (port === undefined) throw new Error(`${name} has ended before it listened`);
  child.stdout.resume();
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { port, pid: child.pid!, stop };
}

/** Returns the port from the first URL that a server prints. If given, `knownPort` is returned after the first line. */
async function portOf(output: Readable, knownPort: number | undefined): Promise<number | undefined> {
  for await (const line of createInterface({ input: output })) {
    const found = /http:\/\/[\w.]+:(\d+)/.exec(line)?.[1];
    if (knownPort !== undefined || found !== undefined) return knownPort ?? Number(found);
  }
  return undefined;
}

/**
 * Starts `formctl serve` on a store. `store` is the path of a file or the URL of a database. The URL may contain a
 * password.
 */
export function startFormctl(store: string, home: string): Promise<ServerProcess> {
  return startServer("formctl", [FORMCTL, "serve", "--port", "0"], { home, store });
}

/** Returns the resident memory of a process in MiB. */
export function memoryOf(pid: number): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(stdout) / 1024;
}

/** The length of a clock tick on Linux in milliseconds. `getconf CLK_TCK` reports 100 ticks per second. */
const TICK_MS = 10;

/**
 * Returns the processor time of a process and of its direct children, in milliseconds. Returns 0 on systems without
 * /proc. An ended child counts if the process has waited for the child.
 */
export function processorTimeOf(pid: number): number {
  let children: string;
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch {
    return 0;
  }
  const all = [String(pid), ...children.trim().split(" ").filter(Boolean)];
  return all.reduce((sum, each) => sum + ticksOf(each), 0) * TICK_MS;
}

/**
 * Returns the sum of the fields 14 to 17 of proc_pid_stat(5). These fields are the user and system time of the process
 * and of its ended children. Field 2, the name in parentheses, may contain spaces.
 */
function ticksOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    // The process has ended since the list of children was read. Its parent counts its time.
    return 0;
  }
}
