/** Complaints about files, printed as a compiler prints them: place, reason, the line in question and a caret. */

import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { safeLine, visible } from "./escape.ts";
import type { Style } from "./style.ts";
import { cut, textWidth } from "./width.ts";

/** The texts of files by their name, as far as they are at hand. */
export type Sources = ReadonlyMap<string, string>;

const MAX_SOURCE_COLUMNS = 100;

/**
 * `diagnostics` sorted by file and line, then those without a place by their path, and last the count. Empty text where
 * there is nothing to complain about.
 */
export function renderDiagnostics(
  diagnostics: readonly (Diagnostic | Located)[],
  sources: Sources,
  style: Style,
): string {
  if (diagnostics.length === 0) return "";
  return `${renderEach(diagnostics, sources, style)}${countDiagnostics(diagnostics)}\n`;
}

/** {@link renderDiagnostics} without the count. */
export function renderEach(diagnostics: readonly (Diagnostic | Located)[], sources: Sources, style: Style): string {
  const placed = diagnostics.filter(isLocated).sort(byPlace);
  const others = diagnostics.filter((diagnostic) => !isLocated(diagnostic));
  const lineOf = lineReader(sources);
  const texts = [
    ...placed.map(
      (diagnostic) => headline(placeOf(diagnostic), diagnostic, style) + excerpt(diagnostic, lineOf, style),
    ),
    ...others.map((diagnostic) => headline(diagnostic.path ?? "", diagnostic, style)),
  ];
  return texts.join("");
}

/** `2 errors, 1 warning`. */
export function countDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const warnings = diagnostics.length - errors;
  const parts = [errors > 0 && plural(errors, "error"), warnings > 0 && plural(warnings, "warning")];
  return parts.filter(Boolean).join(", ") || "no errors";
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function isLocated(diagnostic: Diagnostic | Located): diagnostic is Located {
  return "line" in diagnostic;
}

function byPlace(a: Located, b: Located): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function placeOf({ file, line, column }: Located): string {
  return `${file}:${line}:${column}`;
}

function headline(place: string, { severity, code, message }: Diagnostic, style: Style): string {
  const paint = severity === "error" ? style.red : style.yellow;
  const parts = [style.bold(visible(place)), paint(severity), style.dim(visible(code)), visible(message)];
  return `${safeLine(parts.filter(Boolean).join("  "))}\n`;
}

/** The source line and a caret under the column. On a long line only the part around the column is shown. */
function excerpt({ file, line, column }: Located, lineOf: LineReader, style: Style): string {
  const characters = lineOf(file, line);
  if (!characters) return "";
  const at = Math.min(column - 1, characters.length);
  // Columns are counted in what is shown: an escaped character takes more of them than it has in the file.
  let before = show(characters.slice(Math.max(0, at - MAX_SOURCE_COLUMNS), at));
  if (at > MAX_SOURCE_COLUMNS || textWidth(before) > MAX_SOURCE_COLUMNS / 2) before = tail(before);
  const after = show(characters.slice(at, at + MAX_SOURCE_COLUMNS));
  const gutter = String(line).padStart(5);
  const bar = style.dim("|");
  const text = cut(before + after, MAX_SOURCE_COLUMNS).trimEnd();
  const caret = `${" ".repeat(textWidth(before))}${style.cyan("^")}`;
  return `${style.dim(gutter)} ${bar} ${safeLine(text)}\n${" ".repeat(gutter.length)} ${bar} ${caret}\n`;
}

function show(characters: readonly string[]): string {
  return visible(characters.join("").replaceAll("\t", "  "));
}

/** The end of a text behind `…`, half as wide as an excerpt. */
function tail(text: string): string {
  const characters = Array.from(text);
  let columns = 1;
  let start = characters.length;
  while (start > 0) {
    columns += textWidth(characters[start - 1]!);
    if (columns > MAX_SOURCE_COLUMNS / 2) break;
    start--;
  }
  return `…${characters.slice(start).join("")}`;
}

/** The characters of a line; undefined where its file is not at hand, or nothing stands in it. */
type LineReader = (file: string, line: number) => string[] | undefined;

/** Splits each file once, and keeps the last line: a file of one long line can have thousands of complaints. */
function lineReader(sources: Sources): LineReader {
  const files = new Map<string, string[]>();
  let last: { file: string; line: number; characters: string[] | undefined } | undefined;
  return (file, line) => {
    if (last?.file === file && last.line === line) return last.characters;
    const lines = files.get(file) ?? (sources.get(file) ?? "").split(/\r\n?|\n/);
    files.set(file, lines);
    const text = lines[line - 1];
    last = { file, line, characters: text?.trim() ? Array.from(text) : undefined };
    return last.characters;
  };
}
