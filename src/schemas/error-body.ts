/** The `error` object of an answer that refuses (R104). */

import type { Diagnostic, Severity } from "./diagnostic.ts";
import type { ShapeProblem } from "./shape.ts";

/** What a staged field change would cost, as our engine reports it before the change is confirmed. */
export type FieldChangeImpact = {
  draftId: string;
  fieldKey: string;
  action: string;
  reasons: ("TYPE_CHANGE" | "VALUE_CLEAR" | "REFERENCED_ELSEWHERE")[];
  valueCount: number;
  referencedByLayouts: string[];
  requires: ("confirmTypeChange" | "confirmValueClear")[];
};

/** An impact as any server may report it: the API document names none of its members. */
export type Impact = {
  draftId?: string;
  fieldKey?: string;
  action?: string;
  reasons?: string[];
  valueCount?: number;
  referencedByLayouts?: string[];
  requires?: string[];
};

/** A validation as any server may report it. `state` is absent where the server does not report one. */
export type ReportedValidation = { state?: string | undefined; errors: ReportedMessage[]; warnings: ReportedMessage[] };

export type ReportedMessage = Omit<Diagnostic, "code" | "severity"> & { code?: string; severity: string };

export type IdempotencyConflict = {
  clientMutationId?: string;
  operation?: string;
  layoutId?: string | null;
  firstSeenAt?: string;
  reason?: string;
};

/** Every member that the API names, typed by what may be missing. Which of them our engine sends: docs/decisions.md, "Errors". */
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

/** What has no severity, or one that is not known, is an error. */
export function severityOf({ severity }: Pick<ReportedMessage, "severity">): Severity {
  return severity === "warning" ? "warning" : "error";
}

/** Whether a validation reports errors, whatever it calls its state. */
export function isInvalid(validation: ReportedValidation | undefined): boolean {
  return validation !== undefined && (validation.state === "invalid" || validation.errors.length > 0);
}

/** How many problems an answer lists, and how long their text may be: 64 KiB, if each character needs an escape. */
export const MAX_PROBLEMS = 100;
const MAX_PROBLEMS_LENGTH = 10_000;
/** A path holds names of members, which can be as long as a body. */
const MAX_TEXT_LENGTH = 500;

/** The body of a 400: each problem under the path of the value that has it; of very many, the first ones and their number. */
export function validationBody(problems: readonly ShapeProblem[]): ErrorBody {
  const byPath = new Map<string, string[]>();
  let told = 0;
  let room = MAX_PROBLEMS_LENGTH;
  for (const problem of problems) {
    const [path, message] = [shortened(problem.path), shortened(problem.message)];
    room -= path.length + message.length;
    if (told === MAX_PROBLEMS || (told > 0 && room < 0)) break;
    const messages = byPath.get(path);
    if (messages) messages.push(message);
    else byPath.set(path, [message]);
    told++;
  }
  const [first] = problems;
  let message = `${problems.length} values are not as they must be`;
  if (problems.length > MAX_PROBLEMS) message = `more than ${MAX_PROBLEMS} values are not as they must be`;
  if (problems.length === 1 && first) message = `${shortened(first.path) || "the body"} ${shortened(first.message)}`;
  else if (told < problems.length) message += `; the first ${told} are listed`;
  return { code: "VALIDATION_FAILED", message, fieldErrors: Object.fromEntries(byPath) };
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;
}
