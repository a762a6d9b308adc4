/** The schema of error responses of our own server. */

import * as z from "zod/mini";
import { Validation } from "./layout-schema.ts";

const FieldChangeImpact = z.strictObject({
  draftId: z.string(),
  fieldKey: z.string(),
  action: z.string(),
  reasons: z.array(z.enum(["TYPE_CHANGE", "VALUE_CLEAR", "REFERENCED_ELSEWHERE"])),
  valueCount: z.int(),
  referencedByLayouts: z.array(z.string()),
  requires: z.array(z.enum(["confirmTypeChange", "confirmValueClear"])),
});

const IdempotencyConflict = z.strictObject({
  clientMutationId: z.string(),
  operation: z.string(),
  layoutId: z.nullable(z.string()),
  firstSeenAt: z.string(),
  reason: z.literal("BODY_MISMATCH"),
});

export const ErrorObject = z.strictObject({
  code: z.string(),
  message: z.string(),
  fieldErrors: z.optional(z.record(z.string(), z.array(z.string()))),
  errors: z.optional(z.array(z.strictObject({ message: z.string() }))),
  validation: z.optional(Validation),
  impacts: z.optional(z.array(FieldChangeImpact)),
  idempotencyConflict: z.optional(IdempotencyConflict),
  clientMutationId: z.optional(z.string()),
  meta: z.optional(z.record(z.string(), z.unknown())),
});

export const ErrorAnswer = z.strictObject({ error: ErrorObject });
