/**
 * The base class of formctl's errors. An error has an error code of exit-codes.ts, a message, and the next step for the
 * user.
 */

import type { ErrorCode } from "./exit-codes.ts";

export type { ErrorCode };

/**
 * An expected failure. Its code determines the exit code. A subclass has further members. The members are printed, or
 * read by the code that catches the error.
 */
export class FormctlError extends Error {
  override readonly name: string = "FormctlError";
  readonly code: ErrorCode;
  /** The next step for the user. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

export function hasCode(error: unknown, ...codes: ErrorCode[]): error is FormctlError {
  return error instanceof FormctlError && codes.includes(error.code);
}
