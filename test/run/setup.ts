/**
 * Vitest's global setup: the environment, the folders and the canary of a test run. After the run, and also after a
 * kill of the run, no process and no folder of it is left.
 */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { Tier } from "../effort.ts";
import { removeSettings } from "./environment.ts";
import { memoryFolder } from "./memory-folder.ts";
import { remainingProcesses } from "./processes.ts";
import { startSweeper } from "./start-sweeper.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /**
     * All tokens of the run start with the bytes of `mark`, which is hexadecimal. `findings` is the file that lists
     * where tokens were found.
     */
    canary: { mark: string; findings: string };
    tier: Tier;
  }
}

export default function setup(project: TestProject): () => Promise<void> {
  // A run that a test starts has its folders in those of the outer run.
  const [disk, memory] = [tmpdir(), memoryFolder() ?? tmpdir()].map(newFolder) as [string, string];
  removeSettings(process.env);
  const home = join(disk, "home");
  mkdirSync(home);
  // The programs of all tests share their compiled code.
  const shared = { XDG_CACHE_HOME: join(disk, "cache") };
  Object.assign(process.env, { HOME: home, TMPDIR: disk, TEST_MEMORY_FOLDER: memory, ...shared });

  const folders = [disk, memory];
  const sweeper = startSweeper(folders);

  const findings = join(disk, "findings.txt");
  project.provide("canary", { mark: randomBytes(24).toString("hex"), findings });
  project.provide("tier", ["full", "all"].includes(project.vitest.config.mode) ? "full" : "sample");
  return async () => {
    const found = existsSync(findings) ? readFileSync(findings, "utf8") : "";
    // On a busy machine, a killed process may end a while after its test.
    const left = await remainingProcesses(folders, process.pid, 300);
    sweeper.ref();
    sweeper.stdin.end();
    await once(sweeper, "exit");
    if (found !== "") throw new Error(`A token was found where none belongs:\n${found}`);
    if (left.length > 0)
      throw new Error(`The tests left processes running:\n${left.map(({ command }) => command).join("\n")}`);
  };
}

/** Creates a folder that every user may enter, because a database server of a test may run as another user. */
function newFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, "formctl-run-"));
  chmodSync(folder, 0o711);
  return folder;
}
