/**
 * Merges a list of regions, blocks, staged fields or script bindings. Matches items by their identity. Merges matched
 * items member by member. `displayOrder` and `regionKey` are written last, because they depend on the order of the
 * merged list.
 */

import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import type { PathStep } from "../schemas/path.ts";
import { likeOrder, type Merging } from "./merge-values.ts";
import { mergedOrder } from "../documents/item-identity.ts";

/**
 * The members of an item whose defaults depend on the position of the item. The default of `displayOrder` is the index
 * of the item. The default of `regionKey` is the region of the parent.
 */
export type Placement = { displayOrder: number; regionKey?: unknown };

/**
 * The names of the members of `Placement`. A normal content (contents/normal.ts) omits such a member if the member has
 * its default value.
 */
const PLACEMENT = ["displayOrder", "regionKey"] as const;

export type LayoutItem = {
  id: string;
  index: number;
  /** The item in the form of a file. An item of the target is in the form of an export. */
  raw: JsonObject;
  /** The item in a normal content, without its children. */
  normal: JsonObject;
  /** The placement of the item, with defaults. Absent in lists whose order has no meaning. */
  placement?: Placement;
  children?: LayoutItem[];
  /**
   * Whether the file references a staged field that already exists on the target. `source` and `ref` then differ from
   * the target, but have the same meaning.
   */
  isStaged?: boolean;
};

export type ItemSides = {
  file: readonly LayoutItem[];
  target: readonly LayoutItem[];
  /** If undefined, the base is unknown. The merge then takes the target. */
  base: readonly LayoutItem[] | undefined;
  /**
   * The ids of all blocks in the file. If a block of the target is in a different list of the file, the block was moved
   * and not deleted.
   */
  fileIds: ReadonlySet<string>;
};

/** An item of a merged list, before its placement is written. */
export type MergedItem = {
  raw: JsonObject;
  /** `displayOrder` and `regionKey` of `raw`, after environment variables are substituted. */
  placement?: Placement;
  /**
   * The values of `displayOrder` and `regionKey` to write. An absent value is the default. Other members of the item
   * are ignored.
   */
  explicit: Readonly<Record<string, unknown>>;
  path: readonly PathStep[];
  children?: MergedItem[];
};

/**
 * The two members that reference a field together. The file may reference a staged field that already exists on the
 * target. Then a change of one member on the target takes both members from the target.
 */
const REFERENCE = ["source", "ref"];

export function mergeItems(sides: ItemSides, merging: Merging, path: readonly PathStep[]): MergedItem[] {
  const files = byId(sides.file);
  const targets = byId(sides.target);
  const bases = sides.base && byId(sides.base);
  const results = new Map<string, MergedItem>();
  for (const id of new Set([...files.keys(), ...targets.keys()])) {
    const file = files.get(id);
    const target = targets.get(id);
    const base = bases?.get(id);
    const itemPath = [...path, (file ?? target)!.index];
    if (file && target) {
      results.set(id, mergeItem(file, target, bases && { item: base }, sides.fileIds, merging, itemPath));
    } else if (file) {
      const isDeleted = !bases || (base !== undefined && isSameItem(file, base));
      if (isDeleted) continue;
      if (base) merging.report(itemPath, `"${id}" was changed in the file and deleted on the target`);
      results.set(id, wholeItem(file, itemPath));
    } else if (target) {
      if (!base) results.set(id, wholeItem(target, itemPath));
      else if (!isSameItem(target, base) && !sides.fileIds.has(id)) {
        merging.report(path, `"${id}" was deleted from the file and changed on the target`);
      }
    }
  }
  return inOrder(sides, results, merging, path);
}

/**
 * Merges an item that is in the file and on the target.
 *
 * @param base undefined if the base is unknown. `item` is undefined if the base does not contain the item
 */
