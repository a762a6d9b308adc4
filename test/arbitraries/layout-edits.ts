/** Edits of a layout, like those of another tool: with block ids, and with or without display orders. */

import * as fc from "fast-check";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";

/** Edits by another user: blocks are removed, moved, changed or added, and display orders are renumbered or removed. */
export const anyLayoutEdits: fc.Arbitrary<LayoutEdits> = fc.array(
  fc.record({
    at: fc.nat(),
    act: fc.constantFrom(
      "label",
      "drop",
      "last",
      "swap",
      "out",
      "add",
      "span",
      "policy",
      "number",
      "renumber",
      "unnumber",
      "region",
      "regions",
    ),
    text: fc.string(),
  }),
  { maxLength: 6 },
);
export type LayoutEdits = { at: number; act: string; text: string }[];

export function editedLayout(before: DraftContent, list: LayoutEdits): DraftContent {
  const after = structuredClone(before);
  for (const [index, { at, act, text }] of list.entries()) {
    const places: { list: Block[]; index: number }[] = [];
    const visit = (blocks: Block[]) =>
      blocks.forEach((block, position) => {
        places.push({ list: blocks, index: position });
        visit(block.children ?? []);
      });
    visit(after.blocks);
    const place = places[at % Math.max(places.length, 1)];
    if (!place) continue;
    const block = place.list[place.index]!;
    if (act === "label") block.config = { ...block.config, label: text };
    if (act === "span") block.grid = { colSpan: (at % 12) + 1 };
    if (act === "policy") block.requiredPolicy = "required";
    if (act === "drop") place.list.splice(place.index, 1);
    if (act === "last") place.list.push(...place.list.splice(place.index, 1));
    if (act === "out") after.blocks.push(...place.list.splice(place.index, 1));
    if (act === "add")
      place.list.splice(place.index, 0, { id: `added_${index}`, type: "custom_html", source: "system" });
    if (act === "swap") place.list.splice(place.index, 1, ...place.list.splice((at + 1) % place.list.length, 1, block));
    if (act === "number") block.displayOrder = at % 7;
    if (act === "renumber" || act === "unnumber") numberAll(after, act === "renumber");
    if (act === "region") block.regionKey = after.regions[at % after.regions.length]!.key;
    if (act === "regions") after.regions.reverse();
  }
  return after;
}

/** Sets the display order of each block and region to its index, or removes all display orders. */
function numberAll({ regions, blocks }: DraftContent, isNumbered: boolean): void {
  const number = (list: (Pick<Block, "displayOrder" | "children"> | DraftContent["regions"][number])[]) =>
    list.forEach((item, index) => {
      if (isNumbered) item.displayOrder = index;
      else delete item.displayOrder;
      if (Array.isArray(item.children)) number(item.children as Block[]);
    });
  number(regions);
  number(blocks);
}

export function numbered(content: DraftContent): DraftContent {
  const copy = structuredClone(content);
  numberAll(copy, true);
  return copy;
}
