/** In what order the entries of a collection shall stand: those that are there where they are, new ones beside them. */

import type { JsonObject } from "../schemas/json.ts";
import { type IdentityOf, matchItems } from "./match-items.ts";
import type { SourceNode } from "./yaml-source.ts";

/** `old` is the position that an entry had; `key` is that of a pair. */
export type Entry = { old: number | undefined; moved: boolean; key: string | undefined; value: unknown };

/** @param current the value that `node` has; like `wanted`, a list for a list and a mapping for a mapping */
export function arrange(
  node: SourceNode,
  current: JsonObject | unknown[],
  wanted: JsonObject | unknown[],
  identityOf: IdentityOf,
): Entry[] {
  if (!Array.isArray(wanted)) return arrangePairs(node, wanted);
  const matched = matchItems(current as unknown[], wanted, identityOf);
  return wanted.map((value, item) => ({ ...matched[item]!, key: undefined, value }));
}

/** No pair moves, for their order means nothing; a new one stands behind the one that it follows in `wanted`. */
function arrangePairs({ entries }: SourceNode, wanted: JsonObject): Entry[] {
  const olds = new Map(entries.map(({ name }, old) => [name, old]));
  const first: Entry[] = [];
  const behind = new Map<string, Entry[]>();
  let list = first;
  for (const [key, value] of Object.entries(wanted)) {
    if (!olds.has(key)) {
      list.push({ old: undefined, moved: false, key, value });
      continue;
    }
    list = [];
    behind.set(key, list);
  }
  const kept = entries.flatMap(({ name }, old) => {
    if (!Object.hasOwn(wanted, name)) return [];
    return [{ old, moved: false, key: name, value: wanted[name] }, ...behind.get(name)!];
  });
  return [...first, ...kept];
}
