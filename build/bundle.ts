/**
 * Bundles `src/` into a folder: `node build/bundle.ts FOLDER`. The bundle is a small entry, and chunks that commands load
 * on demand. `build.ts` runs it.
 */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
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
 * The precompiled chunks. The build saves the code that V8 compiles for them (`build/code-cache.ts`). All other chunks
 * load on demand.
 *
 * Opening a file costs half a millisecond. A function that is never called costs almost nothing. So a chunk contains
 * all modules that a frequent command needs together. The database is not in the first chunk, because help does not
 * load the database.
 */
const precompiled = {
  run: /src\/(execute|system-host|service|local-service|local-store|commands\/(program|addresses|lookups|forms\/list|currencies\/list)|engine\/currency-catalog|terminal\/table|schemas\/(words|path))\.ts$/,
  store: /src\/(engine\/form-reads|store\/sqlite)\.ts$/,
  shapes: /src\/schemas\/(shape|page)\.ts$/,
  "create-form": /src\/commands\/forms\/create\.ts$/,
  // This chunk is separate from `create-rule`: a command that checks a draft locally does not load a database.
  checks: /src\/engine\/verdict\.ts$/,
  "create-rule": /src\/engine\/forms\.ts$/,
  "project-file":
    /(node_modules\/cosmiconfig\/dist\/(index|defaults)\.js|src\/documents\/(document|located-error)\.ts)$/,
  client: /src\/(client\/(http-service|undici-fetch)|config\/token|commands\/forms\/get)\.ts$/,
  undici: /build\/undici-parts\.cjs$/,
};
const isPrecompiled = (chunk: string) => Object.hasOwn(precompiled, chunk);

const dir = process.argv[2]!;

const notices = thirdPartyNotices();

/**
 * Escapes all characters outside ASCII. V8 reads and compiles code faster if each character is one byte. In minified
 * code, only literals have such characters.
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
  // An optional native module. The program requires it on first use.
  external: ["@napi-rs/keyring"],
  // Importing a module has no side effects.
  treeshake: { moduleSideEffects: false },
  plugins: [lazyBuiltins(), replacedModules({ isProgram }), notices.plugin, plainExports(), inlineRuntime(), asciiOnly],
  transform: {
    define: {
      FORMCTL_VERSION: JSON.stringify(manifest.version),
      // Excludes the second HTTP parser of undici, which only an environment variable would select.
      esbuildDetection: "true",
    },
  },
  // Suppresses a warning about modules that one chunk imports and another chunk loads on demand.
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
  // The `require` of the entry looks for precompiled chunks only in the folder of the entry.
  chunkFileNames: ({ name }) => (isPrecompiled(name) ? "[name]-[hash].cjs" : "chunks/[name]-[hash].cjs"),
  intro: ({ isEntry }) => (isEntry ? `require = (${precompiledRequire.toString()})(require, __dirname);` : ""),
  codeSplitting: {
    // A module that several groups need belongs to the first of these groups in `precompiled`.
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

// The output of `formctl --help` for a terminal of 80 columns. src/main.ts prints this text.
let help = "";
await readCommandLine(["--help"], { version: manifest.version, width: 80, out: (text) => (help += text) });
writeFileSync(join(dir, "help.txt"), help);

const codeCache = join(import.meta.dirname, "code-cache.ts");
// V8 accepts compiled code only under the flags of the compilation: the default flags. `FORMCTL_` variables are
// removed, because they are the developer's settings.
const own = Object.entries(process.env).filter(([name]) => !name.startsWith("FORMCTL_"));
const env = { ...Object.fromEntries(own), NODE_OPTIONS: "" };
execFileSync(process.execPath, [codeCache, dir], { env, stdio: ["ignore", "ignore", "inherit"] });
