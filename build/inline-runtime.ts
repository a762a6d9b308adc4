/** A bundler plugin: copies the functions of the bundler into the CommonJS chunks that call them. */

import { basename } from "node:path";
import type { Plugin } from "rolldown";

/** What ends a statement; undefined at the start and the end of a file. */
const ENDS: ReadonlySet<string | undefined> = new Set([";", "\n", undefined]);

/**
 * Removes the chunk with the functions of the bundler, because each chunk takes half a millisecond to load. The
 * functions have no state, so there may be copies of them.
 */
export function inlineRuntime(): Plugin {
  return {
    name: "inline-runtime",
    generateBundle({ format }, bundle) {
      const runtime = Object.values(bundle).find((file) => file.name === "rolldown-runtime");
      if (format !== "cjs" || runtime?.type !== "chunk") return;
      const name = basename(runtime.fileName);
      const load = new RegExp(`require\\("[./a-z]+${name.replaceAll(".", "\\.")}"\\)`, "g");
      const copy = `(exports=>{${runtime.code.trim()};return exports})({})`;
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const { code } = file;
        file.code = code.replace(load, (call, start: number) => {
          // Most chunks load the functions and use none of them: the call is a statement of its own.
          const isUnused = ENDS.has(code[start - 1]) && ENDS.has(code[start + call.length]);
          return isUnused ? "0" : copy;
        });
        if (file.code.includes(name)) throw new Error(`${file.fileName} loads ${name}`);
      }
      delete bundle[runtime.fileName];
    },
  };
}
