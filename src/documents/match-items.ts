/** Which item of a list was which item of an older one, so that a changed list is the same list with little done to it. */

import { canonicalJson, isJsonObject, type JsonObject } from "../schemas/json.ts";
import { longestRise } from "../schemas/longest-rise.ts";

/** What tells an item apart from the others of its list, wherever it stands; undefined where nothing does. */
export type IdentityOf = (item: JsonObject) => string | undefined;

/** An item of the new list: where it was in the old one, and whether it has to change its place for that. */
export type Matched = { old: number | undefined; moved: boolean };

/**
 * For each item of `after`, the item of `before` that it was: one of the same identity, else an equal one, else the one
 * that stood in its place. Those that keep their order are as many as possible.
 */
export function matchItems(before: readonly unknown[], after: readonly unknown[], identityOf: IdentityOf): Matched[] {
  const oldNames = before.map((item) => nameOf(item, identityOf));
  const newNames = after.map((item) => nameOf(item, identityOf));
  const olds: (number | undefined)[] = after.map(() => undefined);
  const taken = new Set<number>();
  const take = (item: number, old: number) => {
    olds[item] = old;
    taken.add(old);
  };

  // What is equal at both ends stays, and so in a list of the same length what is equal in its place: of many equal items
  // the right one is taken for the changed one.
  const texts = { old: before.map(canonicalJson), now: after.map(canonicalJson) };
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  for (; first < shorter && texts.old[first] === texts.now[first]; first++) take(first, first);
  for (let last = 1; last <= shorter - first && texts.old.at(-last) === texts.now.at(-last); last++) {
    take(after.length - last, before.length - last);
  }
  if (before.length === after.length) {
    for (const [item, text] of texts.now.entries())
      if (olds[item] === undefined && texts.old[item] === text) take(item, item);
  }

  const byName = positionsBy(oldNames.map((name, old) => (taken.has(old) ? undefined : name)));
  for (const [item, name] of newNames.entries()) {
    const old = name === undefined || olds[item] !== undefined ? undefined : byName.get(name)?.shift();
    if (old !== undefined) take(item, old);
  }
  const byText = positionsBy(texts.old.map((text, old) => (taken.has(old) ? undefined : text)));
  for (const [item, text] of texts.now.entries()) {
    const old = olds[item] === undefined ? byText.get(text)?.shift() : undefined;
    if (old !== undefined) take(item, old);
  }
  for (const [item, value] of after.entries()) {
    if (olds[item] !== undefined) continue;
    const old = item === 0 ? 0 : (olds[item - 1] ?? -2) + 1;
    const isFree = old >= 0 && old < before.length && !taken.has(old);
    const isOther = oldNames[old] !== undefined && newNames[item] !== undefined;
    if (isFree && !isOther && sortOf(before[old]) === sortOf(value)) take(item, old);
  }

  const known = olds.flatMap((old, item) => (old === undefined ? [] : [{ old, item }]));
  const rise = longestRise(known.map(({ old }) => old));
  const stay = new Set(known.filter((_, position) => rise.has(position)).map(({ item }) => item));
  return olds.map((old, item) => ({ old, moved: old !== undefined && !stay.has(item) }));
}

function nameOf(item: unknown, identityOf: IdentityOf): string | undefined {
  return isJsonObject(item) ? identityOf(item) : undefined;
}

function sortOf(value: unknown): string {
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
