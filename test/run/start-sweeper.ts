/** Starts the process that cleans up after this one. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import type { Writable } from "node:stream";

/**
 * Starts the sweeper (`sweeper.ts`) of folders. It waits for the end of its input, which is the end of this process at
 * the latest.
 */
export function startSweeper(folders: readonly string[]): ChildProcessByStdio<Writable, null, null> {
  const sweeper = spawn(process.execPath, [join(import.meta.dirname, "sweeper.ts"), ...folders], {
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
  });
  sweeper.unref();
  return sweeper;
}
