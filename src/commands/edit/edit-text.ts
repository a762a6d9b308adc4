/** Writes the problems of an edited file as comments at the top of the file. */

import type { Located } from "../../schemas/diagnostic.ts";
import { countDiagnostics } from "../../terminal/diagnostics.ts";
import { visible } from "../../terminal/escape.ts";
import { messageLines } from "../../terminal/message.ts";

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
 * @param width the columns of a comment
 */
export function withProblems(text: string, problems: readonly Located[], width: number): string {
  const all = linesOf(text);
  const end = all.findIndex((line) => !isComment(line));
  const top = all.slice(0, end === -1 ? all.length : end);
  const kept = top.filter((line) => !line.startsWith(MARK));
  const located = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  /** Returns the comments, if they take `added` lines. */
  const commentsOf = (added: number): string[] => {
    if (problems.length === 0) return [];
    const shift = added + kept.length - top.length;
    const lineOf = (line: number) => (line > top.length ? line + shift : Math.min(line, kept.length + 1));
    const texts = [
      "",
      `${countDiagnostics(problems)}. Save the file to check it again.`,
      ...located.map(
        ({ severity, line, column, message }) =>
          `line ${lineOf(line)}, column ${column}: ${severity}: ${visible(message)}`,
      ),
    ];
    const lines = texts.flatMap((each) => messageLines(each, width - MARK.length - 1));
    return lines.map((line) => `${MARK} ${line}`.trimEnd());
  };
  let comments = commentsOf(0);
  // A larger line number can take one more line.
  for (let added = 0; added !== comments.length; comments = commentsOf(added)) added = comments.length;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return [...kept, ...comments, ...all.slice(top.length)].join(eol);
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function isComment(line: string): boolean {
  return line.startsWith("#");
}
