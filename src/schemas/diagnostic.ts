/** What is wrong with a document, and where. The same record is a validation message of the API. */

import type { ModeWord } from "./words.ts";

export type Severity = "error" | "warning";

/**
 * One complaint about one document. `path` says where (`blocks[0].regionKey`); `blockId` and `mode` say what of.
 * The message has the fact, then the way out where there is one.
 */
export type Diagnostic = {
  severity: Severity;
  code: string;
  message: string;
  path?: string | undefined;
  blockId?: string | undefined;
  mode?: ModeWord | undefined;
  meta?: Record<string, unknown> | undefined;
};

/** A diagnostic with its place in a file. `line` and `column` count from 1, columns in characters. */
export type Located = Diagnostic & { file: string; line: number; column: number };

/** The state of a draft: any error makes it invalid, else any warning says so (R48, R49). */
export type ValidationState = "valid" | "valid_with_warnings" | "invalid";

export type Validation = { state: ValidationState; errors: Diagnostic[]; warnings: Diagnostic[] };

export function toValidation(diagnostics: readonly Diagnostic[]): Validation {
  const errors = diagnostics.filter((d) => d.severity === "error");
  const warnings = diagnostics.filter((d) => d.severity === "warning");
  const state = errors.length > 0 ? "invalid" : warnings.length > 0 ? "valid_with_warnings" : "valid";
  return { state, errors, warnings };
}
