/** What can be wrong with a file before anybody asks what it means. */

import type { Located } from "../schemas/diagnostic.ts";
import type { DocumentCode } from "./document-codes.ts";
import type { Position } from "./positions.ts";

/** A problem by its offset in the text; the line and column are counted when it is told. */
export type Problem = { code: DocumentCode; message: string; offset: number; path?: string };

/** A file that cannot be read as documents: every problem that one run can find, and the text that they stand in. */
export class InvalidDocument extends Error {
  override readonly name = "InvalidDocument";
  readonly file: string;
  /** What the file says, for showing the lines in question; a byte that is no text is U+FFFD. */
  readonly text: string;
  readonly problems: Located[];

  constructor(file: string, text: string, problems: Located[], options?: ErrorOptions) {
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    super(
      first ? `${first.file}:${first.line}:${first.column}: ${first.message}${more}` : `${file} cannot be read`,
      options,
    );
    this.file = file;
    this.text = text;
    this.problems = problems;
  }
}

export function locateProblem(file: string, problem: Problem, position: (offset: number) => Position): Located {
  const { code, message, offset, path } = problem;
  return { severity: "error", code, message, ...(path && { path }), file, ...position(offset) };
}
