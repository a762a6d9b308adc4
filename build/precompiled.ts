/**
 * Creates the `require` function that loads chunks with their compiled code.
 *
 * Node's compile cache contains hardly any function body, because it is filled while a file loads. So each process
 * would compile the functions that it calls. This compilation takes a third of the time of a short command (`npm run
 * bench:startup`). The build therefore runs the short commands once, and saves all code that V8 compiled
 * (`build/code-cache.ts`).
 */

import type { Script } from "node:vm";

type Load = (id: string) => unknown;
type Run = (exports: unknown, require: Load, module: unknown, filename: string, dirname: string) => void;

/**
 * Returns a function that loads the chunks in the folder of the entry with their compiled code. The compiled code is
 * valid for one version of Node. The `require` of Node loads all other modules, and the chunks without compiled code.
 *
 * The entry of the bundle contains the source text of this function. So the function must not use anything else in this
 * module.
 *
 * @param onCompile called with each chunk without compiled code, and with the file for its code
 */
export function precompiledRequire(
  require: NodeJS.Require,
  folder: string,
  onCompile?: (script: Script, codeFile: string) => void,
): Load {
  const fs = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");

  function load(id: string): unknown {
    if (!/^\.\/[^/]+$/.test(id)) return require(id);
    const filename = folder + path.sep + id.slice("./".length);
    const known = require.cache[filename];
    if (known) return known.exports;
    const codeFile = `${filename}.${process.version}-${process.platform}-${process.arch}`;
    const cachedData = readIfExists(codeFile);
    if (!cachedData && !onCompile) return require(id);

    const vm = process.getBuiltinModule("node:vm");
    // The bundle is ASCII. Node decodes `latin1` faster than UTF-8.
    const code = fs.readFileSync(filename, "latin1");
    const source = `(function (exports, require, module, __filename, __dirname) { ${code}\n})`;
    const script = new vm.Script(source, { filename, cachedData });
    if (!cachedData) onCompile?.(script, codeFile);
    // V8 treats an object without a prototype as a hash table. Adding 400 exports to an ordinary object takes half a
    // millisecond.
    const module = { exports: Object.create(null) as unknown, loaded: true } as NodeJS.Module;
    // A chunk that Node loads finds this chunk in the cache of Node.
    require.cache[filename] = module;
    const run = script.runInThisContext() as Run;
    run(module.exports, load, module, filename, folder);
    return module.exports;
  }

  function readIfExists(file: string): Buffer | undefined {
    try {
      return fs.readFileSync(file);
    } catch {
      return undefined;
    }
  }

  return load;
}
