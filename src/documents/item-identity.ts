/** Identifies the items of lists in manifests and layouts, and merges the orders of two lists. */

import type { JsonObject } from "../schemas/json.ts";

const IDENTITIES = ["id", "draftId", "membershipId", "member", "roleId", "role", "key"];

/** Returns the identity of an item. Works for any list in a manifest or layout. */
export function identityOf(item: JsonObject): string | undefined {
  const member = IDENTITIES.find((name) => typeof item[name] === "string");
  return member === undefined ? undefined : `${member} ${item[member] as string}`;
}

/**
 * Returns the names of both lists in the order of the first list. A name that is only in the second list follows its
 * predecessor from the second list.
 */
export function mergedOrder(first: readonly string[], second: readonly string[]): string[] {
  const order = [...first];
  const known = new Set(first);
  let at = 0;
  for (const name of second) {
    if (known.has(name)) at = order.indexOf(name) + 1;
    else order.splice(at++, 0, name);
  }
  return order;
}
