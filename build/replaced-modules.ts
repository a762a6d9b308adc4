/**
 * A bundler plugin: replaces modules of libraries. Some modules must not run in the program. Other modules would cost
 * load time without being needed.
 */

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "rolldown";

const require = createRequire(import.meta.url);

const EMPTY = "\0empty";
const NO_COLOUR_DETECTION = "\0no-colour-detection";
const LAZY_HTTP2 = "\0lazy-http2";
const UNUSED_TYPES = "\0unused-types";
const LAZY_CHALK = "\0lazy-chalk";
const SLOWLY_OPTIMIZED_PARSER = "\0slowly-optimized-parser";

/**
 * How much a WebAssembly function executes before V8 optimizes the function, as a multiple of the default.
 *
 * The first few HTTP responses reach the default. A process ends only after V8 has finished the optimization: a command
 * with two requests waited about 45 ms for unused code. Commands with hundreds of requests still get optimized code.
 */
const OPTIMIZE_LATER = 50;

const TIERING_FLAG = "--wasm-tiering-budget";

const CODE: Record<string, string> = {
  [EMPTY]: "export {};",
  [NO_COLOUR_DETECTION]: "export default { stdout: false, stderr: false };",
  // pg calls this function once, while pg loads.
  [UNUSED_TYPES]: "export const getTypeParser = () => String;",
  [LAZY_HTTP2]: `module.exports = (...args) => require(${JSON.stringify(require.resolve("undici/lib/dispatcher/client-h2.js"))})(...args);`,
  [LAZY_CHALK]: `module.exports = { get Chalk() { return require(${JSON.stringify(fileURLToPath(import.meta.resolve("chalk")))}).Chalk; } };`,
  // undici requires this module and compiles the parser in the same turn. V8 remembers the flag for each WebAssembly
  // module, so a microtask can restore the flag. Without the restoration, V8 would reject code that was compiled under
  // the default flags.
  //
  // The flag is set only in the V8 version of the build. Another version may not know the flag, and would print an
  // error.
  [SLOWLY_OPTIMIZED_PARSER]: `
    if (process.versions.v8 === "${process.versions.v8}") {
      const { setFlagsFromString } = process.getBuiltinModule("node:v8");
      setFlagsFromString("${TIERING_FLAG}=${defaultBudget() * OPTIMIZE_LATER}");
      queueMicrotask(() => setFlagsFromString("${TIERING_FLAG}=${defaultBudget()}"));
    }
    module.exports = require(${JSON.stringify(require.resolve("undici/lib/llhttp/llhttp_simd-wasm.js"))});`,
};

/**
 * The table of the Unicode property takes half a millisecond to build. `\w` suffices, because all flags of formctl are
 * ASCII.
 */
const ASCII_FLAGS = [String.raw`\p{ID_Continue}`, String.raw`\w`] as const;

/** Returns the default value of TIERING_FLAG in the Node that builds the bundle. */
function defaultBudget(): number {
  const options = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  const [, value] = new RegExp(`default: ${TIERING_FLAG}=(\\d+)`).exec(options) ?? [];
  if (value === undefined) throw new Error(`node --v8-options has no ${TIERING_FLAG}`);
  return Number(value);
}

/**
 * Returns the replacement of an import. Returns `undefined` to keep the import. The importing module belongs to a
 * library or to formctl.
 */
function replacementOf(source: string, importer: string, isProgram: boolean): string | undefined {
  // chalk takes half a millisecond to load, and output without colours does not need it.
  if (source === "chalk") return LAZY_CHALK;
  // src/terminal/style.ts decides on colours. chalk's own detection takes 3 ms of every start.
  if (source === "#supports-color" && importer.includes("/node_modules/chalk/")) return NO_COLOUR_DETECTION;
  // The program uses only the synchronous explorer of cosmiconfig, with loaders from src/config/project-file.ts. The
  // asynchronous explorer would load `fs/promises`. The loaders of cosmiconfig would execute files of the project. They
  // also contain a second copy of js-yaml.
  if (/^\.\/(loaders|Explorer\.js)$/.test(source) && importer.includes("/node_modules/cosmiconfig/")) return EMPTY;
  // `node:http2` takes 3 ms to load, and most connections are not HTTP/2.
  if (source === "./client-h2.js" && importer.includes("/node_modules/undici/")) return LAZY_HTTP2;
  if (isProgram && source === "../llhttp/llhttp_simd-wasm.js" && importer.endsWith("client-h1.js"))
    return SLOWLY_OPTIMIZED_PARSER;
  // src/store/postgres/connection.ts converts all values, and passes the parts of the URL and the password to pg. The
  // native driver and Cloudflare's sockets are not used.
  if (importer.includes("/node_modules/pg/")) {
    if (source === "pg-types") return UNUSED_TYPES;
    if (/^(\.\/native|pg-cloudflare|pg-connection-string|pgpass)$/.test(source)) return EMPTY;
  }
  if (source === "undici") return join(import.meta.dirname, "undici-parts.cjs");
  return undefined;
}

/**
 * Creates the plugin.
 *
 * @param options.isProgram false for the library: the library must not change the flags of V8 in its user's process
 */
export function replacedModules({ isProgram }: { isProgram: boolean }): Plugin {
  return {
    name: "replaced-modules",
    resolveId(source, importer = "") {
      const id = replacementOf(source, importer, isProgram);
      return id === undefined ? undefined : { id, moduleSideEffects: false };
    },
    load(id) {
      return CODE[id];
    },
    transform(code, id) {
      if (!id.endsWith("/commander/lib/option.js")) return undefined;
      const changed = code.replace(...ASCII_FLAGS);
      if (changed === code) throw new Error(`${id} does not contain ${ASCII_FLAGS[0]}`);
      return changed;
    },
  };
}
