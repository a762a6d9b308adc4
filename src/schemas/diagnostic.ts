/**
 * Defines diagnostics: problems of a document with their paths. The validation messages of the API have the same
 * format.
 */

import type { ModeWord } from "./words.ts";

export type Severity = "error" | "warning";

/**
 * One problem of one document. `path` locates the problem (`blocks[0].regionKey`). `blockId` and `mode` name the
 * affected block and mode. The message states the fact and, if possible, the next step.
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

/**
 * A diagnostic with its location in a file. `line` and `column` count from 1, columns in characters. `address` is the
 * form or layout of a manifest that is in no file. The problem is then located by `address` and `path`.
 */
export type Located = Diagnostic & { file: string; line: number; column: number; address?: string };

/** Returns the place of a problem: `forms/intake.yaml:12`, or `staffing/candidate/Intake access.roles[0]`. */
export function placeOf({ file, line, address, path }: Located): string {
  if (address === undefined) return `${file}:${line}`;
  return path ? `${address} ${path}` : address;
}

/** Like {@link placeOf}, with the column in a file: `forms/intake.yaml:12:5`. */
export function positionOf(problem: Located): string {
  return problem.address === undefined ? `${placeOf(problem)}:${problem.column}` : placeOf(problem);
}

/** Sorts problems by file, line and column. Problems at the same position keep their order. */
export function sortProblems(problems: readonly Located[]): Located[] {
  return [...problems].sort((a, b) => {
    if (a.file !== b.file) return a.file < b.file ? -1 : 1;
    return a.line - b.line || a.column - b.column;
  });
}

/** The state of a draft: `invalid` if it has an error, otherwise `valid_with_warnings` or `valid` (R48, R49). */
export type ValidationState = "valid" | "valid_with_warnings" | "invalid";

export type Validation = { state: ValidationState; errors: Diagnostic[]; warnings: Diagnostic[] };

export function toValidation(diagnostics: readonly Diagnostic[]): Validation {
  const errors = diagnostics.filter((d) => d.severity === "error");
  const warnings = diagnostics.filter((d) => d.severity === "warning");
  const state = errors.length > 0 ? "invalid" : warnings.length > 0 ? "valid_with_warnings" : "valid";
  return { state, errors, warnings };
}
