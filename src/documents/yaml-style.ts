/** Detects the style of a YAML text, and prints new values in that style. */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { readDocument } from "./document.ts";
import { doubleQuoted, needsEscapes, toYaml } from "./write-yaml.ts";
import type { NodeStyle, SourceNode } from "./yaml-source.ts";

export type Collection = JsonObject | unknown[];

/**
 * Kinds of collections. A text often writes one kind in flow style and another kind in block style. A list of kind
 * `scalars` contains only scalars. Any other list has the kind `list`.
 */
export type CollectionKind = "map" | "scalars" | "list";

export type YamlStyle = {
  /** Whether the text is JSON. Its edited text has to be JSON too. */
  json: boolean;
  newline: "\n" | "\r\n";
  /** The number of columns by which a nested mapping is indented. */
  step: number;
  /** Whether lists begin in the column of their key. */
  flatLists: boolean;
  /** Whether flow mappings are written as `{ a: 1 }` instead of `{a: 1}`. */
  padded: boolean;
  /** Whether most collections under a key are in flow style, by that key. */
  flowUnder: ReadonlyMap<string, boolean>;
  flow: Readonly<Record<CollectionKind, boolean>>;
};

/**
 * Detects the style of a text:
 * - `newline` from the first line break
 * - `step` from the first indented collection
 * - the styles of collections from the majority
 */
export function styleOf(text: string, root: SourceNode): YamlStyle {
  const flows = { map: 0, scalars: 0, list: 0 };
  const under = new Map<string, number>();
  let step = 0;
  let flatLists = 0;
  let padded = 0;

  function visit(node: SourceNode, parentColumn: number | undefined, name: string): void {
    const column = node.style === "block" ? columnOf(text, node.start) : undefined;
    const [first] = node.entries;
    const vote = node.style === "flow" ? 1 : -1;
    if (first && node.style !== "pair" && node !== root) {
      flows[nodeKind(node)] += vote;
      if (name !== "") under.set(name, (under.get(name) ?? 0) + vote);
    }
    if (first && node.style === "flow" && node.kind === "map") padded += text[node.start + 1] === " " ? 1 : -1;
    if (column !== undefined && parentColumn !== undefined) {
      if (node.kind === "list") flatLists += column === parentColumn ? 1 : -1;
      if (column > parentColumn) step ||= column - parentColumn;
    }
    for (const entry of node.entries) visit(entry.value, entry.key && column, entry.name);
  }
  visit(root, undefined, "");

  return {
    json: root.style === "flow" && isJson(text),
    newline: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    step: step || 2,
    flatLists: flatLists > 0,
    padded: padded > 0,
    flowUnder: new Map([...under].map(([name, votes]) => [name, votes > 0])),
    flow: { map: flows.map > 0, scalars: flows.scalars > 0, list: flows.list > 0 },
  };
}

export function columnOf(text: string, offset: number): number {
  return offset - (Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1);
}

/** The kind of a collection that is not empty. */
export function nodeKind({ kind, entries }: SourceNode): CollectionKind {
  if (kind === "map") return "map";
  return entries.every(({ value }) => value.kind === "scalar") ? "scalars" : "list";
}

/** The kind of a collection that is not empty. */
export function valueKind(value: Collection): CollectionKind {
  if (!Array.isArray(value)) return "map";
  return value.some((item) => typeof item === "object" && item !== null) ? "list" : "scalars";
}

