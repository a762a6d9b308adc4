/**
 * Errors that refer to positions in files. An error carries all problems. It also carries the texts of the files, to
 * show the affected lines.
 */

import { type ErrorCode, FormctlError } from "../base/error.ts";
import { type Located, positionOf } from "../schemas/diagnostic.ts";

/** What a LocatedError refers to. */
export type Evidence = {
  location?: { file: string; line: number; column?: number } | undefined;
  problems?: readonly Located[];
  /** The texts of the files, by file name. */
  sources?: ReadonlyMap<string, string>;
  hint?: string | undefined;
  cause?: unknown;
};

export class LocatedError extends FormctlError {
  override readonly name = "LocatedError";
  readonly location: { file: string; line: number; column: number } | undefined;
  readonly problems: readonly Located[];
  readonly sources: ReadonlyMap<string, string>;

  constructor(code: ErrorCode, message: string, evidence: Evidence) {
    const { location, problems = [], sources = new Map<string, string>(), hint, cause } = evidence;
    super(code, message, hint, cause);
    this.location = location && { column: 1, ...location };
    this.problems = problems;
    this.sources = sources;
  }
}

/**
 * Returns one error for a list of problems. The error has the message and the location of the first problem of severity
 * `error`. If all problems are warnings, the first warning counts.
 *
 * @param fallback the message if `problems` is empty
 */
export function problemsError(
  code: ErrorCode,
  { problems, ...evidence }: Evidence & { problems: readonly Located[] },
  fallback = "a file is invalid",
): LocatedError {
  const first = problems.find(({ severity }) => severity === "error") ?? problems[0];
  if (!first) return new LocatedError(code, fallback, { problems, ...evidence });
  const { file, line, column, message } = first;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  const location = { file, line, column };
  return new LocatedError(code, `${positionOf(first)}: ${message}${more}`, { ...evidence, location, problems });
}
