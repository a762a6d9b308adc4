/** Builds the program for the tests that run it. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isCurrent } from "../build/build.ts";

/** Builds `dist/` if it is older than its sources, so that tests run the current code. @throws Error if it can't be built */
export function buildProgram(): void {
  if (isCurrent()) return;
  const build = join(import.meta.dirname, "..", "build", "build.ts");
  const { status, stderr } = spawnSync(process.execPath, [build], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}
