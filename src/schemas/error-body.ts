/**
 * Defines the `error` object of an error response (R104). Creates the object of a 400 with the problems of a request.
 */

import type { Diagnostic, Severity } from "./diagnostic.ts";
import type { ShapeProblem } from "./shape.ts";

/** The effects of a staged field change that requires confirmation, from our own engine. */
export type FieldChangeImpact = {
  draftId: string;
  fieldKey: string;
  action: string;
  reasons: ("TYPE_CHANGE" | "VALUE_CLEAR" | "REFERENCED_ELSEWHERE")[];
  valueCount: number;
  referencedByLayouts: string[];
  requires: ("confirmTypeChange" | "confirmValueClear")[];
};

/** An impact from any server. The API document does not define the members of an impact. */
export type Impact = {
  draftId?: string;
  fieldKey?: string;
  action?: string;
  reasons?: string[];
  valueCount?: number;
  referencedByLayouts?: string[];
  requires?: string[];
};

/** A validation from any server. `state` may be absent. */
export type ReportedValidation = { state?: string | undefined; errors: ReportedMessage[]; warnings: ReportedMessage[] };

export type ReportedMessage = Omit<Diagnostic, "code" | "severity"> & { code?: string; severity: string };

export type IdempotencyConflict = {
  clientMutationId?: string;
  operation?: string;
  layoutId?: string | null;
  firstSeenAt?: string;
  reason?: string;
};

/**
 * The error object with all members that the API defines. Most members are optional. docs/decisions.md, "Errors", lists
 * the members that our engine sends.
 */
export type ErrorBody = {
  code: string;
  message: string;
  fieldErrors?: Record<string, string[]>;
  errors?: { message: string }[];
  validation?: ReportedValidation;
  impacts?: Impact[];
  idempotencyConflict?: IdempotencyConflict;
  clientMutationId?: string;
  meta?: Record<string, unknown>;
  unavailableMutationScopes?: string[];
  relationTableErrors?: Record<string, unknown>;
};

/** Returns the severity of a message. A missing or unknown severity counts as an error. */
export function severityOf({ severity }: Pick<ReportedMessage, "severity">): Severity {
  return severity === "warning" ? "warning" : "error";
}

/** Whether a validation reports that a draft is invalid: its state is `invalid`, or it lists an error. */
export function isInvalid(validation: ReportedValidation | undefined): boolean {
  return validation !== undefined && (validation.state === "invalid" || validation.errors.length > 0);
}

/**
 * The maximum number of listed problems, and the maximum total length of their texts. With this length, the list has at
 * most 64 KiB even if every character is escaped.
 */
export const MAX_PROBLEMS = 100;
const MAX_PROBLEMS_LENGTH = 10_000;
/** The maximum length of one text. Paths contain member names, which can be as long as the body. */
const MAX_TEXT_LENGTH = 500;

/**
 * Returns the body of a 400 with the problems by path. If there are too many problems, the body lists the first
 * problems. Then the message states how many are listed.
 */
export function validationBody(problems: readonly ShapeProblem[]): ErrorBody {
  const byPath = new Map<string, string[]>();
  let listed = 0;
  let room = MAX_PROBLEMS_LENGTH;
  for (const problem of problems) {
    const [path, message] = [shortened(problem.path), shortened(problem.message)];
    room -= path.length + message.length;
    if (listed === MAX_PROBLEMS || (listed > 0 && room < 0)) break;
    const messages = byPath.get(path);
    if (messages) messages.push(message);
    else byPath.set(path, [message]);
    listed++;
  }
  const [first] = problems;
  let message = `${problems.length} values are invalid`;
  if (problems.length > MAX_PROBLEMS) message = `more than ${MAX_PROBLEMS} values are invalid`;
  if (problems.length === 1 && first) message = `${shortened(first.path) || "the body"} ${shortened(first.message)}`;
  else if (listed < problems.length) message += `. The first ${listed} are listed`;
  return { code: "VALIDATION_FAILED", message, fieldErrors: Object.fromEntries(byPath) };
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;
}
