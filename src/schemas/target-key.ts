/** One text for each target, to find the layouts of a place by. */

import { canonicalJson } from "./json.ts";

/** Equal targets have equal keys, whether a member is null or absent. */
export function targetKey(target: Readonly<Record<string, unknown>>): string {
  return canonicalJson(Object.fromEntries(Object.entries(target).filter(([, value]) => value != null)));
}