/** Whether a value is a collection that is not empty. In block style, such a value has lines of its own. */
export function isFilled(value: unknown): value is Collection {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Prints a value in flow style, on one line. In a JSON text of several lines, prints each member on its own line,
 * indented from `margin`.
 */
export function printFlow(value: unknown, style: YamlStyle, margin?: string): string {
  if (style.json) return printJson(value, style, margin);
  return toYaml([value], { flow: true, padded: style.padded }).replace(/^\[ ?([^]*?) ?\]\n$/, "$1");
}

/** Prints `key: ` for a flow mapping. */
export function printFlowKey(key: string, style: YamlStyle): string {
  if (style.json) return `${doubleQuoted(key)}: `;
  return toYaml({ [key]: 0 }, { flow: true }).slice(1, -"0}\n".length);
}

/** Prints `key:` for a block mapping in the given column. */
export function printKey(key: string, column: number, style: YamlStyle): string {
  return indented(toYaml({ [key]: 0 }).slice(0, -" 0\n".length), column, style);
}

/**
 * Prints the text after the `:` or `-` of a block collection in the given column. The text is a space and a scalar, or
 * the lines of a nested collection.
 */
export function printAfter(header: ":" | "-", value: unknown, column: number, style: YamlStyle): string {
  // A text that ends with an empty line is quoted. In a literal scalar, a reader of the file could mistake this line
  // for a blank line before the next key.
  if (typeof value === "string" && value.endsWith("\n\n")) return ` ${doubleQuoted(value)}`;
  if (!isFilled(value)) {
    const text = header === ":" ? toYaml({ k: value }).slice(2, -1) : toYaml([value]).slice(1, -1);
    return indented(text, column, style);
  }
  if (header === "-") return ` ${printBlock(value, column + 2, style)}`;
  const inner = Array.isArray(value) && style.flatLists ? column : column + style.step;
  return style.newline + " ".repeat(inner) + printBlock(value, inner, style);
}

/**
 * Prints each item on its own line. The caller indents the first line. The value of a key is printed in flow style if
 * most collections under the same key in the file are in flow style.
 */
export function printBlock(value: Collection, column: number, style: YamlStyle): string {
  const items = Array.isArray(value)
    ? value.map((item) => `-${printAfter("-", item, column, style)}`)
    : Object.entries(value).map(([key, member]) => {
        const isFlow = isFilled(member) && style.flowUnder.get(key) === true;
        const printed = isFlow ? ` ${printFlow(member, style)}` : printAfter(":", member, column, style);
        return printKey(key, column, style) + printed;
      });
  return items.join(style.newline + " ".repeat(column));
}

/**
 * Prints a scalar that replaces another scalar. A text keeps the quotes of the old scalar if the quotes can represent
 * the text.
 */
export function printScalar(value: unknown, before: NodeStyle, inFlow: boolean, style: YamlStyle): string {
  if (style.json) return printFlow(value, style);
  if (typeof value === "string") {
    if (before === "double") return doubleQuoted(value);
    if (before === "single" && !needsEscapes(value) && !value.includes("\n")) return `'${value.replaceAll("'", "''")}'`;
    if (value.includes("\n")) return doubleQuoted(value);
  }
  return inFlow ? printFlow(value, style) : toYaml({ k: value }).slice("k: ".length, -1);
}

const FOLDED_WIDTH = 80;

/**
 * Prints a text as a literal or folded scalar, with the header of the scalar (such as `|-`). Returns undefined if a
 * block scalar can't represent the text.
 *
 * @param comment the comment after the header, with the preceding space
 */
export function printBlockScalar(
  text: string,
  before: "literal" | "folded",
  { indent, comment, newline }: { indent: number; comment: string; newline: string },
): string | undefined {
  const body = text.replace(/\n$/, "");
  if (needsEscapes(text) || body === "" || /^\s|\n$/.test(body) || /^[ \t]+$/m.test(body)) return undefined;
  // YAML does not fold lines that begin with white space, nor the line breaks next to them.
  const folds = before === "folded" && !/^[ \t]/m.test(body);
  const lines = folds ? foldedLines(body) : body.split("\n");
  const header = (folds ? ">" : "|") + (text === body ? "-" : "");
  const printed = lines.map((line) => (line === "" ? "" : " ".repeat(indent) + line)).join(newline);
  // White space at the end of a line can be lost. Therefore the printed text is read again, and compared with `text`.
  const { value } = readDocument(`k: ${header}${newline}${printed}${newline}`, "");
  return (value as JsonObject)["k"] === text ? `${header}${comment}${newline}${printed}` : undefined;
}

/**
 * Splits a text into lines of about {@link FOLDED_WIDTH} characters, which YAML joins with spaces. A line break of the
 * text becomes an empty line.
 */
function foldedLines(body: string): string[] {
  return body.split(/(\n+)/).flatMap((part, index) => {
    if (index % 2 === 1) return Array<string>(part.length).fill("");
    const lines: string[] = [];
    for (const word of part.split(/(?<=\S) (?=\S)/)) {
      const last = lines.at(-1);
      if (last !== undefined && last.length + word.length < FOLDED_WIDTH) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines;
  });
}

function printJson(value: unknown, style: YamlStyle, margin?: string): string {
  if (typeof value === "string") return doubleQuoted(value);
  if (!isFilled(value)) return JSON.stringify(value ?? null);
  const inner = margin === undefined ? undefined : margin + " ".repeat(style.step);
  const items = Array.isArray(value)
    ? value.map((item) => printJson(item, style, inner))
    : Object.entries(value).map(([key, member]) => `${doubleQuoted(key)}: ${printJson(member, style, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (inner === undefined) {
    const pad = isJsonObject(value) && style.padded ? " " : "";
    return `${open}${pad}${items.join(", ")}${pad}${close}`;
  }
  return `${open}${style.newline}${inner}${items.join(`,${style.newline}${inner}`)}${style.newline}${margin}${close}`;
}

function indented(text: string, column: number, { newline }: YamlStyle): string {
  const [first, ...others] = text.split("\n");
  return [first, ...others.map((line) => (line === "" ? "" : " ".repeat(column) + line))].join(newline);
}
