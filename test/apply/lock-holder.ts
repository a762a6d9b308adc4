/** A process that takes the lock of a folder repeatedly. It kills itself while it holds the lock. */

import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { hasCode } from "../../src/base/error.ts";
import { takeRunLock } from "../../src/apply/journal.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";

const [folder = "", log = ""] = process.argv.slice(2);
const processes = systemProcesses();
for (let round = 0; round < 60; round++) {
  try {
    const lock = await takeRunLock(folder, processes);
    appendFileSync(log, `+${process.pid}\n`);
    if (round % 3 === 0) await pause(1);
    appendFileSync(log, `-${process.pid}\n`);
    // The next process has to detect that the holder has exited.
    if (round === 40) process.kill(process.pid, "SIGKILL");
    await lock.release();
  } catch (error) {
    if (!hasCode(error, "RUN_IN_PROGRESS")) throw error;
    await pause(1);
  }
}
