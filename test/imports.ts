/** The imports of files: of sources, of the built program and library, and of type declarations. */

import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "rolldown/utils";

/** Returns the names of the packages and the paths that a file imports or requires, also those of types. */
export function importsOf(file: string): string[] {
  const code = readFileSync(file, "utf8");
  const { program, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const found = new Set<string>();
  // A minified literal may be a template.
  const add = (source: { type: string; start: number; end: number } | null | undefined) => {
    if (source && /^(Template)?Literal$/.test(source.type)) found.add(code.slice(source.start + 1, source.end - 1));
  };
  new Visitor({
    ImportDeclaration: ({ source }) => add(source),
    ExportNamedDeclaration: ({ source }) => add(source),
    ExportAllDeclaration: ({ source }) => add(source),
    ImportExpression: ({ source }) => add(source),
    TSImportType: ({ source }) => add(source),
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === "Identifier" && callee.name === "require") add(first);
    },
  }).visit(program);
  return [...found];
}
