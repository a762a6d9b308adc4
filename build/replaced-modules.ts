/** A bundler plugin: modules of libraries that the program must not run, or pays for without a use, are replaced. */

import type { Plugin } from "rolldown";

const REPLACED = [
  // src/terminal/style.ts decides on colours. chalk's own detection takes 3 ms of every start.
  { library: "chalk", source: "#supports-color", code: "export default { stdout: false, stderr: false };" },
  // Loaders that execute the files of a project, and a second copy of js-yaml. src/config/project-file.ts has its own.
  { library: "cosmiconfig", source: "./loaders", code: "export {};" },
];

export function replacedModules(): Plugin {
  return {
    name: "replaced-modules",
    resolveId(source, importer) {
      const index = REPLACED.findIndex(
        (each) => each.source === source && importer?.includes(`/node_modules/${each.library}/`),
      );
      return index === -1 ? undefined : { id: `\0replaced:${index}`, moduleSideEffects: false };
    },
    load(id) {
      const [, index] = /^\0replaced:(\d+)$/.exec(id) ?? [];
      return index === undefined ? undefined : REPLACED[Number(index)]!.code;
    },
  };
}
