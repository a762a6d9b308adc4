/** How much a request may bring (docs/decisions.md, "Limits"). */

import type { OperationName } from "../schemas/operations.ts";

const MEBIBYTE = 1024 * 1024;

export type Limits = {
  /** Bytes of the body of a draft. */
  draftBytes: number;
  /** Bytes of any other body. */
  bodyBytes: number;
};

export const LIMITS: Limits = { draftBytes: 8 * MEBIBYTE, bodyBytes: MEBIBYTE };

export function bodyLimit(name: OperationName, limits: Limits): number {
  return name === "saveDraft" ? limits.draftBytes : limits.bodyBytes;
}
