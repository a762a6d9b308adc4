/** Starts the servers that the benchmarks compare, each as a process of its own. */

import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export type ServerProcess = { port: number; pid: number; stop: () => Promise<void> };

const FORMCTL = join(import.meta.dirname, "..", "bin", "formctl.js");

/** `home`: the folder of the settings of formctl. `knownPort`: the port, if the server does not print it. */
type ServerOptions = { home: string; store?: string; knownPort?: number };

/** Starts a server and waits for its URL. Its log is discarded, so that the disk is used only for the records. */
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

/** Returns the port of the first URL that a server prints, or `knownPort` as soon as it prints a line. */
async function portOf(output: Readable, knownPort: number | undefined): Promise<number | undefined> {
  for await (const line of createInterface({ input: output })) {
    const found = /http:\/\/[\w.]+:(\d+)/.exec(line)?.[1];
    if (knownPort !== undefined || found !== undefined) return knownPort ?? Number(found);
  }
  return undefined;
}

/** Starts `formctl serve` on a store: the path of a file, or the URL of a database, which may contain a password. */
export function startFormctl(store: string, home: string): Promise<ServerProcess> {
  return startServer("formctl", [FORMCTL, "serve", "--port", "0"], { home, store });
}

/** Returns the resident memory of a process in MiB. */
export function memoryOf(pid: number): number {
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return Number(stdout) / 1024;
}
