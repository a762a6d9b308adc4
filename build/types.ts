/**
 * Writes the type declarations of the library into a folder: `node build/types.ts FOLDER`. Each entry gets one file that
 * imports no package. tsc writes a file for each module into `.build/` first, and the bundler joins them. `build.ts` runs
 * it.
 */

import { execFileSync } from "node:child_process";
import { join, relative } from "node:path";
import { build } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { LIBRARY_ENTRIES } from "./entries.ts";

const ROOT = join(import.meta.dirname, "..");
const MODULES = join(ROOT, ".build", "modules");
const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
const words = [compiler, "-p", "tsconfig.types.json", "--outDir", MODULES];
execFileSync(process.execPath, words, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
for (const [name, source] of Object.entries(LIBRARY_ENTRIES)) {
  // A build for several entries would move their common declarations into a file with shortened names.
  await build({
    input: { [name]: join(MODULES, relative("src", source).replace(/ts$/, "d.ts")) },
    // The declarations of packages, such as zod, can't be bundled. No entry needs them.
    external: /^@?\w[\w./-]*$/,
    // `generator` is unused, because all modules are declarations. The default requires a compiler with an API.
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, generator: "oxc" })],
    output: { dir: join(process.argv[2]!, "types"), format: "esm" },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
}
