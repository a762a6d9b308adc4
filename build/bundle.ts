/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InputOptions, rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.ts";
import { precompiledRequire } from "./precompiled.ts";
import { readCommandLine } from "../src/commands/program.ts";
import manifest from "../package.json" with { type: "json" };

/**
 * A file costs half a millisecond to open, and a function that is not called next to nothing. So what a short command
 * needs stands together: the command line and the service; and the store with the reading of forms, apart, because help
 * loads no database; and what the creation of a form needs beyond that. The checks of drafts, schemas, questions, YAML and
 * whatever else not every command needs stay chunks of their own.
 */
const groups = [
  {
    name: "run",
    test: /src\/(execute|system-world|service|local-service|local-store|commands\/(program|addresses|forms\/list|currencies\/list)|engine\/currency-catalog|terminal\/table|schemas\/(words|path))\.ts$/,
  },
  { name: "store", test: /src\/(engine\/form-reads|store\/sqlite)\.ts$/ },
  { name: "shapes", test: /src\/schemas\/shape\.ts$/ },
  { name: "checks", test: /src\/engine\/verdict\.ts$/ },
  { name: "create-form", test: /src\/commands\/forms\/create\.ts$/ },
  { name: "create-rule", test: /src\/engine\/forms\.ts$/ },
];

/** The chunks of the commands that `build/code-cache.ts` runs: they come with their compiled code. */
const precompiled = new Set(["run", "store", "shapes", "checks", "create-form", "create-rule", "rolldown-runtime"]);

/** Where the bundle goes: `node build/bundle.ts FOLDER` builds elsewhere. */
const dir = process.argv[2] ?? "dist";
rmSync(dir, { recursive: true, force: true });

const common: InputOptions = {
  platform: "node",
  // A library of machine code that not every machine has: it is looked for when it is needed.
  external: ["@napi-rs/keyring"],
  // No module of this program acts by being imported.
  treeshake: { moduleSideEffects: false },
  plugins: [lazyBuiltins()],
  transform: { define: { FORMCTL_VERSION: JSON.stringify(manifest.version) } },
};

const program = await rolldown({ ...common, input: { main: "src/main.ts" } });
await program.write({
  dir,
  // CommonJS: its loader is a good two milliseconds faster over these files than that of ES modules.
  format: "cjs",
  minify: true,
  entryFileNames: "[name].cjs",
  // Those of a short command stand beside the entry, whose `require` knows how to load them.
  chunkFileNames: ({ name }) => (precompiled.has(name) ? "[name]-[hash].cjs" : "chunks/[name]-[hash].cjs"),
  intro: ({ isEntry }) => (isEntry ? `require = (${precompiledRequire.toString()})(require, __dirname);` : ""),
  codeSplitting: {
    groups: groups.map((group, index) => ({ ...group, priority: groups.length - index })),
  },
});
await program.close();

const library = await rolldown({ ...common, input: { index: "src/index.ts" } });
await library.write({ dir, format: "esm", minify: true, chunkFileNames: "library/[name]-[hash].js" });
await library.close();

// The first page of help, as commander lays it out for a terminal of the usual width.
let help = "";
await readCommandLine(["--help"], { version: manifest.version, width: 80, out: (text) => (help += text) });
writeFileSync(join(dir, "help.txt"), help);

const codeCache = join(import.meta.dirname, "code-cache.ts");
// Compiled code is valid for a V8 with the same flags: the usual ones.
const env = { ...process.env, NODE_OPTIONS: "" };
execFileSync(process.execPath, [codeCache, dir], { env, stdio: ["ignore", "ignore", "inherit"] });
