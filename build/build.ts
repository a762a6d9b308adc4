/**
 * Builds `dist/` if it is older than its sources: `node build/build.ts`. Several processes may do so at once, while
 * others use `dist/`: one process builds in another folder, which then takes the place of `dist/`.
 */

import { execFile } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ProcessLock, takeLock } from "../src/disk/process-lock.ts";
import { sleep, systemProcesses } from "../src/composition/system-process.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const WORK = join(ROOT, ".build");
const OUTPUT = join(WORK, "dist");
const OLD = join(WORK, "old");
/** The file of `dist/` that has the time of the build. It is a file of the package, so the package needs no other one. */
const STAMP = "main.cjs";
const INPUTS = ["{src,build}/**", "package*.json", "tsconfig*.json"];

/** Whether `dist/` is newer than all its sources. A deleted source changes the time of its folder. */
export function isCurrent(): boolean {
  const timeOf = (path: string) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = timeOf(join("dist", STAMP));
  return globSync(INPUTS, { cwd: ROOT }).every((input) => timeOf(input) < built);
}

/** Waits until no other process builds. */
async function lockBuilds(): Promise<ProcessLock> {
  mkdirSync(WORK, { recursive: true });
  for (;;) {
    const taken = await takeLock(WORK, "lock", systemProcesses());
    if ("release" in taken) return taken;
    await sleep(50);
  }
}

/** @throws Error with the output of the build if it fails */
async function build(): Promise<void> {
  // A source that changes during the build is newer than the build.
  const started = Date.now() / 1000;
  for (const folder of [OUTPUT, OLD]) rmSync(folder, { recursive: true, force: true });
  const run = (...words: string[]) => promisify(execFile)(process.execPath, words, { cwd: ROOT });
  const results = await Promise.allSettled([
    run(join(import.meta.dirname, "bundle.ts"), OUTPUT),
    run(join(import.meta.dirname, "types.ts"), OUTPUT),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  const output = failed && (failed.reason as { stdout: string; stderr: string });
  if (output) throw new Error(`the build failed:\n${output.stdout}${output.stderr}`);
  utimesSync(join(OUTPUT, STAMP), started, started);
  if (existsSync(DIST)) renameSync(DIST, OLD);
  renameSync(OUTPUT, DIST);
}

if (import.meta.main && !isCurrent()) {
  const lock = await lockBuilds();
  try {
    // Another process may have built in the meantime.
    if (!isCurrent()) await build();
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message.trimEnd()}\n`);
    process.exitCode = 1;
  } finally {
    await lock.release();
  }
}
