/**
 * Merges the layout of the target into the layout of a file. Matches items by ids and keys. Merges matched items member
 * by member. Parts with the same meaning in the file and on the target stay as in the
 * file.
 */

import type { Block, DraftContent, StagedField } from "../schemas/draft.ts";
import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import type { Surface } from "../schemas/layout.ts";
import type { PathStep } from "../schemas/path.ts";
import { addMissingIds, adoptIds } from "../contents/ids.ts";
import { sameContent, settle } from "../contents/compare.ts";
import { normalContent, unspokenOf } from "../contents/normal.ts";
import { contentForFile } from "./exported.ts";
import { escapeTexts } from "../manifests/read/environment.ts";
import { type LayoutItem, mergeItems, placementOf, writePlacements } from "./merge-items.ts";
import type { Merging } from "./merge-values.ts";

export type LayoutSides = {
  /** The layout as in the file, with placeholders. */
  raw: JsonObject;
  file: DraftContent;
  target: DraftContent;
  /** The content when file and target were last equal. If undefined, the merge takes the target. */
  base: DraftContent | undefined;
  surface: Surface;
  /** Whether a staged change is already applied. Such changes are kept in the file. */
  isApplied: (staged: StagedField) => boolean;
  /** Parses a layout from a file. Its texts may contain placeholders. Undefined if the layout is invalid. */
  read: (layout: JsonObject) => DraftContent | undefined;
};

/** The lists of a content, and the member that identifies their items. */
const LISTS = { regions: "key", blocks: "id", stagedFieldDefinitions: "draftId", scriptBindings: "id" } as const;
type ListName = keyof typeof LISTS;

/**
 * Returns the merged layout, and reports conflicts to `merging` with paths below `path`. A layout that can't be merged
 * is reported as one conflict and returned unchanged. If a merge takes everything from the target without a conflict,
 * the result is read again, to verify that it equals the target.
 */
export function mergeContent(sides: LayoutSides, merging: Merging, path: readonly PathStep[]): JsonObject {
  const { raw, file, target, base, surface, isApplied, read } = sides;
  const conflictsBefore = merging.conflicts.length;
  // A block without an id in the file gets its id from the target, or else from the base.
  const known = adoptIds(file, target);
  const identified = addMissingIds(base ? adoptIds(known, base) : known);
  const settled = settle(identified, surface, isApplied);
  const omitted = unspokenOf(identified);
  const fileNormal = normalContent(settled, omitted);
  const targetNormal = normalContent(target, omitted);
  const baseNormal =
    base && normalContent(settle(adoptIds(adoptIds(base, target), identified), surface, isApplied), omitted);
  if (sameJson(fileNormal, targetNormal)) return raw;

  const result: JsonObject = { ...raw };
  const metadata = {
    raw: raw["metadata"],
    file: fileNormal["metadata"],
    target: targetNormal["metadata"],
    base: baseNormal && { value: baseNormal["metadata"] },
  };
  const mergedMetadata = merging.merge(metadata, [...path, "metadata"]);
  if (mergedMetadata === null && raw["metadata"] === undefined) delete result["metadata"];
  else if (mergedMetadata !== undefined) result["metadata"] = mergedMetadata;

  const targetFile = contentForFile(target);
  const blockIds = idsOf(settled.blocks);
  for (const name of Object.keys(LISTS) as ListName[]) {
    const rawList = (raw[name] ?? []) as JsonObject[];
    const items = fileItems(name, rawList, identified, settled, fileNormal);
    const lists = {
      file: items,
      target: itemsOf(name, targetNormal[name] as JsonObject[], (targetFile[name] ?? []) as JsonObject[]),
      base: baseNormal && itemsOf(name, baseNormal[name] as JsonObject[], []),
      fileIds: name === "blocks" ? blockIds : new Set<string>(),
    };
    const merged = writePlacements(mergeItems(lists, merging, [...path, name]), merging);
    const isUnchanged = sameJson(
      merged,
      items.map((item) => item.raw),
    );
    const appliedItems = rawList.filter((_, index) => !items.some((item) => item.index === index));
    const list = isUnchanged ? rawList : [...appliedItems, ...merged];
    if (list.length > 0 || raw[name] !== undefined) result[name] = list;
  }

  const refuse = (message: string) => {
    merging.conflicts.length = conflictsBefore;
    merging.report(path, path.length === 0 ? `the layout ${message}` : message);
    return raw;
  };
  if (hasBlockTwice(result)) return refuse("has a block that was moved on one side and changed on the other");
  const isTarget = merging.conflicts.length === conflictsBefore && (!baseNormal || sameJson(fileNormal, baseNormal));
  const meaning = isTarget ? read(result) : undefined;
  if (!isTarget || (meaning && sameContent(settle(meaning, surface, isApplied), target))) return result;
  return refuse("can't be merged with the target safely. Export it into an empty folder, and copy it from there");
}

