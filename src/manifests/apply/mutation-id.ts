/** Ids by which a service knows a write again: the same for the same write, from whatever run and machine it comes. */

import { sha256 } from "../../sha256.ts";
import { canonicalJson } from "../../schemas/json.ts";

/**
 * @param subject what is written to, or what tells apart that which is made
 * @param content all that is sent
 * @param read what was there before: the same content over something else is another write, which must not get the answer
 *   that the first one got
 * @returns 51 characters, fit for a clientMutationId and an Idempotency-Key
 */
export function mutationId(operation: string, subject: unknown, content: unknown, read: unknown): string {
  const text = canonicalJson([operation, subject, content, read ?? null]);
  return `formctl-${sha256(text, "base64url")}`;
}
