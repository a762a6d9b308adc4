/** Rules about a block's place in the grid around it (R41). */

import type { Block } from "../draft.ts";
import { isKnownType } from "../draft-sources.ts";
import type { BlockNode, RegionNode } from "../draft-tree.ts";
import type { CheckContext, BlockRule } from "./context.ts";
import { findOverlaps } from "./grid-overlap.ts";
import { nameOf } from "./report.ts";

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
