/**
 * A process next to a test run: when the run ends in any way, also by Ctrl-C or SIGKILL, it ends the run's processes
 * and removes its folders, which are the arguments.
 */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { endProcesses, processesOf } from "./processes.ts";

const folders = process.argv.slice(2);

await once(process.stdin.resume(), "end");
// A process may start another one before it ends.
for (let attempt = 0; attempt < 50; attempt++) {
  const left = processesOf(folders, { except: process.pid });
  endProcesses(left);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  if (left.length === 0) break;
  await setTimeout(100);
}
