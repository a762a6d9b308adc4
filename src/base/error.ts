/** The base class of formctl's errors. */

import type { ErrorCode } from "./exit-codes.ts";

export type { ErrorCode };

/** An expected failure. Its code determines the exit code. A subclass exists only for further members. */
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

/**
 * Whether a write failed with an unknown outcome. Three cases count:
 *
 * - no answer
 * - an answer without the result of the write
 * - a disk failure during a commit of the local store
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return hasCode(error, "OUTCOME_UNKNOWN", "NOT_CONFIRMED", "STORE_OUTCOME_UNKNOWN");
}

export function hasCode(error: unknown, ...codes: ErrorCode[]): error is FormctlError {
  return error instanceof FormctlError && codes.includes(error.code);
}
