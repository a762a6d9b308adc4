/** Finds blocks of a dashboard grid that lie on each other, by a sweep from the first row to the last. */

import { MODES } from "../words.ts";
import type { BlockNode, RegionNode } from "../draft-tree.ts";
import type { Mode } from "../form.ts";
import { modeSet } from "../mode-set.ts";

export type Overlap = { other: BlockNode; mode: Mode };

/** The columns from `left` and the rows from `top`; `right` and `bottom` are the first ones beyond. */
type Box = { node: BlockNode; left: number; right: number; top: number; bottom: number };

/**
 * For blocks with a column and row of their own: an earlier block that they lie on, in a mode that has both.
 * If any two overlap, some pair is found; what lies only on a block that is itself in the way is found after that.
 */
export function findOverlaps(
  regions: readonly RegionNode[],
  columnsOf: (node: BlockNode) => number | undefined,
): Map<BlockNode, Overlap> {
  const overlaps = new Map<BlockNode, Overlap>();
  for (const { region, roots } of regions) {
    if (region.layout !== "dashboard_grid") continue;
    const boxes = roots.flatMap((node) => boxOf(node, columnsOf(node) ?? 1));
    boxes.sort((a, b) => a.top - b.top);
    for (const mode of MODES)
      sweep(
        boxes.filter(({ node }) => node.modes & modeSet([mode])),
        mode,
        overlaps,
      );
  }
  return overlaps;
}

function boxOf(node: BlockNode, columns: number): Box[] {
  const { colStart, rowStart, colSpan = columns, rowSpan = 1 } = node.block.grid ?? {};
  if (colStart === undefined || rowStart === undefined) return [];
  if (![colStart, rowStart, colSpan, rowSpan].every((value) => Number.isInteger(value) && value >= 1)) return [];
  return [{ node, left: colStart, right: colStart + colSpan, top: rowStart, bottom: rowStart + rowSpan }];
}

function sweep(boxes: readonly Box[], mode: Mode, overlaps: Map<BlockNode, Overlap>): void {
  // The boxes that the current row may cross. They share no column, so one order is that of both their sides.
  const open: Box[] = [];
  for (const box of boxes) {
    let place = firstBeyond(open, box.left);
    let hit: Box | undefined;
    for (let other = open[place]; other && other.left < box.right && !hit; other = open[place]) {
      if (other.bottom <= box.top) open.splice(place, 1);
      else hit = other;
    }
    if (hit) note(box.node, hit.node, mode, overlaps);
    else open.splice(place, 0, box);
  }
}

/** Where the first box stands that ends to the right of `left`. */
function firstBeyond(open: readonly Box[], left: number): number {
  let low = 0;
  let high = open.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (open[middle]!.right > left) high = middle;
    else low = middle + 1;
  }
  return low;
}

function note(a: BlockNode, b: BlockNode, mode: Mode, overlaps: Map<BlockNode, Overlap>): void {
  const [earlier, later] = a.number < b.number ? [a, b] : [b, a];
  if (!overlaps.has(later)) overlaps.set(later, { other: earlier, mode });
}
