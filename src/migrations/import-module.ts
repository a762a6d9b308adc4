/**
 * Imports the module of a migration. If the module imports `formctl`, it gets the exports of the running program, so
 * `instanceof ServiceError` works. The package `formctl` need not be installed.
 */

import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { staysInside } from "../disk/links.ts";
import { refusePlanted } from "../disk/owners.ts";

const PACKAGE = "formctl";
/** The URL of a module with the exports of the library. */
const LIBRARY_URL = "formctl:library";
/** The URL of a module that exports the `import` of Node. */
const IMPORT_URL = "formctl:import";
/** The name of the global variable that passes the exports to the module at `LIBRARY_URL`. */
const EXPORTS = "formctl.library";

/** The global object, with the exports of the library. */
type Globals = Record<symbol, object | undefined>;

/**
 * Imports a module with the `import` of Node. A bundler or test runner would replace an `import` in this file by its
 * own.
 */
let nodeImport: ((url: string) => Promise<object>) | undefined;

/**
 * Imports a module of JavaScript or TypeScript.
 *
 * @param version changes when the file changes, so that a changed file is imported again
 * @param library the exports of the package formctl
 * @throws FILE_UNFIT if another user may have planted the module, or one that it imports
 */
export async function importModule(path: string, version: string, library: object): Promise<object> {
  (globalThis as unknown as Globals)[Symbol.for(EXPORTS)] = library;
  nodeImport ??= hookedImport();
  return nodeImport(`${pathToFileURL(path).href}?${version}`);
}

function hookedImport(): (url: string) => Promise<object> {
  registerHooks({
    resolve(specifier, context, next) {
      const isOurs = specifier === PACKAGE && !context.parentURL?.includes("/node_modules/");
      if (isOurs || specifier === IMPORT_URL)
        return { url: isOurs ? LIBRARY_URL : IMPORT_URL, format: "module", shortCircuit: true };
      const resolved = next(specifier, context);
      if (resolved.url.startsWith("file:")) {
        const file = fileURLToPath(resolved.url);
        for (const path of [file, ...pathsTo(file, specifier, context.parentURL)]) refusePlanted(path);
      }
      return resolved;
    },
    load(url, context, next) {
      const source =
        url === LIBRARY_URL ? librarySource() : url === IMPORT_URL ? "export default (url) => import(url);" : undefined;
      return source === undefined ? next(url, context) : { format: "module", source, shortCircuit: true };
    },
  });
  const loaded = createRequire(import.meta.url)(IMPORT_URL) as { default: (url: string) => Promise<object> };
  return loaded.default;
}

/**
 * Returns the paths at which Node may have found a file. Node follows links, so the path of the file does not show that
 * another user has planted a link to it. Node also finds packages in the folders above the project.
 */
function pathsTo(file: string, specifier: string, parent: string | undefined): string[] {
  if (!parent?.startsWith("file:")) return [];
  if (/^\.{0,2}\//.test(specifier)) return [fileURLToPath(new URL(specifier, parent))];
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? "";
  const folders = createRequire(parent).resolve.paths(specifier) ?? [];
  return folders.map((folder) => join(folder, name)).filter((path) => staysInside(path, file));
}

/** Returns a module that exports every member of the library under its name. */
function librarySource(): string {
  const library = (globalThis as unknown as Globals)[Symbol.for(EXPORTS)]!;
  const shared = `globalThis[Symbol.for(${JSON.stringify(EXPORTS)})]`;
  return `export const { ${Object.keys(library).join(", ")} } = ${shared};`;
}
