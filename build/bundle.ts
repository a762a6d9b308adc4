/**
 * Bundles `src/` into a folder: `node build/bundle.ts FOLDER`. The bundle is a small entry, and chunks that commands load
 * on demand. `build.ts` runs it.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type InputOptions, type OutputOptions } from "rolldown";
import { LIBRARY_ENTRIES } from "./entries.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";
import { readCommandLine } from "../src/commands/program.ts";
import manifest from "../package.json" with { type: "json" };

/** The chunks of frequent commands. A chunk contains the modules that these commands need together. */
const chunks = {
  "compile-cache": /src\/config\/compile-cache\.ts$/,
  run: /src\/(composition\/(execute|system-host|local-store)|service|local-service|commands\/(program|addresses|lookups|forms\/list|currencies\/list)|engine\/currency-catalog|terminal\/table|schemas\/(words|path))\.ts$/,
  store: /src\/(engine\/form-reads|store\/sqlite)\.ts$/,
  shapes: /src\/schemas\/(shape|page|diagnostic)\.ts$/,
  "create-form": /src\/commands\/forms\/create\.ts$/,
  checks: /src\/engine\/verdict\.ts$/,
  "create-rule": /src\/engine\/forms\.ts$/,
  "project-file": /src\/documents\/(document|located-error)\.ts$/,
  client: /src\/(client\/(http-service|undici-fetch)|config\/token|commands\/forms\/get)\.ts$/,
};

const dir = process.argv[2]!;
const notices = thirdPartyNotices();
const options: InputOptions = {
  platform: "node",
  // Both are loaded from `node_modules` on first use: a native module, and a driver without licence texts of its parts.
  external: ["@napi-rs/keyring", "pg"],
  // Importing a module has no side effects.
  treeshake: { moduleSideEffects: false },
  plugins: [notices.plugin],
  transform: { define: { FORMCTL_VERSION: JSON.stringify(manifest.version) } },
  // Suppresses a warning about modules that one chunk imports and another chunk loads on demand.
  checks: { ineffectiveDynamicImport: false },
  onLog(level, log) {
    if (level === "warn") throw new Error(log.message);
  },
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
const library: OutputOptions = { dir, format: "esm", chunkFileNames: "library/[name]-[hash].js" };
const [built] = await build([
  { ...options, input: { main: "src/main.ts" }, output: program },
  { ...options, input: LIBRARY_ENTRIES, output: library },
]);
const missing = Object.keys(chunks).filter((name) => !built?.output.some((file) => file.name === name));
if (missing.length > 0) throw new Error(`no module matches the chunks ${missing.join(", ")}`);
writeFileSync(join(dir, "THIRD-PARTY-NOTICES.txt"), notices.text());

// The output of `formctl --help` for a terminal of 80 columns. src/main.ts prints this text.
let help = "";
await readCommandLine(["--help"], { version: manifest.version, width: 80, out: (text) => (help += text) });
writeFileSync(join(dir, "help.txt"), help);
