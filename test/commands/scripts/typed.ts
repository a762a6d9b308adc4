/** The program as a process of its own, from its sources. */

import { start } from "../../../src/main.ts";

(globalThis as { FORMCTL_VERSION?: string }).FORMCTL_VERSION = "0.0.0-test";
await start();
