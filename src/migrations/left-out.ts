/** Describes forms and layouts that a migration can't change and leaves out. */

import { hasCode } from "../base/error.ts";
import { ServiceError } from "../service.ts";

export type LeftOut = {
  address: string;
  kind: "Form" | "Layout";
  reason: string;
  /** The next step for the user. */
  hint?: string;
  /**
   * Whether the migration would change the resource. Also true if the resource can't be read. If true, the migration is
   * not complete.
   */
  isMeant: boolean;
};

export function leftOut(
  { kind, address }: Pick<LeftOut, "kind" | "address">,
  reason: string,
  hint?: string,
  isMeant = true,
): LeftOut {
  return { address, kind, reason, ...(hint !== undefined && { hint }), isMeant };
}

/**
 * Whether an error concerns only the resource that was read. All other errors stop the migration, for example an
 * invalid token or a missing answer.
 */
export function isBroken(error: unknown): boolean {
  if (error instanceof ServiceError) return BROKEN.has(error.status);
  return hasCode(error, "NOT_SHOWN", "ANSWER_UNREADABLE", "ANSWER_TOO_LARGE", "LIST_INCOMPLETE");
}

const BROKEN = new Set([400, 403, 404, 405, 409, 410, 422, 500]);

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Compares resources by the code units of their addresses. This order is the same on every machine. */
export function byAddress(a: { address: string }, b: { address: string }): number {
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}
