/** The report of the library: the signature of each export, from the bundled type declarations. */

import { readFileSync } from "node:fs";
import { parseSync, Visitor } from "rolldown/utils";

export type Declaration = {
  name: string;
  /** The text without comments and without `export` and `declare`. */
  text: string;
  isExported: boolean;
  /** Whether the declaration has a value at run time. */
  isValue: boolean;
  /** The names of types and values that the text uses. */
  uses: ReadonlySet<string>;
};

/** Returns the declarations of a bundle. Overloads of a function are one declaration. */
export function readDeclarations(file: string): Map<string, Declaration> {
  const code = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const exported = new Set<string>();
  const found = new Map<string, Declaration>();
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration" && !statement.type.endsWith("Declaration"))
      throw new Error(`${file} contains ${statement.type}`);
    if (statement.type === "ExportNamedDeclaration" && !statement.declaration) {
      for (const { local } of statement.specifiers) if ("name" in local) exported.add(local.name);
      continue;
    }
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration! : statement;
    const name = "declarations" in node ? node.declarations[0]!.id : "id" in node ? node.id : undefined;
    if (!name || !("name" in name)) throw new Error(`${file} contains a declaration without a name`);
    const inside = comments.filter(({ start, end }) => node.start <= start && end <= node.end);
    let text = "";
    let position = node.start;
    for (const { start, end } of inside) {
      text += code.slice(position, start).trimEnd();
      position = end;
    }
    text = (text + code.slice(position, node.end)).replace(/^declare /, "");
    const uses = new Set<string>();
    new Visitor({
      Identifier: ({ name: used }) => void uses.add(used),
    }).visit({ ...program, body: [statement] });
    const known = found.get(name.name);
    if (node !== statement) exported.add(name.name);
    found.set(name.name, {
      name: name.name,
      text: known ? `${known.text}\n${text}` : text,
      isExported: false,
      isValue: !/^(interface|type) /.test(text),
      uses: new Set([...(known?.uses ?? []), ...uses]),
    });
  }
  return new Map([...found].map(([name, each]) => [name, { ...each, isExported: exported.has(name) }]));
}

/** Returns the report of an entry, sorted by name: its exports, and the declarations that no entry exports. */
export function reportOf(title: string, declarations: Iterable<Declaration>): string {
  const sorted = [...declarations].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const block = (all: readonly Declaration[]) => `\`\`\`ts\n${all.map(({ text }) => text).join("\n\n")}\n\`\`\`\n`;
  const values = sorted.filter(({ isExported, isValue }) => isExported && isValue);
  const types = sorted.filter(({ isExported, isValue }) => isExported && !isValue);
  const others = sorted.filter(({ isExported }) => !isExported);
  return [
    `## \`${title}\`\n`,
    `### Functions, classes and constants\n\n${block(values)}`,
    `### Types\n\n${block(types)}`,
    ...(others.length > 0 ? [`### Lists of words that types use, and that are not exported\n\n${block(others)}`] : []),
  ].join("\n");
}
