/**
 * A bundler plugin: replaces modules of libraries that the program must not run, or whose load time it does not need.
 */

import { createRequire } from "node:module";
import { join } from "node:path";
import type { Plugin } from "rolldown";

const require = createRequire(import.meta.url);

const EMPTY = "\0empty";
const NO_COLOUR_DETECTION = "\0no-colour-detection";
const LAZY_HTTP2 = "\0lazy-http2";

const CODE: Record<string, string> = {
  [EMPTY]: "export {};",
  [NO_COLOUR_DETECTION]: "export default { stdout: false, stderr: false };",
  [LAZY_HTTP2]: `module.exports = (...args) => require(${JSON.stringify(require.resolve("undici/lib/dispatcher/client-h2.js"))})(...args);`,
};

/** Returns the replacement of an import, which may be in a module of a library or of formctl; undefined to keep it. */
function replacementOf(source: string, importer: string): string | undefined {
  // src/terminal/style.ts decides on colours. chalk's own detection takes 3 ms of every start.
  if (source === "#supports-color" && importer.includes("/node_modules/chalk/")) return NO_COLOUR_DETECTION;
  // The program uses only the synchronous explorer of cosmiconfig, with its own loaders (src/config/project-file.ts).
  // The other explorer loads `fs/promises`. The loaders of cosmiconfig execute files of the project and contain a
  // second copy of js-yaml.
  if (/^\.\/(loaders|Explorer\.js)$/.test(source) && importer.includes("/node_modules/cosmiconfig/")) return EMPTY;
  // `node:http2` takes 3 ms to load, and most connections are not HTTP/2.
  if (source === "./client-h2.js" && importer.includes("/node_modules/undici/")) return LAZY_HTTP2;
  if (source === "undici") return join(import.meta.dirname, "undici-parts.cjs");
  return undefined;
}

export function replacedModules(): Plugin {
  return {
    name: "replaced-modules",
    resolveId(source, importer = "") {
      const id = replacementOf(source, importer);
      return id === undefined ? undefined : { id, moduleSideEffects: false };
    },
    load(id) {
      return CODE[id];
    },
  };
}
