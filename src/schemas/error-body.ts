/** The `error` object of an answer that refuses (R104). */

import type { Validation } from "./diagnostic.ts";

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
