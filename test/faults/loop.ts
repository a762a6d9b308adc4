/** The type of attack loops, and their shared helpers. Loops run without vitest, so that they can run for hours. */

import { type ChildProcess, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `violations` has one line for each violated guarantee; `facts` describes the attempts. */
export type Result = { count: number; violations: string[]; facts: Record<string, number> };

export type Loop = {
  name: string;
  /** How often `npm run test:faults` attacks. Infinity: at each of the points that the loop finds. */
  full: number;
  /** How often `npm test` does. */
  sample: number;
  /** Why the loop can't run on this machine; undefined if it can. */
  skipped?: () => string | undefined;
  run: (count: number, seed: number) => Promise<Result>;
  /** The same harness on code that is known to be wrong: it has to find violations. */
  control: (seed: number) => Promise<Result>;
};

export const FORMCTL = join(import.meta.dirname, "..", "..", "bin", "formctl.js");

/** Park and Miller's generator: the same seed, the same attacks. */
export function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** The same items in random order. */
export function shuffle<T>(items: readonly T[], random: (limit: number) => number): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = random(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}

/**
 * A new folder, and how it is removed. No power cut is tried here: memory is as good as a disk. Outside of vitest there is no
 * canary, so that it is not searched for tokens.
 */
export function newFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "formctl-faults-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Calls `work` with a new folder and removes it. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const { path, remove } = newFolder();
  try {
    return await work(path);
  } finally {
    remove();
  }
}

/** Environment of a process that knows no other store, profile or project than those of `folder`. */
export function environment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: folder, XDG_CONFIG_HOME: folder, CI: "1" };
}

/** Makes the demo store in `path`. */
export function makeDemo(folder: string, path: string): void {
  formctl(folder, ["local", "init", "--demo", "--store", path]);
}

/** @returns the URL that a started `formctl serve` prints @throws if it ends before */
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

/** @returns what the command prints @throws when it fails */
export function formctl(folder: string, words: readonly string[]): string {
  const run = spawnSync(process.execPath, [FORMCTL, ...words], {
    cwd: folder,
    env: environment(folder),
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`formctl ${words.join(" ")} failed: ${run.stderr}`);
  return run.stdout;
}
