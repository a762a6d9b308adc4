/** How a test waits until it may write the lock file. */

import { setTimeout } from "node:timers/promises";
import type { Turns } from "../../src/disk/hold-in-turn.ts";
import { systemProcesses } from "../../src/system-processes.ts";

export const turns: Turns = {
  processes: async () => systemProcesses(),
  sleep: (milliseconds) => setTimeout(milliseconds),
};
