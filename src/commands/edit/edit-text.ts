/** Writes the problems of an edited file as comments at the top of the file. */

import type { Located } from "../../schemas/diagnostic.ts";
import { countDiagnostics } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";

/** The start of the lines that this module adds. A later call removes the lines with this start. */
const MARK = "#!";

/** Whether a file has only comments, blank lines and document markers. Saving such a file cancels the edit. */
export function isEmptied(text: string): boolean {
  return linesOf(text).every((line) => isComment(line) || /^(---|\.\.\.)?\s*$/.test(line));
}

/**
 * Returns the text with the problems as comments below its first comments. Removes the problems that an earlier call
 * added.
 *
 * @param problems located in `text`. The comments contain the line numbers of the new text
 */
export function withProblems(text: string, problems: readonly Located[]): string {
  const all = linesOf(text);
  const end = all.findIndex((line) => !isComment(line));
  const top = all.slice(0, end === -1 ? all.length : end);
  const kept = top.filter((line) => !line.startsWith(MARK));
  const added = problems.length === 0 ? 0 : problems.length + 2;
  const shift = added + kept.length - top.length;
  const lineOf = ({ line }: Located) => (line > top.length ? line + shift : Math.min(line, kept.length + 1));
  const located = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const comments = located.map((problem) => {
    const { severity, column, message } = problem;
    return `${MARK} line ${lineOf(problem)}, column ${column}: ${severity}: ${visible(message)}`;
  });
  const head = added === 0 ? [] : [MARK, `${MARK} ${countDiagnostics(problems)}. Save the file to check it again.`];
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return [...kept, ...head, ...comments, ...all.slice(top.length)].join(eol);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function isComment(line: string): boolean {
  return line.startsWith("#");
}
