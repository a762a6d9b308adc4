/**
 * Builds `dist/` if it is older than its sources: `node build/build.ts`. Several processes may do so at once, while
 * others use `dist/`: one process builds in another folder, and then moves the files.
 */

import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type ProcessLock, takeLock } from "../src/disk/process-lock.ts";
import { sleep, systemProcesses } from "../src/composition/system-process.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const WORK = join(ROOT, ".build");
const OUTPUT = join(WORK, "dist");
/** The file of `dist/` that has the time of the build. It is a file of the package, so the package needs no other one. */
const STAMP = "main.cjs";
const INPUTS = ["src", "build", "package.json", "package-lock.json", "tsconfig.json", "tsconfig.types.json"];

/** Whether `dist/` is newer than all its sources. A deleted source changes the time of its folder. */
export function isCurrent(): boolean {
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = timeOf(join(DIST, STAMP));
  return INPUTS.map((input) => join(ROOT, input)).every((path) =>
    ["", ...(statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [])].every(
      (file) => timeOf(join(path, file)) < built,
    ),
  );
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
  await promisify(execFile)(process.execPath, words, { cwd: ROOT }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`the build failed:\n${error.stdout}${error.stderr}`);
    },
  );
}

/**
 * Moves all files of a folder to another folder on the same file system, and removes the other files there. At each
 * moment, a process finds each file that both contents have, the old one or the new one.
 */
export function replaceFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const [files, existing] = [from, to].map((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)),
  ) as [string[], string[]];
  const [old, kept] = [new Set(existing), new Set(files)];
  // A file that replaces another one refers to files that are new. The names of these contain a hash.
  for (const file of files.toSorted((a, b) => Number(old.has(a)) - Number(old.has(b)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    renameSync(join(from, file), join(to, file));
  }
  for (const file of existing) if (!kept.has(file)) rmSync(join(to, file));
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
