/**
 * A process next to a test run: when the run ends in any way, also by Ctrl-C or SIGKILL, it ends the run's processes
 * and removes its folders, which are the arguments.
 */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { endProcesses } from "./processes.ts";

const folders = process.argv.slice(2);
const runner = process.ppid;

await once(process.stdin.resume(), "end");
await endProcesses(folders, runner);
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
