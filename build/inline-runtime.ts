/** A bundler plugin: copies the functions of the bundler into the CommonJS chunks that call them. */

import { basename } from "node:path";
import type { Plugin } from "rolldown";

/** The characters before or after a separate statement. `undefined` is the start or the end of a file. */
const ENDS: ReadonlySet<string | undefined> = new Set([";", "\n", undefined]);

/**
 * Removes the chunk with the bundler's functions, because each chunk takes half a millisecond to load. The functions
 * have no state, so each chunk can have a copy.
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
          // Most chunks load the functions without using them. Then the call is a separate statement.
          const isUnused = ENDS.has(code[start - 1]) && ENDS.has(code[start + call.length]);
          return isUnused ? "0" : copy;
        });
        if (file.code.includes(name)) throw new Error(`${file.fileName} loads ${name}`);
      }
      delete bundle[runtime.fileName];
    },
  };
}
