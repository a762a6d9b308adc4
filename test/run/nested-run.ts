/** Starts a test run as a process, with its files inside the folders of this run. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";

const ROOT = join(import.meta.dirname, "..", "..");
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");
const CONFIG = join(import.meta.dirname, "cases", "vitest.config.ts");

type NestedRun = {
  child: ChildProcessByStdio<null, Readable, Readable>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>;
};

/** Runs one file of `cases/` in a process group of its own. `words` are further arguments of vitest. */
export function startRun(file: string, words: readonly string[] = [], env: Record<string, string> = {}): NestedRun {
  const { PATH, HOME, TMPDIR, TEST_MEMORY_FOLDER } = process.env;
  const argv = [VITEST, "run", `cases/${file}`, "--config", CONFIG, "--root", ROOT, "--no-color", ...words];
  const child = spawn(process.execPath, argv, {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, TEST_MEMORY_FOLDER, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    output,
  }));
  return { child, ended };
}
