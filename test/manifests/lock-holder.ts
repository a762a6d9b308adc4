/** A process that takes the lock of a folder again and again, and dies a while after it began, holding it or not. */

import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { hasCode } from "../../src/error.ts";
import { takeRunLock } from "../../src/manifests/apply/run-lock.ts";
import { systemProcesses } from "../../src/system-processes.ts";

const [folder = "", log = ""] = process.argv.slice(2);
const processes = systemProcesses();
for (let round = 0; round < 60; round++) {
  try {
    const lock = await takeRunLock(folder, processes);
    appendFileSync(log, `+${process.pid}\n`);
    if (round % 3 === 0) await pause(1);
    appendFileSync(log, `-${process.pid}\n`);
    // Killed while it still holds the lock: whoever comes next has to find that out.
    if (round === 40) process.kill(process.pid, "SIGKILL");
    await lock.release();
  } catch (error) {
    if (!hasCode(error, "RUN_IN_PROGRESS")) throw error;
    await pause(1);
  }
}
