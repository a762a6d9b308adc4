/** Computes the key of the target of a layout: a text by which layouts are found and compared. */

import { canonicalJson } from "./json.ts";

/** Returns the key of a target. A null member counts as absent. So equal targets have equal keys. */
export function targetKey(target: Readonly<Record<string, unknown>>): string {
  return canonicalJson(Object.fromEntries(Object.entries(target).filter(([, value]) => value != null)));
}
