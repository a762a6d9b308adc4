/** Rules about a block's place in the grid around it (R41). */

import type { Block } from "../draft.ts";
import { isKnownType } from "../draft-sources.ts";
import { type BlockNode, type RegionNode, modeSet } from "../draft-tree.ts";
import { type CheckContext, type BlockRule, nameOf } from "./report.ts";
import { MODES } from "../words.ts";
import type { Mode } from "../form.ts";

const FULL_WIDTH = 12;
const NUMBERS = ["colSpan", "colStart", "rowSpan", "rowStart"] as const;

type Grid = NonNullable<Block["grid"]>;

export const gridPlaces: BlockRule = (context) => {
  const overlaps = findOverlaps(context.tree.regions, (node) => node.region && columnsOf(node.region));
  return (node) => {
    const { grid } = node.block;
    if (grid && hasValidNumbers(context, node, grid)) checkWidth(context, node, grid);
    const overlap = overlaps.get(node);
    if (!overlap) return;
    const message = `in ${overlap.mode} it lies on ${nameOf(overlap.other)} - move one of them`;
    context.report.block("GRID_OVERLAP", node, ["grid"], message, { mode: overlap.mode });
  };
};

function hasValidNumbers({ report }: CheckContext, node: BlockNode, grid: Grid): boolean {
  if (isPlace(grid.colSpan) && isPlace(grid.colStart) && isPlace(grid.rowSpan) && isPlace(grid.rowStart)) return true;
  for (const member of NUMBERS) {
    const value = grid[member];
    if (isPlace(value)) continue;
    report.block("COLSPAN_INVALID", node, ["grid", member], `${member} is ${value} - take a whole number from 1`);
  }
  return false;
}

function isPlace(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 1);
}

function checkWidth({ report }: CheckContext, node: BlockNode, { colSpan, colStart = 1 }: Grid): void {
  // How many columns a block has inside of which only another server knows the type, is not known.
  if (node.parent && !isKnownType(node.parent.block.type)) return;
  const columns = node.parent ? FULL_WIDTH : node.region && columnsOf(node.region);
  if (columns === undefined) return;
  const width = colSpan ?? columns;
  if (width > columns) {
    const message = `colSpan is ${width}, but the grid around it has ${columns} columns - take ${columns} at most`;
    report.block("COLSPAN_EXCEEDS_COLUMNS", node, ["grid", "colSpan"], message);
  } else if (colStart + width - 1 > columns) {
    const span = colSpan === undefined ? `the full width of ${width}` : `colSpan ${width}`;
    const exit =
      colStart > columns ? `start at ${columns - width + 1} at most` : `take colSpan ${columns - colStart + 1} at most`;
    const message = `colStart ${colStart} with ${span} ends beyond column ${columns} - ${exit}`;
    report.block("COLSTART_OVERFLOW", node, ["grid", "colStart"], message);
  }
}

/** Only grids have columns; elsewhere the number is a hint for the width (docs/decisions.md, "Grid"). */
function columnsOf({ region }: RegionNode): number {
  const columns = region.columns ?? FULL_WIDTH;
  return region.layout === "grid" || region.layout === "dashboard_grid" ? columns : Math.max(columns, FULL_WIDTH);
}

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
