/** Defines the limits of request bodies (docs/decisions.md, "Limits"). */

import type { BodyBudget } from "./body-budget.ts";
import type { OperationName } from "../schemas/operations.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * The limits of bodies. JSON values are counted at any depth. Each member of an object after the 32nd counts as ten
 * values (read-body.ts).
 */
export type Limits = {
  draftBytes: number;
  draftValues: number;
  /** The maximum number of bytes in every body except a draft. */
  bodyBytes: number;
  /** The maximum number of JSON values in the body that replaces the access to a form. */
  accessValues: number;
  /** The maximum number of JSON values in every body except a draft and the access to a form. */
  bodyValues: number;
  /** The maximum number of members of one object, in any body. */
  members: number;
  /** The maximum number of bytes in all large bodies that are read and not answered yet. */
  unanswered: BodyBudget;
};

/**
 * The default limits. A draft can have 10,000 blocks with 50 values each. The access to a form can have as many rows as
 * fit into 1 MiB.
 */
export const LIMITS: Limits = {
  draftBytes: 8 * MEBIBYTE,
  draftValues: 500_000,
  bodyBytes: MEBIBYTE,
  accessValues: 150_000,
  bodyValues: 50_000,
  members: 10_000,
  unanswered: { perOrganization: 8 * MEBIBYTE, total: 16 * MEBIBYTE },
};

export type BodyLimit = { bytes: number; values: number; members: number };

export function bodyLimit(name: OperationName, limits: Limits): BodyLimit {
  const { members } = limits;
  if (name === "saveDraft") return { bytes: limits.draftBytes, values: limits.draftValues, members };
  const values = name === "replaceFormAccess" ? limits.accessValues : limits.bodyValues;
  return { bytes: limits.bodyBytes, values, members };
}
