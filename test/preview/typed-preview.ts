/** A program that runs formctl from its sources: `node typed-preview.ts WORDS…`. For tests in a real terminal. */

import { systemHost } from "../../src/system-host.ts";

// The bundler replaces this name.
Object.assign(globalThis, { FORMCTL_VERSION: "0.0.0-test" });
const { run } = await import("../../src/main.ts");
process.exitCode = await run(process.argv.slice(2), systemHost());
