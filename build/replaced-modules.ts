/** A bundler plugin: replaces modules of libraries that the program must not run, or whose load time it does not need. */

import { join } from "node:path";
import type { Plugin } from "rolldown";

const EMPTY = "\0empty";
const NO_COLOUR_DETECTION = "\0no-colour-detection";

const CODE: Record<string, string> = {
  [EMPTY]: "export {};",
  [NO_COLOUR_DETECTION]: "export default { stdout: false, stderr: false };",
};

/** The replacement of an import in the modules of a library, or in ours. */
function replacementOf(source: string, importer: string): string | undefined {
  // src/terminal/style.ts decides on colours. chalk's own detection takes 3 ms of every start.
  if (source === "#supports-color" && importer.includes("/node_modules/chalk/")) return NO_COLOUR_DETECTION;
  // Loaders that execute files of a project, and a second copy of js-yaml: src/config/project-file.ts has its own loaders.
  if (source === "./loaders" && importer.includes("/node_modules/cosmiconfig/")) return EMPTY;
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
