/** Bundles `src/` into `dist/`: a small entry, and a chunk for each command that loads when the command runs. */

import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type InputOptions, type Plugin, rolldown } from "rolldown";
import { inlineRuntime } from "./inline-runtime.ts";
import { lazyBuiltins } from "./lazy-builtins.ts";
import { plainExports } from "./plain-exports.ts";
import { precompiledRequire } from "./precompiled.ts";
import { replacedModules } from "./replaced-modules.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";
import { readCommandLine } from "../src/commands/program.ts";
import manifest from "../package.json" with { type: "json" };

/**
 * The chunks that are precompiled. Opening a file costs half a millisecond, and a function that is never called costs
 * almost nothing, so the modules that a frequent command needs together share a chunk. The database is not in the first
 * chunk, because help does not load it.
 *
 * The build saves the code that V8 compiles for these chunks (`build/code-cache.ts`). All other chunks load on demand.
 */
const precompiled = {
  run: /src\/(execute|system-host|service|local-service|local-store|commands\/(program|addresses|lookups|forms\/list|currencies\/list)|engine\/currency-catalog|terminal\/table|schemas\/(words|path))\.ts$/,
  store: /src\/(engine\/form-reads|store\/sqlite)\.ts$/,
  shapes: /src\/schemas\/(shape|page)\.ts$/,
  "create-form": /src\/commands\/forms\/create\.ts$/,
  // Separate from `create-rule`: a command that checks a draft locally loads no database.
  checks: /src\/engine\/verdict\.ts$/,
  "create-rule": /src\/engine\/forms\.ts$/,
  "project-file":
    /(node_modules\/cosmiconfig\/dist\/(index|defaults)\.js|src\/documents\/(document|located-error)\.ts)$/,
  client: /src\/(client\/(http-service|undici-fetch)|config\/token|commands\/forms\/get)\.ts$/,
  undici: /build\/undici-parts\.cjs$/,
};
const isPrecompiled = (chunk: string) => Object.hasOwn(precompiled, chunk);

/** The output folder: `node build/bundle.ts FOLDER`. */
const dir = process.argv[2] ?? "dist";
rmSync(dir, { recursive: true, force: true });

const notices = thirdPartyNotices();

/**
 * Escapes all characters outside ASCII, because code with one byte per character is read and compiled faster. In
 * minified code only literals have such characters.
 */
const asciiOnly: Plugin = {
  name: "ascii-only",
  generateBundle(_options, bundle) {
    const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
  },
};

const common = ({ isProgram }: { isProgram: boolean }): InputOptions => ({
  platform: "node",
  // An optional native module: it is required when it is used.
  external: ["@napi-rs/keyring"],
  // Importing a module has no side effects.
  treeshake: { moduleSideEffects: false },
  plugins: [lazyBuiltins(), replacedModules({ isProgram }), notices.plugin, plainExports(), inlineRuntime(), asciiOnly],
  transform: {
    define: {
      FORMCTL_VERSION: JSON.stringify(manifest.version),
      // Leaves out the second HTTP parser of undici, which only an environment variable selects.
      esbuildDetection: "true",
    },
  },
  // Suppresses a warning about modules that one chunk imports and another loads on demand: this is intended.
  checks: { ineffectiveDynamicImport: false },
  onLog(level, log) {
    if (level === "warn") throw new Error(log.message);
  },
});

const program = await rolldown({ ...common({ isProgram: true }), input: { main: "src/main.ts" } });
const { output } = await program.write({
  dir,
  // Node loads these files two milliseconds faster as CommonJS than as ES modules.
  format: "cjs",
  minify: true,
  entryFileNames: "[name].cjs",
  // The `require` of the entry loads the precompiled chunks, which it finds in its own folder.
  chunkFileNames: ({ name }) => (isPrecompiled(name) ? "[name]-[hash].cjs" : "chunks/[name]-[hash].cjs"),
  intro: ({ isEntry }) => (isEntry ? `require = (${precompiledRequire.toString()})(require, __dirname);` : ""),
  codeSplitting: {
    // A module that several groups need belongs to the first of these groups.
    groups: Object.entries(precompiled).map(([name, test], index) => ({ name, test, priority: 100 - index })),
  },
});
await program.close();
const missing = Object.keys(precompiled).filter((name) => !output.some((file) => file.name === name));
if (missing.length > 0) throw new Error(`no module matches the chunks ${missing.join(", ")}`);

const library = await rolldown({ ...common({ isProgram: false }), input: { index: "src/index.ts" } });
await library.write({ dir, format: "esm", minify: true, chunkFileNames: "library/[name]-[hash].js" });
await library.close();

writeFileSync(join(dir, "THIRD-PARTY-NOTICES.txt"), notices.text());

// The output of `formctl --help` for a terminal of 80 columns, which src/main.ts prints.
let help = "";
await readCommandLine(["--help"], { version: manifest.version, width: 80, out: (text) => (help += text) });
writeFileSync(join(dir, "help.txt"), help);

const codeCache = join(import.meta.dirname, "code-cache.ts");
// V8 accepts compiled code only with the flags it was compiled with: here, the defaults. Settings of the developer, such
// as the target, are left out.
const own = Object.entries(process.env).filter(([name]) => !name.startsWith("FORMCTL_"));
const env = { ...Object.fromEntries(own), NODE_OPTIONS: "" };
execFileSync(process.execPath, [codeCache, dir], { env, stdio: ["ignore", "ignore", "inherit"] });
