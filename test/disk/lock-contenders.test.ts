/** Real processes that contend for a lock on a file system without hard links. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolders } from "../temporary.ts";

const newFolder = temporaryFolders();
const PROGRAM = join(import.meta.dirname, "lock-contenders.ts");

/** Returns the exit codes of three processes, each of which takes the lock this many times. */
async function contend(mode: "locked" | "unlocked", rounds: number): Promise<unknown[]> {
  const folder = newFolder();
  const started = [1, 2, 3].map(() =>
    spawn(process.execPath, [PROGRAM, folder, String(rounds), mode], { stdio: ["ignore", "ignore", "inherit"] }),
  );
  return Promise.all(started.map(async (child) => ((await once(child, "exit")) as [number | null])[0]));
}

it("is held by one process at a time", async () => {
  expect(await contend("locked", 100)).toEqual([0, 0, 0]);
});

it("would be held by several processes without the lock", async () => {
  expect(await contend("unlocked", 5000)).toContain(1);
});
