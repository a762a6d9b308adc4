/** Checks of grid positions: valid numbers, width, and overlaps in dashboard grids (R41). */

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
    const message = `the block overlaps with ${nameOf(overlap.other)} in ${overlap.mode}. Move one of them`;
    context.report.block("GRID_OVERLAP", node, ["grid"], message, { mode: overlap.mode });
  };
};

function hasValidNumbers({ report }: CheckContext, node: BlockNode, grid: Grid): boolean {
  if (
    isValidPosition(grid.colSpan) &&
    isValidPosition(grid.colStart) &&
    isValidPosition(grid.rowSpan) &&
    isValidPosition(grid.rowStart)
  )
    return true;
  for (const member of NUMBERS) {
    const value = grid[member];
    if (isValidPosition(value)) continue;
    report.block(
      "COLSPAN_INVALID",
      node,
      ["grid", member],
      `${member} is ${value}. It must be a whole number of at least 1`,
    );
  }
  return false;
}

function isValidPosition(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 1);
}

function checkWidth({ report }: CheckContext, node: BlockNode, { colSpan, colStart = 1 }: Grid): void {
  // The number of columns within a block of an unknown type is unknown.
  if (node.parent && !isKnownType(node.parent.block.type)) return;
  const columns = node.parent ? FULL_WIDTH : node.region && columnsOf(node.region);
  if (columns === undefined) return;
  const width = colSpan ?? columns;
  if (width > columns) {
    const message = `colSpan ${width} exceeds the ${columns} columns of the grid. Use at most ${columns}`;
    report.block("COLSPAN_EXCEEDS_COLUMNS", node, ["grid", "colSpan"], message);
  } else if (colStart + width - 1 > columns) {
    const span = colSpan === undefined ? `the full width of ${width}` : `colSpan ${width}`;
    const step =
      colStart > columns
        ? `Use at most colStart ${columns - width + 1}`
        : `Use at most colSpan ${columns - colStart + 1}`;
    const message = `colStart ${colStart} with ${span} exceeds the ${columns} columns of the grid. ${step}`;
    report.block("COLSTART_OVERFLOW", node, ["grid", "colStart"], message);
  }
}

/**
 * Returns the number of columns of a region. Outside of grids, `columns` is only a hint for the width. Then the result
 * is at least 12 (docs/decisions.md, "Grid").
 */
function columnsOf({ region }: RegionNode): number {
  const columns = region.columns ?? FULL_WIDTH;
  return region.layout === "grid" || region.layout === "dashboard_grid" ? columns : Math.max(columns, FULL_WIDTH);
}

type Overlap = { other: BlockNode; mode: Mode };

/** The covered columns and rows. `right` and `bottom` are exclusive. */
type Box = { node: BlockNode; left: number; right: number; top: number; bottom: number };

/**
 * Returns overlapping blocks, each with an earlier block that it overlaps and a mode that shows both. Compares only
 * blocks with colStart and rowStart in dashboard grids. May miss some overlaps, but finds at least one if there are any.
 */
function findOverlaps(
  regions: readonly RegionNode[],
  columnCount: (node: BlockNode) => number | undefined,
): Map<BlockNode, Overlap> {
  const overlaps = new Map<BlockNode, Overlap>();
  for (const { region, roots } of regions) {
    if (region.layout !== "dashboard_grid") continue;
    const boxes = roots.flatMap((node) => boxOf(node, columnCount(node) ?? 1));
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
  // The boxes that may reach the current row, from left to right. They share no column. So their right sides have the
  // same order, and `firstBeyond` can search for a right side.
  const open: Box[] = [];
  for (const box of boxes) {
    let index = firstBeyond(open, box.left);
    let hit: Box | undefined;
    for (let other = open[index]; other && other.left < box.right && !hit; other = open[index]) {
      if (other.bottom <= box.top) open.splice(index, 1);
      else hit = other;
    }
    if (hit) addOverlap(box.node, hit.node, mode, overlaps);
    else open.splice(index, 0, box);
  }
}

/** Returns the index of the first box whose right side is beyond `left`. */
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

function addOverlap(a: BlockNode, b: BlockNode, mode: Mode, overlaps: Map<BlockNode, Overlap>): void {
  const [earlier, later] = a.number < b.number ? [a, b] : [b, a];
  if (!overlaps.has(later)) overlaps.set(later, { other: earlier, mode });
}
