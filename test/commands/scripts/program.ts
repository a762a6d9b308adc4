/** The program from its sources, for a real terminal: `node program.ts WORD…`. */

import { start } from "../../../src/main.ts";

Object.assign(globalThis, { FORMCTL_VERSION: "0.0.0-test" });
await start();
