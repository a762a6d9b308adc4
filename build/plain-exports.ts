/** A bundler plugin: an export of a shared chunk becomes a plain property if it is never assigned again. */

import type { Plugin } from "rolldown";

const GETTER =
  /^Object\.defineProperty\(exports, ("\w+"), \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm;
const DECLARATION = /^(const|class|var|(?:async )?function\*?) ([\w$]+)/gm;
const ASSIGNMENT = /(?<![.\w$])([\w$]+)(?: (?:[-+*/%&|^?<>]{1,3})?= |\+\+|--)/g;

/**
 * Replaces the getters that the bundler creates for the exports of a shared chunk. An export needs a getter only if its
 * module assigns to the variable again.
 *
 * The chunk of the frequent commands has 400 exports. Creating their getters would take a millisecond at each start.
 */
export function plainExports(): Plugin {
  return {
    name: "plain-exports",
    renderChunk(code) {
      const assignments = new Map<string, number>();
      for (const [, name = ""] of code.matchAll(ASSIGNMENT)) assignments.set(name, (assignments.get(name) ?? 0) + 1);
      const constants = new Set<string>();
      for (const [, keyword = "", name = ""] of code.matchAll(DECLARATION))
        if (keyword === "const" || (assignments.get(name) ?? 0) === (keyword === "var" ? 1 : 0)) constants.add(name);
      return code.replace(GETTER, (getter, key: string, name: string) =>
        constants.has(name) ? `exports[${key}] = ${name};` : getter,
      );
    },
  };
}
