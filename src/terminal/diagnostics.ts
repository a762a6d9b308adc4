/** Prints problems of files like a compiler: location, message, source line and caret. */

import type { Diagnostic, Located } from "../schemas/diagnostic.ts";
import { safeLine, visible } from "./escape.ts";
import type { Style } from "./style.ts";
import { cut, textWidth } from "./width.ts";

/** The texts of files by file name. The problems of a missing file are printed without source lines. */
export type Sources = ReadonlyMap<string, string>;

const MAX_SOURCE_COLUMNS = 100;

/**
 * Returns the diagnostics as text: those with a location by file and line, then the others, then the count. Empty if
 * there are none.
 */
export function renderDiagnostics(
  diagnostics: readonly (Diagnostic | Located)[],
  sources: Sources,
  style: Style,
): string {
  if (diagnostics.length === 0) return "";
  return `${renderEach(diagnostics, sources, style)}${countDiagnostics(diagnostics)}\n`;
}

/** Like {@link renderDiagnostics}, without the count. */
export function renderEach(diagnostics: readonly (Diagnostic | Located)[], sources: Sources, style: Style): string {
  const located = diagnostics.filter(isLocated).sort(byLocation);
  const others = diagnostics.filter((diagnostic) => !isLocated(diagnostic));
  const lineOf = lineReader(sources);
  const texts = [
    ...located.map(
      (diagnostic) => headline(locationOf(diagnostic), diagnostic, style) + excerpt(diagnostic, lineOf, style),
    ),
    ...others.map((diagnostic) => headline(diagnostic.path ?? "", diagnostic, style)),
  ];
  return texts.join("");
}

/** Returns `2 errors, 1 warning`. */
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

function byLocation(a: Located, b: Located): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

function locationOf({ file, line, column }: Located): string {
  return `${file}:${line}:${column}`;
}

function headline(location: string, { severity, code, message }: Diagnostic, style: Style): string {
  const paint = severity === "error" ? style.red : style.yellow;
  const parts = [style.bold(visible(location)), paint(severity), style.dim(visible(code)), visible(message)];
  return `${safeLine(parts.filter(Boolean).join("  "))}\n`;
}

/** Returns the source line, and a caret below the column. Of a long line, shows only the part around the column. */
function excerpt({ file, line, column }: Located, lineOf: LineReader, style: Style): string {
  const characters = lineOf(file, line);
  if (!characters) return "";
  const at = Math.min(column - 1, characters.length);
  // Measures the text as it is printed: an escaped character is wider than in the file.
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

/** Returns `…` and the end of a text, half as wide as an excerpt. */
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

/** Returns the characters of a line; undefined if the file is missing or the line is blank. */
type LineReader = (file: string, line: number) => string[] | undefined;

/**
 * Returns a reader that splits each file once and caches the last line, because one long line can have thousands of
 * problems.
 */
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
