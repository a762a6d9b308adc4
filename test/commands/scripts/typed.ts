/** Runs the program from its sources in a separate process. */

import { start } from "../../../src/main.ts";

(globalThis as { FORMCTL_VERSION?: string }).FORMCTL_VERSION = "0.0.0-test";
await start();