function mergeItem(
  file: LayoutItem,
  target: LayoutItem,
  base: { item: LayoutItem | undefined } | undefined,
  fileIds: ReadonlySet<string>,
  merging: Merging,
  path: readonly PathStep[],
): MergedItem {
  const result: JsonObject = { ...file.raw };
  const explicit: Record<string, unknown> = {};
  let takesReference = false;
  for (const name of mergedOrder(Object.keys(file.normal), Object.keys(target.normal))) {
    if (name === "id") continue;
    const inFile = file.normal[name];
    const onTarget = target.normal[name];
    const before = base && { value: base.item?.normal[name] };
    const isPlacement = file.placement !== undefined && PLACEMENT.some((each) => each === name);
    if (isPlacement) explicit[name] = inFile;
    if (sameJson(inFile, onTarget) || (before && sameJson(before.value, onTarget))) continue;
    if (isPlacement) {
      if (before && !sameJson(before.value, inFile)) merging.report([...path, name]);
      else explicit[name] = onTarget;
      continue;
    }
    if (file.isStaged && REFERENCE.includes(name)) {
      takesReference = true;
      continue;
    }
    const raw = file.raw[name];
    const merged = merging.merge({ raw, file: inFile, target: onTarget, base: before }, [...path, name]);
    if (merged === raw) continue;
    // Objects are merged member by member. Other values are written as in an export of the target.
    const taken = isJsonObject(inFile) && isJsonObject(onTarget) ? merged : likeOrder(raw, target.raw[name]);
    if (taken === undefined || taken === null) delete result[name];
    else result[name] = taken;
  }
  if (takesReference) for (const name of REFERENCE) result[name] = target.raw[name];
  const merged = { raw: result, ...(file.placement && { placement: file.placement }), explicit, path };
  if (!file.children || !target.children) return merged;
  const children = { file: file.children, target: target.children, base: base && (base.item?.children ?? []), fileIds };
  return { ...merged, children: mergeItems(children, merging, [...path, "children"]) };
}

/**
 * Orders the merged items. If the file changed the order, the order of the file counts. Otherwise the order of the
 * target counts. An item that is missing in the chosen order follows its predecessor in the other order.
 */
function inOrder(
  { file, target, base }: ItemSides,
  results: ReadonlyMap<string, MergedItem>,
  merging: Merging,
  path: readonly PathStep[],
): MergedItem[] {
  const idsOf = (items: readonly LayoutItem[]) => items.map(({ id }) => id);
  const inFile = idsOf(file);
  const onTarget = idsOf(target);
  const isReordered = (ids: readonly string[]) => base !== undefined && !isSameOrder(ids, idsOf(base));
  const isFileReordered = isReordered(inFile);
  if (isFileReordered && isReordered(onTarget) && !isSameOrder(inFile, onTarget)) {
    merging.report(path, "was reordered differently in the file and on the target");
  }
  const order = isFileReordered ? mergedOrder(inFile, onTarget) : mergedOrder(onTarget, inFile);
  return order.flatMap((id) => (results.has(id) ? [results.get(id)!] : []));
}

/** Whether the common ids of both lists have the same order. */
function isSameOrder(ids: readonly string[], others: readonly string[]): boolean {
  const mine = new Set(ids);
  const common = others.filter((id) => mine.has(id));
  const known = new Set(common);
  return sameJson(
    ids.filter((id) => known.has(id)),
    common,
  );
}

function isSameItem(a: LayoutItem, b: LayoutItem): boolean {
  const [inner = [], other = []] = [a.children, b.children];
  return (
    sameJson(a.normal, b.normal) &&
    inner.length === other.length &&
    inner.every((child, index) => isSameItem(child, other[index]!))
  );
}

function wholeItem({ raw, normal, placement, children }: LayoutItem, path: readonly PathStep[]): MergedItem {
  const inner = children?.map((child, index) => wholeItem(child, [...path, "children", index]));
  return { raw, ...(placement && { placement }), explicit: normal, path, ...(inner && { children: inner }) };
}

function byId(items: readonly LayoutItem[]): Map<string, LayoutItem> {
  return new Map(items.map((item) => [item.id, item]));
}

/** Returns the placement of an item in a normal content, with defaults. */
export function placementOf(normal: JsonObject, index: number, parentRegion?: unknown): Placement {
  const { displayOrder = index, regionKey = parentRegion } = normal;
  return { displayOrder: displayOrder as number, regionKey };
}

/**
 * Writes the placement of merged items. Writes each member whose value differs from the default. Also writes each
 * member that the file already contains.
 */
export function writePlacements(items: readonly MergedItem[], merging: Merging, parentRegion?: unknown): JsonObject[] {
  return items.map(({ raw, placement, explicit, path, children }, displayOrder) => {
    const result: JsonObject = { ...raw };
    const defaults: Placement = { displayOrder, regionKey: parentRegion };
    for (const name of placement ? PLACEMENT : []) {
      const target = explicit[name] ?? defaults[name];
      const isWritten = raw[name] != null;
      if (explicit[name] === undefined && !isWritten) continue;
      const sides = { raw: raw[name], file: isWritten ? placement![name] : undefined, target, base: undefined };
      if (target === undefined) delete result[name];
      else result[name] = merging.merge(sides, [...path, name]);
    }
    if (children) {
      const inner = writePlacements(children, merging, explicit["regionKey"] ?? parentRegion);
      if (inner.length > 0 || raw["children"] !== undefined) result["children"] = inner;
    }
    return result;
  });
}
