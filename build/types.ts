/**
 * Writes the type declarations of the library into a folder: `node build/types.ts FOLDER`. Each entry gets one file that
 * imports no package. tsc writes a file for each module first, and the bundler joins them. `build.ts` runs it.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { build } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { LIBRARY_ENTRIES } from "./entries.ts";

const ROOT = join(import.meta.dirname, "..");
const modules = mkdtempSync(join(tmpdir(), "formctl-types-"));
try {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const words = [compiler, "-p", "tsconfig.types.json", "--outDir", modules];
  execFileSync(process.execPath, words, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  for (const [name, source] of Object.entries(LIBRARY_ENTRIES)) {
    // A build for several entries would move their common declarations into a file with shortened names.
    await build({
      input: { [name]: join(modules, relative("src", source).replace(/ts$/, "d.ts")) },
      // `generator` is unused, because all modules are declarations. The default requires a compiler with an API.
      plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false, generator: "oxc" })],
      output: { dir: join(process.argv[2]!, "types"), format: "esm" },
      onLog(level, log) {
        if (level === "warn") throw new Error(log.message);
      },
    });
  }
} finally {
  rmSync(modules, { recursive: true });
}
