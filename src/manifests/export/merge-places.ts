/** What the place of a block or region says of it: a number and a region that are left out, or written out, or are others. */

import type { JsonObject } from "../../schemas/json.ts";
import type { PathStep } from "../../schemas/path.ts";
import type { Merging } from "./merge-values.ts";

/** What an item without a word of its own has from its place: the number of its index, the region of its parent. */
export type Place = { displayOrder: number; regionKey?: unknown };

/** An item of a merged list, whose place is not known before the list is whole. */
export type Merged = {
  raw: JsonObject;
  /** What `raw` means where it says it, with the environment filled in; absent in lists whose order says nothing. */
  said?: Place;
  /** What it shall say by itself; what is absent is as its place has it. */
  own: Readonly<Record<string, unknown>>;
  path: readonly PathStep[];
  children?: Merged[];
};

/** Members that normal contents have only where they differ from what the place says. */
export const PLACED = ["displayOrder", "regionKey"] as const;

/**
 * The items as they are written in their places: a number or a region that somebody wrote out of habit goes along with the
 * item, and one that means something stays.
 */
export function spellPlaces(items: readonly Merged[], merging: Merging, regionKey?: unknown): JsonObject[] {
  return items.map(({ raw, said, own, path, children }, displayOrder) => {
    const result: JsonObject = { ...raw };
    const place: Place = { displayOrder, regionKey };
    for (const name of said ? PLACED : []) {
      const there = own[name] ?? place[name];
      const isSaid = raw[name] != null;
      // What need not be said is not said where nobody has.
      if (own[name] === undefined && !isSaid) continue;
      const sides = { raw: raw[name], said: isSaid ? said![name] : undefined, there, base: undefined };
      if (there === undefined) delete result[name];
      else result[name] = merging.merge(sides, [...path, name]);
    }
    if (children) {
      const inner = spellPlaces(children, merging, own["regionKey"] ?? regionKey);
      if (inner.length > 0 || raw["children"] !== undefined) result["children"] = inner;
    }
    return result;
  });
}

/** What a normal item means in its place. */
export function placeOf(normal: JsonObject, index: number, regionKey?: unknown): Place {
  const { displayOrder = index, regionKey: own = regionKey } = normal;
  return { displayOrder: displayOrder as number, regionKey: own };
}
