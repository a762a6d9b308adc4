/** What can be wrong with a file before anybody asks what it means. */

import type { Located } from "../schemas/diagnostic.ts";
import { type LocatedError, problemsError } from "./located-error.ts";
import type { DocumentCode } from "./document-codes.ts";
import type { Position } from "./positions.ts";

/** A problem by its offset in the text; the line and column are counted when it is told. */
export type Problem = { code: DocumentCode; message: string; offset: number; path?: string };

/**
 * A file that cannot be read as documents: every problem that one run can find.
 *
 * @param text what the file says, for showing the lines in question; a byte that is no text is U+FFFD
 */
export function invalidDocument(
  file: string,
  text: string,
  problems: readonly Located[],
  { cause }: ErrorOptions = {},
): LocatedError {
  const sources = new Map([[file, text]]);
  return problemsError("INVALID_FILE", { problems, sources, cause }, `${file} cannot be read`);
}

/** What is said of a value without saying which: whoever shows no line of the file has to be told. */
const LACKS_SUBJECT = /^(?:is|must be|contains|has|holds) /;
const LONGEST_SUBJECT = 100;

/** A problem with its place; its message says what it is about. */
export function locateProblem(file: string, problem: Problem, position: (offset: number) => Position): Located {
  const { code, offset, path } = problem;
  const subject = path && path.length > LONGEST_SUBJECT ? `…${path.slice(-LONGEST_SUBJECT)}` : path || "the file";
  const message = LACKS_SUBJECT.test(problem.message) ? `${subject} ${problem.message}` : problem.message;
  return { severity: "error", code, message, ...(path && { path }), file, ...position(offset) };
}
