/**
 * A `require` for chunks with precompiled code.
 *
 * The compile cache of Node contains only what V8 compiles while a file loads, which excludes most function bodies. Each process
 * compiled the functions that it called, which was a third of the time of a short command (`npm run bench:startup`). So the
 * build runs the short commands once (`build/code-cache.ts`) and stores everything that V8 has compiled.
 */

import type { Script } from "node:vm";

type Load = (id: string) => unknown;
type Run = (exports: unknown, require: Load, module: unknown, filename: string, dirname: string) => void;

/**
 * Loads the chunks next to the entry with the code that was compiled for this version of Node. Without such code, and for all
 * other modules, it calls Node's `require`.
 *
 * The entry of the bundle starts with the text of this function, which therefore uses only its arguments.
 *
 * @param onCompile called for a chunk without such code, with the path of the expected file
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
    const cachedData = readIfThere(codeFile);
    if (!cachedData && !onCompile) return require(id);

    const vm = process.getBuiltinModule("node:vm");
    const code = fs.readFileSync(filename, "latin1");
    const source = `(function (exports, require, module, __filename, __dirname) { ${code}\n})`;
    const script = new vm.Script(source, { filename, cachedData });
    if (!cachedData) onCompile?.(script, codeFile);
    // Other chunks may ask for this one in Node's way, and must get the same.
    const module = { exports: {}, loaded: true } as NodeJS.Module;
    require.cache[filename] = module;
    const run = script.runInThisContext() as Run;
    run(module.exports, load, module, filename, folder);
    return module.exports;
  }

  function readIfThere(file: string): Buffer | undefined {
    try {
      return fs.readFileSync(file);
    } catch {
      return undefined;
    }
  }

  return load;
}
