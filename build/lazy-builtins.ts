/** A bundler plugin: loads a builtin module of Node on its first use instead of on its import. */

import { builtinModules, createRequire } from "node:module";
import type { Plugin } from "rolldown";

const require = createRequire(import.meta.url);
const builtins = new Set([...builtinModules.map((name) => name.replace(/^node:/, "")), "sqlite"]);
const isIdentifier = /^[A-Za-z_$][\w$]*$/;
const reserved = new Set(["default", "delete", "import", "export"]);

/**
 * Replaces each builtin module by small functions. Each function calls `process.getBuiltinModule` when it is called.
 *
 * An `import` of a builtin module reads every export. Reading runs the lazy getters, which doubles the start-up time of
 * a short command (`npm run bench:startup`).
 */
export function lazyBuiltins(): Plugin {
  return {
    name: "lazy-builtins",
    resolveId(source, _importer, options) {
      const name = source.replace(/^node:/, "");
      if (!builtins.has(name) || source.startsWith(".")) return undefined;
      return {
        id: `\0builtin:${options.kind === "require-call" ? "cjs" : "esm"}:${name}`,
        moduleSideEffects: false,
      };
    },
    load(id) {
      if (!id.startsWith("\0builtin:")) return undefined;
      const [, kind, name] = id.split(":") as [string, "cjs" | "esm", string];
      return kind === "cjs" ? `module.exports = process.getBuiltinModule("node:${name}")` : esmShim(name);
    },
  };
}

function esmShim(name: string): string {
  const module = require(`node:${name}`) as Record<string, unknown>;
  const names = Object.getOwnPropertyNames(module).filter((key) => isIdentifier.test(key) && !reserved.has(key));
  const lines = [
    // The name `$builtin` can't collide with an export. A name such as `get` would collide with an export of http.
    `const $builtin = () => process.getBuiltinModule("node:${name}");`,
    `const lazy = /*@__PURE__*/ new Proxy({}, { get: (_, key) => $builtin()[key], has: (_, key) => key in $builtin() });`,
    name === "process" || name === "events" ? "export default /*@__PURE__*/ $builtin();" : "export default lazy;",
  ];
  for (const key of names) {
    lines.push(
      isPlainFunction(module, key)
        ? `export function ${key}(...args) { return $builtin().${key}(...args); }`
        : `export const ${key} = /*@__PURE__*/ (() => $builtin().${key})();`,
    );
  }
  return lines.join("\n");
}

/**
 * Whether an export may be wrapped in a function. Classes and constants may not. They are recognized by the capital
 * letter at the start of their name.
 */
function isPlainFunction(module: Record<string, unknown>, key: string): boolean {
  // Reads the descriptor, because some getters print a deprecation warning.
  const value: unknown = Object.getOwnPropertyDescriptor(module, key)?.value;
  // A wrapper would hide the members of a function, such as `realpathSync.native`.
  return !/^[A-Z_]/.test(key) && typeof value === "function" && Object.keys(value).length === 0;
}
