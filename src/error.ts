/** The one error of formctl: a code from the table in exit-codes.ts, a message, and the next step. */

import type { ErrorCode } from "./exit-codes.ts";

export type { ErrorCode };

/**
 * A failure that formctl foresees. Its code decides the exit code. A subclass exists only where an error carries more
 * that is printed, or that its catcher reads.
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
