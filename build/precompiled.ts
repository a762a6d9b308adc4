/**
 * `require` for chunks that come with what V8 has compiled of them.
 *
 * Node's own compile cache holds what V8 compiles while a file loads, and that is hardly a function's body: each process
 * compiled again what it called, which was a third of what a short command took (`npm run bench:startup`). So the build
 * runs the short commands once (`build/code-cache.ts`) and keeps all that V8 had compiled by then.
 */

import type { Script } from "node:vm";

type Load = (id: string) => unknown;
type Run = (exports: unknown, require: Load, module: unknown, filename: string, dirname: string) => void;

/**
 * Loads the chunks that stand beside the entry with the code that was kept for this very Node. Where none was, because
 * another Node built the program, and for anything else, Node's own `require` does it.
 *
 * The entry of the bundle begins with the text of this function, which therefore uses nothing but its arguments.
 *
 * @param onCompile is told of a chunk that has no such code yet, and of the file where it is looked for
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
