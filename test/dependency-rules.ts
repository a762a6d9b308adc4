/** The rules for the use of dependencies and of the engine: only what they document. */

import { existsSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

const ROOT = join(import.meta.dirname, "..");

/** Paths that a package without `exports` documents. */
const DOCUMENTED = new Set(["ajv/dist/2020.js"]);

/** Names with an underscore that zod documents, and a member of recordings, whose format requires the underscore. */
const DOCUMENTED_MEMBERS = new Set(["_default", "_error"]);

/** The functions that change their first argument. */
const CHANGES = /^(Object|Reflect)\.(assign|defineProperty|defineProperties|set|setPrototypeOf)$/;

/** Returns the violations of the rules in a file, in the order of the rules. */
export function violations(file: string, code: string): string[] {
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const text = ({ start, end }: { start: number; end: number }) => code.slice(start, end);
  const found: string[] = [];
  const importing = (source: { value: unknown } | null) => {
    if (source && isPrivatePath(String(source.value))) found.push(`imports ${String(source.value)}`);
  };
  const changing = (target: string) => {
    if (/\.prototype\b|\b__proto__\b/.test(target)) found.push(`changes ${target}`);
  };
  new Visitor({
    ImportDeclaration: ({ source }) => importing(source),
    ExportNamedDeclaration: ({ source }) => importing(source),
    ExportAllDeclaration: ({ source }) => importing(source),
    ImportExpression: ({ source }) => source.type === "Literal" && importing(source),
    CallExpression({ callee, arguments: [first] }) {
      if (first === undefined) return;
      if (first.type === "Literal" && /^(require|require\.resolve|import\.meta\.resolve)$/.test(text(callee)))
        importing(first);
      if (CHANGES.test(text(callee))) changing(text(first));
    },
    AssignmentExpression: ({ left }) => changing(text(left)),
    MemberExpression({ property }) {
      const name = property.type === "Literal" ? String(property.value) : text(property);
      if (/^_[a-z]/i.test(name) && !DOCUMENTED_MEMBERS.has(name)) found.push(`uses the member ${name}`);
      if (name === "setFlagsFromString") found.push(`uses ${name}`);
    },
    ImportSpecifier({ imported }) {
      if (text(imported) === "setFlagsFromString") found.push("uses setFlagsFromString");
    },
    Property({ key }) {
      if (text(key) === "setFlagsFromString") found.push("uses setFlagsFromString");
    },
  }).visit(program);
  return found;
}

/** Whether an import leads to a path inside a package that the package does not name in its `exports`. */
function isPrivatePath(source: string): boolean {
  const [, name, path] = /^(@[^/]+\/[^/]+|[^@./#][^/]*)\/(.+)$/.exec(source) ?? [];
  if (name === undefined || isBuiltin(source) || /^(node|file):/.test(source) || DOCUMENTED.has(source)) return false;
  const manifest = join(ROOT, "node_modules", name, "package.json");
  if (!existsSync(manifest)) return true;
  const { exports } = JSON.parse(readFileSync(manifest, "utf8")) as { exports?: Record<string, unknown> };
  const patterns = Object.keys(exports ?? {}).filter((key) => key.startsWith("./"));
  return !patterns.some((pattern) => {
    const [start = "", end] = pattern.slice(2).split("*");
    return end === undefined ? path === start : path!.startsWith(start) && path!.endsWith(end);
  });
}
