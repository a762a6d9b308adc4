/** A list of things that have an identity, as the file has it and as it is there, made one list. */

import { sameValue } from "../../documents/same-value.ts";
import { isJsonObject, type JsonObject } from "../../schemas/json.ts";
import type { PathStep } from "../../schemas/path.ts";
import { type Merged, type Place, PLACED } from "./merge-places.ts";
import { likeOrder, mergedOrder, type Merging } from "./merge-values.ts";

export type MergedItem = {
  id: string;
  /** Where it stands in its list. */
  index: number;
  /** How it is or would be written. */
  raw: JsonObject;
  /** What it means, without its children. */
  normal: JsonObject;
  /** What it means where it says what its place says, too; absent in lists whose order says nothing. */
  said?: Place;
  children?: MergedItem[];
  /** The file calls what it shows by another name, which means the same. */
  isRenamed?: boolean;
};

export type ItemSides = {
  files: readonly MergedItem[];
  theres: readonly MergedItem[];
  /** Undefined where it is not known what was last the same. */
  bases: readonly MergedItem[] | undefined;
  /** Ids that stand anywhere in the file. */
  elsewhere: ReadonlySet<string>;
};

/** What a block shows is said by these together. */
const UNIT = ["source", "ref"];

/** Numbers and regions that follow from places are still to be spelled: merge-places.ts. */
export function mergeItems(sides: ItemSides, merging: Merging, path: readonly PathStep[]): Merged[] {
  const files = byId(sides.files);
  const theres = byId(sides.theres);
  const bases = sides.bases && byId(sides.bases);
  const results = new Map<string, Merged>();
  for (const id of new Set([...files.keys(), ...theres.keys()])) {
    const file = files.get(id);
    const there = theres.get(id);
    const base = bases?.get(id);
    const place = [...path, (file ?? there)!.index];
    if (file && there) results.set(id, mergeItem(file, there, base, { ...sides, knowsBase: !!bases }, merging, place));
    else if (file) {
      const isGone = !bases || (base !== undefined && sameItem(file, base));
      if (isGone) continue;
      if (base) merging.report(place, `"${id}" was changed in the file, and is not there any more`);
      results.set(id, whole(file, place));
    } else if (there) {
      if (!base) results.set(id, whole(there, place));
      else if (!sameItem(there, base) && !sides.elsewhere.has(id)) {
        merging.report(path, `"${id}" was removed from the file, and changed there`);
      }
    }
  }
  return inOrder(sides, results, merging, path);
}

type Context = Pick<ItemSides, "elsewhere"> & { knowsBase: boolean };

function mergeItem(
  file: MergedItem,
  there: MergedItem,
  base: MergedItem | undefined,
  { elsewhere, knowsBase }: Context,
  merging: Merging,
  path: readonly PathStep[],
): Merged {
  const result: JsonObject = { ...file.raw };
  const own: Record<string, unknown> = {};
  const isPlaced = (name: string) => file.said !== undefined && PLACED.some((placed) => placed === name);
  const names = mergedOrder(Object.keys(file.normal), Object.keys(there.normal));
  let takesUnit = false;
  for (const name of names) {
    if (name === "id") continue;
    const said = file.normal[name];
    const other = there.normal[name];
    const before = knowsBase ? { value: base?.normal[name] } : undefined;
    if (isPlaced(name)) own[name] = said;
    if (sameValue(said, other) || (before && sameValue(before.value, other))) continue;
    if (isPlaced(name)) {
      if (before && !sameValue(before.value, said)) merging.report([...path, name]);
      else own[name] = other;
      continue;
    }
    if (file.isRenamed && UNIT.includes(name)) {
      takesUnit = true;
      continue;
    }
    const kept = file.raw[name];
    const merged = merging.merge({ raw: kept, said, there: other, base: before }, [...path, name]);
    if (merged === kept) continue;
    // Members of an object are merged one by one; anything else is taken in the words of the other side.
    const taken = isJsonObject(said) && isJsonObject(other) ? merged : likeOrder(kept, there.raw[name]);
    if (taken === undefined || taken === null) delete result[name];
    else result[name] = taken;
  }
  if (takesUnit) for (const name of UNIT) result[name] = there.raw[name];
  const merged = { raw: result, ...(file.said && { said: file.said }), own, path };
  if (!file.children || !there.children) return merged;
  const bases = knowsBase ? (base?.children ?? []) : undefined;
  const inner = { files: file.children, theres: there.children, bases, elsewhere };
  return { ...merged, children: mergeItems(inner, merging, [...path, "children"]) };
}

/** The order of the side that has changed it; each item of the other side behind the one that it follows there. */
function inOrder(
  { files, theres, bases }: ItemSides,
  results: ReadonlyMap<string, Merged>,
  merging: Merging,
  path: readonly PathStep[],
): Merged[] {
  const idsOf = (items: readonly MergedItem[]) => items.map(({ id }) => id);
  const inFile = idsOf(files);
  const inThere = idsOf(theres);
  const hasMoved = (ids: readonly string[]) => bases !== undefined && !isSameOrder(ids, idsOf(bases));
  const fileMoved = hasMoved(inFile);
  if (fileMoved && hasMoved(inThere) && !isSameOrder(inFile, inThere)) {
    merging.report(path, "was put into another order in the file, and into yet another there");
  }
  const order = fileMoved ? mergedOrder(inFile, inThere) : mergedOrder(inThere, inFile);
  return order.flatMap((id) => (results.has(id) ? [results.get(id)!] : []));
}

function isSameOrder(ids: readonly string[], others: readonly string[]): boolean {
  const mine = new Set(ids);
  const common = others.filter((id) => mine.has(id));
  const known = new Set(common);
  return sameValue(
    ids.filter((id) => known.has(id)),
    common,
  );
}

function sameItem(a: MergedItem, b: MergedItem): boolean {
  const [inner = [], other = []] = [a.children, b.children];
  return (
    sameValue(a.normal, b.normal) &&
    inner.length === other.length &&
    inner.every((child, index) => sameItem(child, other[index]!))
  );
}

function whole({ raw, normal, said, children }: MergedItem, path: readonly PathStep[]): Merged {
  const inner = children?.map((child, index) => whole(child, [...path, "children", index]));
  return { raw, ...(said && { said }), own: normal, path, ...(inner && { children: inner }) };
}

function byId(items: readonly MergedItem[]): Map<string, MergedItem> {
  return new Map(items.map((item) => [item.id, item]));
}
