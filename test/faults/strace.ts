/**
 * Runs programs under strace. Counts their system calls on given files, and can make one of these calls fail or kill
 * its process.
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "./loop.ts";

/**
 * The effect of one call: the call with the number `number` among the calls named `call`. With `persists`, all later
 * calls of this name have the effect too.
 */
export type Fault = { call: string; number: number; effect: "signal=KILL" | `error=${string}`; persists?: boolean };

type Traced = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** How often each call was made on the files. */
  calls: Map<string, number>;
};

/** The calls that change a file, its size or its name, and the calls that flush a file. */
const CALLS = ["openat", "pwrite64", "write", "ftruncate", "fallocate", "fsync", "fdatasync", "unlink", "rename"];

export const TRACER = "strace";

let reason: string | undefined | null = null;

/** @returns why strace can't be used here; undefined if it can */
export function reasonWithoutStrace(): string | undefined {
  if (reason !== null) return reason;
  const run = spawnSync(TRACER, ["-f", "-o", "/dev/null", "true"], { encoding: "utf8" });
  reason = run.error || run.status !== 0 ? `strace can't run: ${run.error?.message ?? run.stderr.trim()}` : undefined;
  return reason;
}

/** Runs `command`. Only calls on `paths` are counted and get the fault. */
export async function runTraced(
  command: readonly string[],
  { paths, fault, cwd, env }: { paths: readonly string[]; fault?: Fault; cwd: string; env: NodeJS.ProcessEnv },
): Promise<Traced> {
  const folder = newFolder();
  const log = join(folder.path, "log");
  const words = ["-f", "-qqq", "-o", log, "-e", `trace=${CALLS.join(",")}`];
  if (fault) {
    const { call, effect, number, persists = false } = fault;
    words.push("-e", `inject=${call}:${effect}:when=${number}${persists ? "+" : ""}`);
  }
  for (const path of paths) words.push("-P", path);
  try {
    const child = spawn(TRACER, [...words, "--", ...command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return { code, signal, stdout, stderr, calls: countCalls(readFileSync(log, "latin1")) };
  } finally {
    folder.remove();
  }
}

function countCalls(log: string): Map<string, number> {
  const calls = new Map<string, number>();
  for (const [, name] of log.matchAll(/^\d+ +(\w+)\(/gm)) calls.set(name!, (calls.get(name!) ?? 0) + 1);
  return calls;
}
