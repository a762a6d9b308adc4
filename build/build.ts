/**
 * Builds `dist/` if it is older than its sources: `node build/build.ts`. Several processes may do so at once, while
 * others use `dist/`: one process builds in another folder, which then takes the place of `dist/`.
 */

import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { waitForLock } from "../src/disk/process-lock.ts";
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

/** @throws Error with the output of the build if it fails */
function build(): void {
  // A source that changes during the build is newer than the build.
  const started = Date.now() / 1000;
  for (const folder of [OUTPUT, OLD]) rmSync(folder, { recursive: true, force: true });
  const words = [join(import.meta.dirname, "bundle.ts"), OUTPUT];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
  utimesSync(join(OUTPUT, STAMP), started, started);
  if (existsSync(DIST)) renameSync(DIST, OLD);
  renameSync(OUTPUT, DIST);
}

if (import.meta.main && !isCurrent()) {
  mkdirSync(WORK, { recursive: true });
  const processes = async () => systemProcesses();
  // A build takes longer than the tasks for which the program waits.
  const sleepLonger = (milliseconds: number) => sleep(milliseconds * 10);
  const lock = await waitForLock(WORK, { name: "lock", file: DIST }, { processes, sleep: sleepLonger });
  try {
    // Another process may have built in the meantime.
    if (!isCurrent()) build();
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message.trimEnd()}\n`);
    process.exitCode = 1;
  } finally {
    await lock.release();
  }
}
