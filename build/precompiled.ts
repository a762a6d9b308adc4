/**
 * Creates the `require` function that loads chunks with their compiled code.
 *
 * Node's compile cache contains what V8 compiles while a file loads, which includes hardly any function body. So each
 * process compiles the functions that it calls, which takes a third of the time of a short command (`npm run
 * bench:startup`). The build therefore runs the short commands once (`build/code-cache.ts`) and saves everything that
 * V8 compiled.
 */

import type { Script } from "node:vm";

type Load = (id: string) => unknown;
type Run = (exports: unknown, require: Load, module: unknown, filename: string, dirname: string) => void;

/**
 * Returns a function that loads the chunks in the folder of the entry with their compiled code, which is valid for one
 * version of Node. Chunks without compiled code, and all other modules, are loaded by the `require` of Node.
 *
 * The entry of the bundle starts with the source text of this function, so the function uses nothing else of this
 * module.
 *
 * @param onCompile called with each chunk that has no compiled code yet, and with the file for the code
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
    // The bundle is ASCII, and text with one byte per character is read faster.
    const code = fs.readFileSync(filename, "latin1");
    const source = `(function (exports, require, module, __filename, __dirname) { ${code}\n})`;
    const script = new vm.Script(source, { filename, cachedData });
    if (!cachedData) onCompile?.(script, codeFile);
    // Without a prototype, the object is a hash table to V8. To add 400 exports to another one takes half a millisecond.
    const module = { exports: Object.create(null) as unknown, loaded: true } as NodeJS.Module;
    // Chunks that Node loads find this chunk in the cache of Node.
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
