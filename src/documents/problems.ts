/**
 * Defines the problems of a file as YAML or JSON text. The module has their codes, their positions, and the error that
 * reports them.
 */

import type { Located } from "../schemas/diagnostic.ts";
import { type LocatedError, problemsError } from "./located-error.ts";

export const DOCUMENT_CODES = {
  FILE_EMPTY: "The file contains no document.",
  FILE_ENCODING: "The file is not UTF-8.",
  FILE_TOO_LARGE: "The file is larger than 4 MiB.",
  YAML_ALIAS: "An alias refers to an unknown anchor, or to the anchor that contains it.",
  YAML_DOCUMENT_COUNT: "The file contains several documents, and one is expected.",
  YAML_DUPLICATE_KEY: "A mapping contains a key twice.",
  YAML_FORBIDDEN_TEXT: "A text contains a character that no database stores.",
  YAML_KEY: "A key is missing, is not text, or would change the prototype of an object.",
  YAML_LIMIT: "The file is nested too deep, is too large, or its aliases expand to too much text.",
  YAML_MERGE_KEY: "Merge keys (<<) are not supported.",
  YAML_NUMBER: "JSON can't represent the number exactly.",
  YAML_SYNTAX: "The file is not valid YAML or JSON.",
  YAML_TAG: "The tag is not supported.",
} as const;

export type DocumentCode = keyof typeof DOCUMENT_CODES;

/** A position in a text. `line` and `column` start at 1; columns count characters. */
export type Position = { line: number; column: number };

/** A problem at an offset of the text. Line and column are computed only when the problem is reported. */
export type Problem = { code: DocumentCode; message: string; offset: number; path?: string };

/**
 * Returns the error for a file that can't be read as documents.
 *
 * @param text the text of the file, to show the affected lines; invalid bytes are U+FFFD
 */
export function invalidDocument(
  file: string,
  text: string,
  problems: readonly Located[],
  { cause }: ErrorOptions = {},
): LocatedError {
  const sources = new Map([[file, text]]);
  return problemsError("INVALID_FILE", { problems, sources, cause }, `${file} can't be read`);
}

/**
 * Matches messages that begin with a verb, such as `is empty`. Such a message gets a subject, because the user may see
 * the message without the line of the file.
 */
const LACKS_SUBJECT = /^(?:is|must be|contains|has) /;
const LONGEST_SUBJECT = 100;

/** Returns the problem with its line and column. A message without a subject gets a subject: the path or the file. */
export function locateProblem(file: string, problem: Problem, position: (offset: number) => Position): Located {
  const { code, offset, path } = problem;
  const subject = path && path.length > LONGEST_SUBJECT ? `…${path.slice(-LONGEST_SUBJECT)}` : path || "the file";
  const message = LACKS_SUBJECT.test(problem.message) ? `${subject} ${problem.message}` : problem.message;
  return { severity: "error", code, message, ...(path && { path }), file, ...position(offset) };
}

/**
 * Returns a function that converts an offset to line and column. The function scans the text only as far as the largest
 * requested offset. Therefore a text without problems costs almost nothing.
 */
export function positionsOf(text: string): (offset: number) => Position {
  const lineStarts = [0];
  /** The offsets of the second code unit of each surrogate pair. */
  const pairs: number[] = [];
  let scanned = 0;

  function scanTo(end: number): void {
    for (; scanned < end; scanned++) {
      const code = text.charCodeAt(scanned);
      if (code === LINE_FEED || (code === CARRIAGE_RETURN && text.charCodeAt(scanned + 1) !== LINE_FEED)) {
        lineStarts.push(scanned + 1);
      } else if (isLowSurrogate(code) && isHighSurrogate(text.charCodeAt(scanned - 1))) pairs.push(scanned);
    }
  }

  return (offset) => {
    const at = Math.min(Math.max(offset, 0), text.length);
    scanTo(at);
    const line = countUpTo(lineStarts, at);
    const lineStart = lineStarts[line - 1]!;
    // A character outside the basic plane has two code units and counts as one column.
    const doubled = countUpTo(pairs, at - 1) - countUpTo(pairs, lineStart - 1);
    return { line, column: at - lineStart - doubled + 1 };
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Returns how many of the ascending `numbers` are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
