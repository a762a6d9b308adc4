/**
 * Builds `dist/` if it is older than its sources: `node build/build.ts`. Several processes may do so at once, while
 * others use `dist/`: one process builds in another folder, and then moves the files.
 */

import { execFile } from "node:child_process";
import { mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { DIST, isCurrent, STAMP } from "./current.ts";
import { replaceFiles } from "./replace-files.ts";
import { type ProcessLock, takeLock } from "../src/disk/process-lock.ts";
import { sleep, systemProcesses } from "../src/system-process.ts";

const ROOT = join(import.meta.dirname, "..");
const WORK = join(ROOT, ".build");
const OUTPUT = join(WORK, "dist");

async function buildIfStale(): Promise<void> {
  if (isCurrent()) return;
  mkdirSync(WORK, { recursive: true });
  const lock = await lockBuilds();
  try {
    // Another process may have built in the meantime.
    if (!isCurrent()) await build();
  } finally {
    await lock.release();
  }
}

/** Waits until no other process builds. */
async function lockBuilds(): Promise<ProcessLock> {
  const processes = systemProcesses();
  for (;;) {
    const taken = await takeLock(WORK, "lock", processes);
    if ("release" in taken) return taken;
    await sleep(50);
  }
}

/** @throws Error with the output of the build if it fails */
async function build(): Promise<void> {
  // A source that changes during the build is newer than the build.
  const started = Date.now() / 1000;
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT);
  const results = await Promise.allSettled([
    run(join(import.meta.dirname, "bundle.ts"), OUTPUT),
    run(join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.types.json", "--outDir", join(OUTPUT, "types")),
  ]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  // Until the end, `dist/` counts as older than its sources: this process may be killed.
  utimesSync(join(OUTPUT, STAMP), 0, 0);
  replaceFiles(OUTPUT, DIST);
  utimesSync(join(DIST, STAMP), started, started);
}

async function run(...words: string[]): Promise<void> {
  const ended = promisify(execFile)(process.execPath, words, { cwd: ROOT });
  await ended.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`the build failed:\n${stdout}${stderr}`);
  });
}

try {
  await buildIfStale();
} catch (error) {
  process.stderr.write(`error: ${(error as Error).message.trimEnd()}\n`);
  process.exitCode = 1;
}
