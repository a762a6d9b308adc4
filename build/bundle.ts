/**
 * Bundles `src/` into a folder: `node build/bundle.ts FOLDER`. The program is a small entry, and chunks that commands load
 * on demand. The library is a module and a file of type declarations for each entry. `build.ts` runs it.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type BuildOptions, type OutputOptions } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { thirdPartyNotices } from "./third-party-notices.ts";
import { readCommandLine } from "../src/commands/program.ts";
import manifest from "../package.json" with { type: "json" };
import types from "../tsconfig.types.json" with { type: "json" };

/** The chunks of frequent commands. A chunk contains the modules that these commands need together. */
const chunks = {
  "compile-cache": /src\/config\/compile-cache\.ts$/,
  run: /src\/(composition\/(execute|system-host|local-store)|service|local-service|commands\/(program|addresses|lookups|forms\/(list|get)|currencies\/list)|engine\/currency-catalog|terminal\/table|schemas\/(catalog|words|path))\.ts$/,
  store: /src\/(engine\/form-reads|store\/sqlite)\.ts$/,
  shapes: /src\/(schemas\/(shape|page|diagnostic)|commands\/forms\/create)\.ts$/,
  checks: /src\/engine\/(verdict|forms)\.ts$/,
  "project-file": /src\/documents\/(document|located-error)\.ts$/,
  client: /src\/(client\/(http-service|undici-fetch)|config\/token)\.ts$/,
  complete: /src\/commands\/(completion\/(complete|values|stored-values)|choices)\.ts$/,
};

const dir = process.argv[2]!;
const notices = thirdPartyNotices();
const options: BuildOptions = {
  platform: "node",
  // Importing a module has no side effects.
  treeshake: { moduleSideEffects: false },
  // Suppresses warnings about slow plugins, and about modules that one chunk imports and another loads on demand.
  checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
  onLog(level, log) {
    if (level === "warn") throw new Error(log.message);
  },
};
const code: BuildOptions = {
  ...options,
  // Both are loaded from `node_modules` on first use: a native module, and a driver without licence texts of its parts.
  external: ["@napi-rs/keyring", "pg"],
  plugins: [notices.plugin],
  transform: { define: { FORMCTL_VERSION: JSON.stringify(manifest.version) } },
};
const program: OutputOptions = {
  dir,
  format: "cjs",
  minify: true,
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  // A module that several groups need belongs to the first of them.
  codeSplitting: {
    groups: Object.entries(chunks).map(([name, test], index) => ({ name, test, priority: 99 - index })),
  },
};
/** The type declarations of an entry. A build for all entries would move their common declarations into another file. */
const declarations = (entry: string): BuildOptions => ({
  ...options,
  input: entry,
  // The declarations of packages, such as zod, can't be bundled. No entry needs them.
  external: /^@?\w[\w./-]*$/,
  plugins: [dts({ emitDtsOnly: true, tsconfig: "tsconfig.types.json" })],
  output: { dir: join(dir, "types"), format: "esm" },
});
const [built] = await build([
  { ...code, input: { main: "src/main.ts" }, output: program },
  { ...code, input: types.include, output: { dir, format: "esm", chunkFileNames: "library/[name]-[hash].js" } },
  ...types.include.map(declarations),
]);
const missing = Object.keys(chunks).filter((name) => !built?.output.some((file) => file.name === name));
if (missing.length > 0) throw new Error(`no module matches the chunks ${missing.join(", ")}`);
writeFileSync(join(dir, "THIRD-PARTY-NOTICES.txt"), notices.text());

// The output of `formctl --help` for a terminal of 80 columns. src/main.ts prints this text.
let help = "";
await readCommandLine(["--help"], { version: manifest.version, width: 80, out: (text) => (help += text) });
writeFileSync(join(dir, "help.txt"), help);
