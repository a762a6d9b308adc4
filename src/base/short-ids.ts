/** Shortens ids for a list on a terminal. Finds the record of a shortened id. */

import { FormctlError } from "./error.ts";

/** The minimum length of a shortened id, without a prefix such as `frm_`. */
const LEAST = 6;
/** An id with at least this length is shortened to less than this length. */
const SHORT_LENGTH = 20;

/**
 * Cuts the ids to the shortest length at which all ids are unique, such as `frm_aox5cr`. Returns the ids unchanged if
 * this length is not less than {@link SHORT_LENGTH}, or if one of the ids is shorter than {@link SHORT_LENGTH}.
 */
export function shortenIds(ids: readonly string[]): string[] {
  const sorted = [...new Set(ids)].sort();
  let length = Math.max(0, ...sorted.map((id) => id.indexOf("_") + 1 + LEAST));
  // In the sorted list, an id shares its longest start with one of its neighbors.
  for (const [index, id] of sorted.entries()) length = Math.max(length, sharedLength(id, sorted[index + 1] ?? "") + 1);
  const isUseful = length < SHORT_LENGTH && sorted.every((id) => id.length >= SHORT_LENGTH);
  return isUseful ? ids.map((id) => id.slice(0, length)) : [...ids];
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Whether a text may be a shortened id. */
export function mayBeShortId(text: string): boolean {
  return text.length < SHORT_LENGTH && /^(?:[a-z]+_)?[\da-z-]{6,}$/i.test(text);
}

/**
 * Returns the item whose id starts with a shortened id. Undefined if there is none.
 *
 * @param what the items in the plural, for the error, such as `layouts`
 * @throws AMBIGUOUS_NAME if several ids start with the text
 */
export function findByShortId<T extends { id: string }>(
  items: readonly T[],
  text: string,
  what: string,
): T | undefined {
  if (!mayBeShortId(text)) return undefined;
  const found = items.filter(({ id }) => id.startsWith(text));
  const [only, other] = found;
  if (!only || !other) return only;
  throw new FormctlError(
    "AMBIGUOUS_NAME",
    `the ids of ${found.length} ${what} start with ${text}: ${found.map(({ id }) => id).join(", ")}`,
    `Specify more characters of the id, such as ${only.id}`,
  );
}
