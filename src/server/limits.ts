/** Defines the limits of request bodies (docs/decisions.md, "Limits"). */

import type { OperationName } from "../schemas/operations.ts";

const MEBIBYTE = 1024 * 1024;

/**
 * The limits of bodies. JSON values are counted at any depth. Each member of an object after the 32nd counts as ten
 * values (read-body.ts).
 */
export type Limits = {
  /** The maximum number of bytes in the body of a draft. */
  draftBytes: number;
  /** The maximum number of JSON values in the body of a draft. */
  draftValues: number;
  /** The maximum number of bytes in every body except a draft. */
  bodyBytes: number;
  /** The maximum number of JSON values in the body that replaces the access to a form. */
  accessValues: number;
  /** The maximum number of JSON values in every other body. */
  bodyValues: number;
  /** The maximum number of members of one object, in any body. */
  members: number;
};

/**
 * The default limits. They allow a draft of 10,000 blocks with 50 values each, and as many access rows as 1 MiB can
 * hold.
 */
export const LIMITS: Limits = {
  draftBytes: 8 * MEBIBYTE,
  draftValues: 500_000,
  bodyBytes: MEBIBYTE,
  accessValues: 150_000,
  bodyValues: 50_000,
  members: 10_000,
};

export type BodyLimit = { bytes: number; values: number; members: number };

export function bodyLimit(name: OperationName, limits: Limits): BodyLimit {
  const { members } = limits;
  if (name === "saveDraft") return { bytes: limits.draftBytes, values: limits.draftValues, members };
  const values = name === "replaceFormAccess" ? limits.accessValues : limits.bodyValues;
  return { bytes: limits.bodyBytes, values, members };
}
