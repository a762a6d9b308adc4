/** Values as they would be written in a given text: in its layout, and where one replaces another, in that one's quotes. */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { readDocument } from "./document.ts";
import type { Sort, Surroundings } from "./surroundings.ts";
import { doubleQuoted, needsEscapes, toYaml } from "./write-yaml.ts";
import type { NodeStyle } from "./yaml-source.ts";

const FOLDED_WIDTH = 80;

/** Whether a value has lines of its own in block style. */
export function isFilled(value: unknown): value is JsonObject | unknown[] {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** The sort of a collection that has something in it. */
export function sortOfValue(value: JsonObject | unknown[]): Sort {
  if (!Array.isArray(value)) return "map";
  return value.some((item) => typeof item === "object" && item !== null) ? "list" : "scalars";
}

/** On one line, fit to stand between brackets. In a JSON text that has lines, each level has its own, behind `margin`. */
export function printFlow(value: unknown, around: Surroundings, margin?: string): string {
  if (around.json) return printJson(value, around, margin);
  return toYaml([value], { flow: true, padded: around.padded }).replace(/^\[ ?([^]*?) ?\]\n$/, "$1");
}

/** `key: ` for a flow mapping. */
export function printFlowKey(key: string, around: Surroundings): string {
  if (around.json) return `${doubleQuoted(key)}: `;
  return toYaml({ [key]: 0 }, { flow: true }).slice(1, -"0}\n".length);
}

/** `key:`, in a block mapping that begins at a column. */
export function printKey(key: string, column: number, around: Surroundings): string {
  return indented(toYaml({ [key]: 0 }).slice(0, -" 0\n".length), column, around);
}

/** What follows a `:` or a `-` that belongs to a block collection at a column: a space and a scalar, or lines. */
export function printAfter(header: ":" | "-", value: unknown, column: number, around: Surroundings): string {
  // Empty lines behind a literal scalar would be part of it, and nobody sees whose they are.
  if (typeof value === "string" && value.endsWith("\n\n")) return ` ${doubleQuoted(value)}`;
  if (!isFilled(value)) {
    const text = header === ":" ? toYaml({ k: value }).slice(2, -1) : toYaml([value]).slice(1, -1);
    return indented(text, column, around);
  }
  if (header === "-") return ` ${printBlock(value, column + 2, around)}`;
  const inner = Array.isArray(value) && around.flatLists ? column : column + around.step;
  return around.newline + " ".repeat(inner) + printBlock(value, inner, around);
}

/** A line for each item; the first one without its indentation. Under keys that have brackets elsewhere, brackets. */
export function printBlock(value: JsonObject | unknown[], column: number, around: Surroundings): string {
  const items = Array.isArray(value)
    ? value.map((item) => `-${printAfter("-", item, column, around)}`)
    : Object.entries(value).map(([key, member]) => {
        const inBrackets = isFilled(member) && around.flowUnder.get(key) === true;
        const printed = inBrackets ? ` ${printFlow(member, around)}` : printAfter(":", member, column, around);
        return printKey(key, column, around) + printed;
      });
  return items.join(around.newline + " ".repeat(column));
}

/** A scalar in place of another: a text keeps the quotes of the one before it, where it can stand in such. */
export function printScalar(value: unknown, before: NodeStyle, inFlow: boolean, around: Surroundings): string {
  if (around.json) return printFlow(value, around);
  if (typeof value === "string") {
    if (before === "double") return doubleQuoted(value);
    if (before === "single" && !needsEscapes(value) && !value.includes("\n")) return `'${value.replaceAll("'", "''")}'`;
    if (value.includes("\n")) return doubleQuoted(value);
  }
  return inFlow ? printFlow(value, around) : toYaml({ k: value }).slice("k: ".length, -1);
}

/**
 * A text as a literal or folded scalar, its header and then its lines; undefined where it can't be one.
 *
 * @param comment the one behind the header, with the space before it
 */
export function printBlockScalar(
  text: string,
  style: "literal" | "folded",
  { indent, comment, newline }: { indent: number; comment: string; newline: string },
): string | undefined {
  const body = text.replace(/\n$/, "");
  if (needsEscapes(text) || body === "" || /^\s|\n$/.test(body) || /^[ \t]+$/m.test(body)) return undefined;
  // A line that begins with white space is not folded, and what stands beside it neither.
  const folds = style === "folded" && !/^[ \t]/m.test(body);
  const lines = folds ? foldedLines(body) : body.split("\n");
  const header = (folds ? ">" : "|") + (text === body ? "-" : "");
  const printed = lines.map((line) => (line === "" ? "" : " ".repeat(indent) + line)).join(newline);
  // White space at the end of a line and the like: what does not read as the text is written otherwise.
  if (readBack(`k: ${header}${newline}${printed}${newline}`) !== text) return undefined;
  return `${header}${comment}${newline}${printed}`;
}

/** Lines of about {@link FOLDED_WIDTH} characters, which a reader joins with a space; a line break is an empty line more. */
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

function readBack(text: string): unknown {
  return (readDocument(text, "").value as JsonObject)["k"];
}

function printJson(value: unknown, around: Surroundings, margin?: string): string {
  if (typeof value === "string") return doubleQuoted(value);
  if (!isFilled(value)) return JSON.stringify(value ?? null);
  const inner = margin === undefined ? undefined : margin + " ".repeat(around.step);
  const items = Array.isArray(value)
    ? value.map((item) => printJson(item, around, inner))
    : Object.entries(value).map(([key, member]) => `${doubleQuoted(key)}: ${printJson(member, around, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (inner === undefined) {
    const pad = isJsonObject(value) && around.padded ? " " : "";
    return `${open}${pad}${items.join(", ")}${pad}${close}`;
  }
  return `${open}${around.newline}${inner}${items.join(`,${around.newline}${inner}`)}${around.newline}${margin}${close}`;
}

/** Moves all lines but the first to the right; a line without anything stays so. */
function indented(text: string, column: number, { newline }: Surroundings): string {
  const [first, ...others] = text.split("\n");
  return [first, ...others.map((line) => (line === "" ? "" : " ".repeat(column) + line))].join(newline);
}
