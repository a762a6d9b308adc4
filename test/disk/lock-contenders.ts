/**
 * A process that takes a lock many times, on a file system without hard links. Fails if another process holds the lock at
 * the same time. Arguments: the folder, the number of rounds, and `locked` or `unlocked` for the control.
 */

import { closeSync, openSync, rmSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";

fs.link = async () => {
  throw Object.assign(new Error("no hard links"), { code: "EPERM", syscall: "link" });
};
syncBuiltinESMExports();
const { takeLock } = await import("../../src/disk/process-lock.ts");

const [, , folder = "", rounds = "", mode = ""] = process.argv;
const processes = {
  self: { pid: process.pid, host: "here", startedAt: "2026-01-01T00:00:00.000Z" },
  isRunning: () => true,
};
const path = join(folder, "held");

for (let done = 0; done < Number(rounds);) {
  const taken = mode === "locked" ? await takeLock(folder, "lock", processes) : { number: 0, release: async () => {} };
  if ("holder" in taken) {
    await turn();
    continue;
  }
  try {
    closeSync(openSync(path, "wx"));
  } catch {
    process.exit(1);
  }
  for (let turns = 0; turns < 5; turns++) await turn();
  rmSync(path);
  await taken.release();
  done++;
}
