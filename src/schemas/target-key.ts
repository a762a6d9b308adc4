/** Computes one text for each target of a layout, as a key to find layouts by their target. */

import { canonicalJson } from "./json.ts";

/** Equal targets have equal keys, whether a member is null or absent. */
export function targetKey(target: Readonly<Record<string, unknown>>): string {
  return canonicalJson(Object.fromEntries(Object.entries(target).filter(([, value]) => value != null)));
}
