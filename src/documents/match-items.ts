/**
 * Matches the items of a list with the items of an older version of the list. Orders the entries of an edited
 * collection.
 */

import { canonicalJson, isJsonObject, type JsonObject } from "../schemas/json.ts";
import { longestRise } from "../base/longest-rise.ts";
import type { SourceNode } from "./yaml-source.ts";
import type { Collection } from "./yaml-style.ts";

/**
 * Returns a text that identifies an item, independent of the item's index. Returns undefined for an item without an
 * identity. Such an item is matched by its value or position.
 *
 * @param side whether the item is in the old list or in the new list
 */
export type IdentityOf = (item: JsonObject, side: "current" | "target") => string | undefined;

/**
 * How an item of the new list matches the old list. `old` is the index of the matching old item, undefined for a new
 * item. `moved` is true if the item's order among the old items changes.
 */
export type Matched = { old: number | undefined; moved: boolean };

/** An entry of the target. `key` is the key of a pair, and undefined for an item of a list. */
export type Entry = Matched & { key: string | undefined; value: unknown };

/**
 * Returns the entries of `target`, each with the entry of `node` that it replaces. Pairs of a mapping keep the order of
 * the file: this order has no meaning. A new pair is put after the preceding pair of `target`.
 *
 * @param current the value of `node`. It is a list if `target` is a list, and otherwise a mapping
 */
export function arrangeEntries(
  node: SourceNode,
  current: Collection,
  target: Collection,
  identityOf: IdentityOf,
): Entry[] {
  if (!Array.isArray(target)) return arrangePairs(node, target);
  const matched = matchItems(current as unknown[], target, identityOf);
  return target.map((value, item) => ({ ...matched[item]!, key: undefined, value }));
}

function arrangePairs({ entries }: SourceNode, target: JsonObject): Entry[] {
  const present = new Set(entries.map(({ name }) => name));
  const first: Entry[] = [];
  /** New pairs, by the existing key that precedes them. */
  const after = new Map<string, Entry[]>();
  let list = first;
  for (const [key, value] of Object.entries(target)) {
    if (present.has(key)) {
      list = [];
      after.set(key, list);
    } else list.push({ old: undefined, moved: false, key, value });
  }
  const kept = entries.flatMap(({ name }, old) => {
    if (!Object.hasOwn(target, name)) return [];
    return [{ old, moved: false, key: name, value: target[name] }, ...after.get(name)!];
  });
  return [...first, ...kept];
}

/**
 * Returns for each item of `after` the matching item of `before`. The match is the first of these items that exists:
 * - an item with the same identity
 * - an equal item
 * - the item right after the match of the preceding item. Both must be mappings, both lists or both scalars, and at
 *   least one of the two must have no identity
 *
 * As few items as possible count as moved.
 */
export function matchItems(before: readonly unknown[], after: readonly unknown[], identityOf: IdentityOf): Matched[] {
  const oldNames = before.map((item) => nameOf(item, identityOf, "current"));
  const newNames = after.map((item) => nameOf(item, identityOf, "target"));
  const oldTexts = before.map(canonicalJson);
  const newTexts = after.map(canonicalJson);
  const olds: (number | undefined)[] = after.map(() => undefined);
  const taken = new Set<number>();
  const take = (item: number, old: number) => {
    olds[item] = old;
    taken.add(old);
  };

  // Equal items at the beginning and at the end of the lists match by position. In lists of the same length, equal
  // items at the same index match too. Otherwise a change of one of many equal items could count as several changes.
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  for (; first < shorter && oldTexts[first] === newTexts[first]; first++) take(first, first);
  for (let last = 1; last <= shorter - first && oldTexts.at(-last) === newTexts.at(-last); last++) {
    take(after.length - last, before.length - last);
  }
  if (before.length === after.length) {
    for (const [item, text] of newTexts.entries())
      if (olds[item] === undefined && oldTexts[item] === text) take(item, item);
  }

  const takeEqual = (oldKeys: readonly (string | undefined)[], newKeys: readonly (string | undefined)[]) => {
    const free = positionsBy(oldKeys.map((key, old) => (taken.has(old) ? undefined : key)));
    for (const [item, key] of newKeys.entries()) {
      const old = key === undefined || olds[item] !== undefined ? undefined : free.get(key)?.shift();
      if (old !== undefined) take(item, old);
    }
  };
  takeEqual(oldNames, newNames);
  takeEqual(oldTexts, newTexts);

  for (const [item, value] of after.entries()) {
    if (olds[item] !== undefined) continue;
    const old = item === 0 ? 0 : (olds[item - 1] ?? -2) + 1;
    const isFree = old >= 0 && old < before.length && !taken.has(old);
    const isOther = oldNames[old] !== undefined && newNames[item] !== undefined;
    if (isFree && !isOther && jsonKind(before[old]) === jsonKind(value)) take(item, old);
  }

  const known = olds.flatMap((old, item) => (old === undefined ? [] : [{ old, item }]));
  const rise = longestRise(known.map(({ old }) => old));
  const inOrder = new Set(known.filter((_, position) => rise.has(position)).map(({ item }) => item));
  return olds.map((old, item) => ({ old, moved: old !== undefined && !inOrder.has(item) }));
}

function nameOf(item: unknown, identityOf: IdentityOf, side: "current" | "target"): string | undefined {
  return isJsonObject(item) ? identityOf(item, side) : undefined;
}

function jsonKind(value: unknown): string {
  return Array.isArray(value) ? "list" : isJsonObject(value) ? "map" : "scalar";
}

function positionsBy(names: readonly (string | undefined)[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, name] of names.entries()) {
    if (name === undefined) continue;
    const list = positions.get(name);
    if (list) list.push(position);
    else positions.set(name, [position]);
  }
  return positions;
}
