/** Derives the ids by which a service recognizes a repeated write. */

import { canonicalJson } from "./schemas/json.ts";
import { sha256 } from "./base/sha256.ts";

/**
 * Returns an id that depends on the parts alone. Equal parts give the same id in every run and on every machine.
 *
 * @param parts JSON values that identify the write
 * @returns 51 characters, valid as a clientMutationId and as an Idempotency-Key
 */
export function derivedId(parts: readonly unknown[]): string {
  return `formctl-${sha256(canonicalJson(parts), "base64url")}`;
}

/**
 * Returns a function that creates ids for the writes of a script. With these ids, the script can be started again after
 * an interruption. A write that was carried out before has no second effect.
 *
 * ```ts
 * const mutationId = mutationIds("2026-11 consent section");
 * await service.publishLayout({ layoutId, body: { clientMutationId: mutationId("publish", layoutId), draftVersionId } });
 * ```
 *
 * @param seed identifies the run of the script. With another seed, the writes are carried out again
 * @returns a function of the parts that identify a write of the script
 */
export function mutationIds(seed: string): (...parts: readonly (string | number)[]) => string {
  return (...parts) => derivedId([seed, ...parts]);
}
