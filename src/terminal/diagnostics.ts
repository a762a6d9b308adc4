/** Prints problems of files like a compiler: location, message, source line and caret. */

import { type Diagnostic, type Located, positionOf, sortProblems } from "../schemas/diagnostic.ts";
import { safeLine, visible } from "./escape.ts";
import type { Style } from "./style.ts";
import { cut, textWidth, wrap } from "./width.ts";
import { plural } from "../base/plural.ts";

/** The texts of files by file name. The problems of a missing file are printed without source lines. */
export type Sources = ReadonlyMap<string, string>;

const MAX_SOURCE_COLUMNS = 100;
const MIN_SOURCE_COLUMNS = 20;
/** The columns before the source line: the line number and the bar. */
const GUTTER_COLUMNS = 8;
/** The indentation of the further lines of a message. */
const INDENT = 4;

/**
 * Returns the diagnostics as text. Diagnostics with a location come first, by file and line. Diagnostics without a
 * location and the count follow. Empty if there are no diagnostics.
 *
 * @param width the columns of the terminal. Messages wrap between words
 */
export function renderDiagnostics(
  diagnostics: readonly (Diagnostic | Located)[],
  sources: Sources,
  style: Style,
  width = Infinity,
): string {
  if (diagnostics.length === 0) return "";
  return `${renderEach(diagnostics, sources, style, width)}${countDiagnostics(diagnostics)}\n`;
}

/** Like {@link renderDiagnostics}, without the count. */
export function renderEach(
  diagnostics: readonly (Diagnostic | Located)[],
  sources: Sources,
  style: Style,
  width = Infinity,
): string {
  const view = { style, width };
  const located = sortProblems(diagnostics.filter(isLocated));
  const others = diagnostics.filter((diagnostic) => !isLocated(diagnostic));
  const lineOf = lineReader(sources);
  const texts = [
    ...located.map(
      (diagnostic) => headline(positionOf(diagnostic), diagnostic, view) + excerpt(diagnostic, lineOf, view),
    ),
    ...others.map((diagnostic) => headline(diagnostic.path ?? "", diagnostic, view)),
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

function isLocated(diagnostic: Diagnostic | Located): diagnostic is Located {
  return "line" in diagnostic;
}

type DiagnosticView = { style: Style; width: number };

function headline(location: string, { severity, code, message }: Diagnostic, { style, width }: DiagnosticView): string {
  const paint = severity === "error" ? style.red : style.yellow;
  const parts = [style.bold(visible(location)), paint(severity), style.dim(visible(code))];
  const indent = " ".repeat(INDENT);
  const start: string[] = [];
  for (const part of parts.filter((each) => textWidth(each) > 0)) {
    const longer = `${start.at(-1)}  ${part}`;
    if (start.length > 0 && textWidth(longer) <= width) start[start.length - 1] = longer;
    else start.push(start.length === 0 ? part : indent + part);
  }
  const last = start.pop()!;
  const room = Math.max(width - textWidth(last) - 2, 0);
  const [first = "", ...further] = wrap(visible(message), Math.max(width - INDENT, 1), { first: room });
  const lines = [...start, first === "" ? last : `${last}  ${first}`, ...further.map((line) => indent + line)];
  return lines.map((line) => `${safeLine(line)}\n`).join("");
}

/** Returns the source line, and a caret below the column. Of a long line, shows only the part around the column. */
function excerpt({ file, line, column }: Located, lineOf: LineReader, { style, width }: DiagnosticView): string {
  const characters = lineOf(file, line);
  if (!characters) return "";
  const at = Math.min(column - 1, characters.length);
  const columns = Math.min(Math.max(width - GUTTER_COLUMNS, MIN_SOURCE_COLUMNS), MAX_SOURCE_COLUMNS);
  // Measures the text as it is printed: an escaped character is wider than in the file.
  let before = show(characters.slice(Math.max(0, at - columns), at));
  if (at > columns || textWidth(before) > columns / 2) before = tail(before, columns / 2);
  const after = show(characters.slice(at, at + columns));
  const gutter = String(line).padStart(5);
  const bar = style.dim("|");
  const text = cut(before + after, columns).trimEnd();
  const caret = `${" ".repeat(textWidth(before))}${style.cyan("^")}`;
  return `${style.dim(gutter)} ${bar} ${safeLine(text)}\n${" ".repeat(gutter.length)} ${bar} ${caret}\n`;
}

function show(characters: readonly string[]): string {
  return visible(characters.join("").replaceAll("\t", "  "));
}

/** Returns `…` and the end of a text, in at most `width` columns. */
function tail(text: string, width: number): string {
  const characters = Array.from(text);
  let columns = 1;
  let start = characters.length;
  while (start > 0) {
    columns += textWidth(characters[start - 1]!);
    if (columns > width) break;
    start--;
  }
  return `…${characters.slice(start).join("")}`;
}

/** Returns the characters of a line. Undefined if the file is missing or the line is blank. */
type LineReader = (file: string, line: number) => string[] | undefined;

/**
 * Returns a reader that keeps the lines of the last file: problems are sorted by file. The reader also keeps the
 * characters of the last line: a long line can have thousands of problems.
 */
function lineReader(sources: Sources): LineReader {
  let open: { file: string; lines: string[] } | undefined;
  let last: { file: string; line: number; characters: string[] | undefined } | undefined;
  return (file, line) => {
    if (last?.file === file && last.line === line) return last.characters;
    if (open?.file !== file) open = { file, lines: (sources.get(file) ?? "").split(/\r\n?|\n/) };
    const text = open.lines[line - 1];
    last = { file, line, characters: text?.trim() ? Array.from(text) : undefined };
    return last.characters;
  };
}
