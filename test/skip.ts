/** Reasons why tests can't run on this machine. test/run/skips.ts prints them after the run. */

import { spawnSync } from "node:child_process";
import { beforeEach } from "vitest";

const { platform } = process;

export const reasonAsRoot = process.getuid?.() === 0 ? "root may write everywhere" : undefined;
export const reasonUnlessRoot = process.getuid?.() === 0 ? undefined : "only root can act as another user";
export const reasonElsewhereThanLinux = platform === "linux" ? undefined : "the system is not Linux";
export const reasonOnWindows = platform === "win32" ? "the system is Windows" : undefined;

export function reasonWithout(program: string): string | undefined {
  return spawnSync(program, ["--version"]).status === 0 ? undefined : `${program} is not installed`;
}

/** Skips the tests of the file or of the `describe` that calls it, if there is a reason. */
export function skipTests(reason: string | undefined): void {
  beforeEach(({ skip }) => skip(reason !== undefined, reason));
}