/** Returns the items of the file with their normal content. Leaves out items with an applied staged change. */
function fileItems(
  name: ListName,
  raw: readonly JsonObject[],
  identified: DraftContent,
  settled: DraftContent,
  normal: JsonObject,
): LayoutItem[] {
  const normals = normal[name] as JsonObject[];
  if (name === "blocks") return fileBlocks(raw, identified.blocks, settled.blocks, normals);
  const pending = new Map(settled[name].map((item, index) => [item as object, normals[index]!]));
  return identified[name].flatMap((item, index) => {
    const itemNormal = pending.get(item);
    if (!itemNormal) return [];
    const placement = name === "regions" ? { placement: placementOf(itemNormal, index) } : {};
    return [{ id: identityOf(name, item, index), index, raw: raw[index]!, normal: itemNormal, ...placement }];
  });
}

function fileBlocks(
  raw: readonly JsonObject[],
  identified: readonly Block[],
  settled: readonly Block[],
  normals: readonly JsonObject[],
  parentRegion?: unknown,
): LayoutItem[] {
  return settled.map((block, index) => {
    const { children: inner, ...normal } = normals[index]!;
    const placement = placementOf(normal, index, parentRegion);
    const children = fileBlocks(
      (raw[index]!["children"] ?? []) as JsonObject[],
      identified[index]!.children ?? [],
      block.children ?? [],
      (inner ?? []) as JsonObject[],
      placement.regionKey,
    );
    const isStaged = identified[index]!.source !== block.source;
    return { id: block.id!, index, raw: raw[index]!, normal, placement, children, isStaged };
  });
}

/**
 * Returns the items of the target or the base.
 *
 * @param normals the items in normal form
 * @param inFile the same items in the form of a file. Empty for the base, because the base is only compared
 */
function itemsOf(
  name: ListName,
  normals: readonly JsonObject[],
  inFile: readonly JsonObject[],
  parentRegion?: unknown,
): LayoutItem[] {
  return normals.map((item, index) => {
    const { children: inner, ...normal } = item;
    const placement = placementOf(normal, index, parentRegion);
    const { children: outer, ...members } = inFile[index] ?? {};
    return {
      id: identityOf(name, item, index),
      index,
      raw: escapeTexts(members) as JsonObject,
      normal,
      ...((name === "blocks" || name === "regions") && { placement }),
      ...(name === "blocks" && {
        children: itemsOf(name, (inner ?? []) as JsonObject[], (outer ?? []) as JsonObject[], placement.regionKey),
      }),
    };
  });
}

/** Returns the id or key of an item. An item without an id or key is identified by its index. */
function identityOf(name: ListName, item: JsonObject, index: number): string {
  const id = item[LISTS[name]];
  return typeof id === "string" ? id : `index ${index}`;
}

function idsOf(blocks: readonly Block[]): Set<string> {
  return new Set(blocks.flatMap(({ id, children }) => [...(id === undefined ? [] : [id]), ...idsOf(children ?? [])]));
}

/**
 * Whether the merged layout contains a block twice. In this case, the block was moved in the file and changed on the
 * target, or the reverse.
 */
function hasBlockTwice(layout: JsonObject): boolean {
  const seen = new Set<unknown>();
  const visit = (blocks: unknown): boolean =>
    Array.isArray(blocks) &&
    blocks.some((block: unknown) => {
      if (!isJsonObject(block)) return false;
      const { id, children } = block;
      if (id !== undefined && seen.has(id)) return true;
      seen.add(id);
      return visit(children);
    });
  return visit(layout["blocks"]);
}
