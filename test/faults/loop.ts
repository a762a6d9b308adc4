/** Defines the type of attack loops, and their shared functions. Loops can also run without vitest, for hours. */

import { type ChildProcess, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildProgram } from "../built-program.ts";
import { memoryFolder } from "../run/memory-folder.ts";

/** `violations` has one line for each violated guarantee; `facts` describes the attempts. */
export type Result = { count: number; violations: string[]; facts: Record<string, number> };

export type Loop = {
  name: string;
  /** The number of attacks of `npm run test:faults`. Infinity: one attack at each point that the loop finds. */
  full: number;
  /** The number of attacks of `npm run test:full`. */
  sample: number;
  /** Why the loop can't run on this machine; undefined if it can. */
  skipped?: () => string | undefined;
  run: (count: number, seed: number) => Promise<Result>;
  /** Runs the same harness on code that is known to be wrong. The result must have violations. */
  control: (seed: number) => Promise<Result>;
};

export const FORMCTL = join(import.meta.dirname, "..", "..", "bin", "formctl.js");

buildProgram();

/** Returns a generator of random integers (Park and Miller), from 0 to the limit minus 1. */
export function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Returns the same items in random order. */
export function shuffle<T>(items: readonly T[], random: (limit: number) => number): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}

/**
 * Creates a folder, in memory if possible: no loop cuts the power of a real disk. Unlike the folders of
 * test/temporary.ts, this folder needs no vitest, and is not searched for tokens.
 */
export function newFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(memoryFolder() ?? tmpdir(), "formctl-faults-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Calls `work` with a new folder, and then removes the folder. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const { path, remove } = newFolder();
  try {
    return await work(path);
  } finally {
    remove();
  }
}

/** Returns the environment of a process that uses only stores, profiles and projects of `folder`. */
export function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder, CI: "1" };
}

/** Creates the demo store at `path`. */
export function makeDemo(folder: string, path: string): void {
  formctl(folder, ["local", "init", "--demo", "--store", path]);
}

/** @returns the URL that a started `formctl serve` prints @throws Error if the process ends before it prints a URL */
export function originOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        const found = /https?:\/\/[\w.:[\]]+/.exec(printed);
        if (found && printed.includes("\n")) resolve(found[0]);
      });
    }
    child.once("close", () => reject(new Error(`the server did not start: ${printed}`)));
  });
}

/** Runs a command. @returns what it prints on stdout @throws Error if the command fails */
export function formctl(folder: string, words: readonly string[]): string {
  const run = spawnSync(process.execPath, [FORMCTL, ...words], {
    cwd: folder,
    env: environment(folder),
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`formctl ${words.join(" ")} failed: ${run.stderr}`);
  return run.stdout;
}
