/** The base class of formctl's errors. */

import type { ErrorCode } from "./exit-codes.ts";

export type { ErrorCode };

/** The request of an error, as far as it is known. */
export type RequestFacts = {
  /** The name of the operation, such as `createForm`. */
  operation?: string | undefined;
  /** The id that the server gave the request. The operator of the server finds the request in the log by this id. */
  requestId?: string | undefined;
  /** The headers of the answer, by their lower-case names. */
  headers?: Readonly<Record<string, string>> | undefined;
};

/**
 * Adds facts to the error of a request. Facts that the error already has stay. The headers are not enumerable: a printed
 * error does not show them.
 */
export function addFacts<E extends RequestFacts>(error: E, facts: RequestFacts): E {
  for (const name of ["operation", "requestId", "headers"] as const) {
    if (error[name] !== undefined || facts[name] === undefined) continue;
    Object.defineProperty(error, name, { value: facts[name], enumerable: name !== "headers", configurable: true });
  }
  return error;
}

/** An expected failure. Its code determines the exit code. A subclass exists only for further members. */
export class FormctlError extends Error {
  override readonly name: string = "FormctlError";
  readonly code: ErrorCode;
  /** The next step for the user. */
  readonly hint: string | undefined;
  /** The name of the operation, such as `createForm`. */
  declare readonly operation?: string;
  /** The id that the server gave the request. The operator of the server finds the request in the log by this id. */
  declare readonly requestId?: string;
  /** The headers of the answer, by their lower-case names. They are not enumerable. */
  declare readonly headers?: Readonly<Record<string, string>>;

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
