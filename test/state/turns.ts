/** The processes and the delay with which a test waits until it may write the lock file. */

import { setTimeout } from "node:timers/promises";
import type { LockHost } from "../../src/disk/process-lock.ts";
import { systemProcesses } from "../../src/composition/system-process.ts";

export const turns: LockHost = {
  processes: async () => systemProcesses(),
  sleep: (milliseconds) => setTimeout(milliseconds),
};
