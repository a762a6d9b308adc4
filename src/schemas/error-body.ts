/** The `error` object of an answer that refuses (R104). */

import type { Validation } from "./diagnostic.ts";
import type { ShapeProblem } from "./shape.ts";

/** What a staged field change would cost, told before it is confirmed. */
export type FieldChangeImpact = {
  draftId: string;
  fieldKey: string;
  action: string;
  reasons: ("TYPE_CHANGE" | "VALUE_CLEAR" | "REFERENCED_ELSEWHERE")[];
  valueCount: number;
  referencedByLayouts: string[];
  requires: ("confirmTypeChange" | "confirmValueClear")[];
};

export type IdempotencyConflict = {
  clientMutationId: string;
  operation: string;
  layoutId: string | null;
  firstSeenAt: string;
  reason: "BODY_MISMATCH";
};

/** Every member that the API names. Which of them our engine sends: docs/decisions.md, "Errors". */
export type ErrorBody = {
  code: string;
  message: string;
  fieldErrors?: Record<string, string[]>;
  errors?: { message: string }[];
  validation?: Validation;
  impacts?: FieldChangeImpact[];
  idempotencyConflict?: IdempotencyConflict;
  clientMutationId?: string;
  meta?: Record<string, unknown>;
  unavailableMutationScopes?: string[];
  relationTableErrors?: Record<string, unknown>;
};

/** The body of a 400: each problem under the path of the value that has it. */
export function validationBody(problems: readonly ShapeProblem[]): ErrorBody {
  const byPath = new Map<string, string[]>();
  for (const { path, message } of problems) byPath.set(path, [...(byPath.get(path) ?? []), message]);
  const [first] = problems;
  const message =
    problems.length === 1 && first
      ? `${first.path || "the body"} ${first.message}`
      : `${problems.length} values are not as they must be`;
  return { code: "VALIDATION_FAILED", message, fieldErrors: Object.fromEntries(byPath) };
}
