/** Pairs the items of a list with those of an older list, and orders the entries of an edited collection. */

import { canonicalJson, isJsonObject, type JsonObject } from "../schemas/json.ts";
import { longestRise } from "../longest-rise.ts";
import type { SourceNode } from "./yaml-source.ts";
import type { Collection } from "./yaml-style.ts";

/** What identifies an item in its list, at whatever index; undefined where nothing does. */
export type IdentityOf = (item: JsonObject) => string | undefined;

/** For an item of the new list: its index in the old one, and whether it changes its order among the others. */
export type Matched = { old: number | undefined; moved: boolean };

/** An entry of the target; `key` is that of a pair. */
export type Entry = Matched & { key: string | undefined; value: unknown };

/**
 * The entries of `target` with the entries of `node` that they continue. Pairs stay in their order, because it has no
 * meaning; a new pair follows the one that it follows in `target`.
 *
 * @param current the value of `node`; like `target`, a list for a list and a mapping for a mapping
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
  /** New pairs, by the present key that they follow. */
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
 * For each item of `after`, the item of `before` that it continues: one of the same identity, else an equal one, else
 * the one that was at its place. As many items as possible keep their order.
 */
export function matchItems(before: readonly unknown[], after: readonly unknown[], identityOf: IdentityOf): Matched[] {
  const oldNames = before.map((item) => nameOf(item, identityOf));
  const newNames = after.map((item) => nameOf(item, identityOf));
  const oldTexts = before.map(canonicalJson);
  const newTexts = after.map(canonicalJson);
  const olds: (number | undefined)[] = after.map(() => undefined);
  const taken = new Set<number>();
  const take = (item: number, old: number) => {
    olds[item] = old;
    taken.add(old);
  };

  // Items that are equal at both ends stay, and in a list of the same length those that are equal at their index. So among
  // many equal items the right one counts as changed.
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

function nameOf(item: unknown, identityOf: IdentityOf): string | undefined {
  return isJsonObject(item) ? identityOf(item) : undefined;
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
