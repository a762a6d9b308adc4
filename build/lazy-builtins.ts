/** A bundler plugin: Node's builtin modules are looked up when they are first used, not when they are imported. */

import { builtinModules, createRequire } from "node:module";
import type { Plugin } from "rolldown";

const require = createRequire(import.meta.url);
const builtins = new Set([...builtinModules.map((name) => name.replace(/^node:/, "")), "sqlite"]);
const isIdentifier = /^[A-Za-z_$][\w$]*$/;
const reserved = new Set(["default", "delete", "import", "export"]);

/**
 * An `import` of a builtin reads every export and so fires its lazy getters, which doubles the start-up of a small
 * command (`npm run bench:startup` shows it). Here each builtin becomes a module of small functions that ask
 * `process.getBuiltinModule` when they are called.
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
    // No builtin exports a name like this one; http has a `get`.
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

/** A capital letter marks a class or a constant: those are read as they are, not wrapped. */
function isPlainFunction(module: Record<string, unknown>, key: string): boolean {
  // A getter is not fired to find out: some of them warn that they are deprecated.
  const value: unknown = Object.getOwnPropertyDescriptor(module, key)?.value;
  // One that has members of its own, as `realpathSync.native`, is read as it is too: a wrapper would hide them.
  return !/^[A-Z_]/.test(key) && typeof value === "function" && Object.keys(value).length === 0;
}
