/** Compares a record with the members that a write sent. */

import { canonicalJson } from "./json.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Whether a record has every sent member with the same value. Arrays are lists of modes, so their order does not
 * matter. The service trims names.
 *
 * @param hidden the members that the record lacks. `differ`: they count as null. `ignore`: they are not compared,
 *   because some servers do not show them
 */
export function hasMembers(record: object, sent: object, hidden: "differ" | "ignore" = "differ"): boolean {
  const shown = record as Members;
  return Object.entries(sent as Members).every(([member, value]) => {
    if (value === undefined || (hidden === "ignore" && shown[member] === undefined)) return true;
    const wanted = member === "name" && typeof value === "string" ? value.trim() : value;
    return textOf(shown[member] ?? null) === textOf(wanted);
  });
}

/** Returns a text that is equal for equal values, and for arrays with equal items in any order. */
function textOf(value: unknown): string {
  return canonicalJson(Array.isArray(value) ? value.map((item) => canonicalJson(item)).sort() : value);
}
