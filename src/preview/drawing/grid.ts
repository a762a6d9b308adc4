/**
 * Places blocks in a grid as the HTML page of the preview does. A block with a row and a column is placed there. Any
 * other block is placed at the next free position. A block that would be too narrow gets more columns. Such a block may
 * move to the next row.
 */

import { arranged, grown, type Picture, type Placed } from "./picture.ts";

/**
 * The size and position of an item. `start` and `row` count from 1. An item without a position has no `start` and no
 * `row`.
 */
export type GridItem = { span: number; start: number | undefined; row: number | undefined; rowSpan: number };

/** A position in the grid: columns and rows count from 0. */
type Cell<Item> = { item: Item; column: number; span: number; row: number; rowSpan: number };

/** The maximum number of rows that a block takes. More rows would only add blank lines. */
const MAX_ROW_SPAN = 6;
/** The minimum width of a block in columns of a terminal: the borders and a short word. */
const MIN_WIDTH = 16;
const GAP = 1;

export type GridView<Item> = {
  columns: number;
  /** In columns of a terminal. */
  width: number;
  /** The minimum height of a row, in lines. */
  rowHeight: number;
  /** Whether each item takes the whole width, for a narrow terminal. */
  isStacked: boolean;
  draw: (item: Item, width: number) => Picture;
};

export function drawGrid<Item>(items: readonly { grid: GridItem; item: Item }[], view: GridView<Item>): Picture {
  const { columns, width, isStacked } = view;
  const placed: Placed[] = [];
  let y = 0;
  for (const band of bandsOf(placeAll(items, columns))) {
    const isNarrow = band.some((cell) => isStacked || widthOf(cell, columns, width) < MIN_WIDTH);
    for (const cells of isNarrow ? reflow(band, view) : [band]) {
      const drawn = drawBand(cells, view);
      placed.push(...drawn.placed.map((each) => ({ ...each, y: each.y + y })));
      y += drawn.height;
    }
  }
  return arranged(placed, width);
}

/**
 * Returns the position of each item. Items never overlap: an item whose position is taken gets the next free position.
 */
function placeAll<Item>(items: readonly { grid: GridItem; item: Item }[], columns: number): Cell<Item>[] {
  const taken = new Map<number, boolean[]>();
  const isFree = ({ column, span, row, rowSpan }: Omit<Cell<Item>, "item">) => {
    for (let y = row; y < row + rowSpan; y++) {
      if (
        taken
          .get(y)
          ?.slice(column, column + span)
          .includes(true)
      )
        return false;
    }
    return true;
  };
  const take = ({ column, span, row, rowSpan }: Cell<Item>) => {
    for (let y = row; y < row + rowSpan; y++) {
      const cells = taken.get(y) ?? [];
      taken.set(y, cells);
      for (let x = column; x < column + span; x++) cells[x] = true;
    }
  };
  let row = 0;
  let next = 0;
  return items.map(({ grid, item }) => {
    const span = Math.min(grid.span, columns);
    const rowSpan = Math.min(grid.rowSpan, MAX_ROW_SPAN);
    const start = grid.start === undefined ? undefined : Math.min(grid.start - 1, columns - span);
    const at = { column: start ?? next, span, row: grid.row === undefined ? row : grid.row - 1, rowSpan };
    if (grid.row !== undefined) at.column = start ?? 0;
    else if (start !== undefined && start < next) at.row++;
    while (at.column + span > columns || !isFree(at)) {
      if (start === undefined && at.column + span < columns) at.column++;
      else {
        at.row++;
        at.column = start ?? 0;
      }
    }
    if (grid.row === undefined) {
      row = at.row;
      next = at.column + span;
    }
    const cell = { item, ...at };
    take(cell);
    return cell;
  });
}

/**
 * Splits the positions into bands: groups of adjacent rows, so that each item is in only one band. The rows of a band
 * count from 0. Empty rows between bands are left out.
 */
function bandsOf<Item>(cells: readonly Cell<Item>[]): Cell<Item>[][] {
  const bands: Cell<Item>[][] = [];
  let end = -1;
  for (const cell of cells.toSorted((a, b) => a.row - b.row || a.column - b.column)) {
    if (cell.row >= end) bands.push([]);
    end = Math.max(end, cell.row + cell.rowSpan);
    bands.at(-1)!.push(cell);
  }
  return bands.map((band) => {
    const first = band[0]!.row;
    return band.map((cell) => ({ ...cell, row: cell.row - first }));
  });
}

/**
 * Places the items of a band again, each with at least {@link MIN_WIDTH} columns of a terminal. An item alone in its
 * row takes the whole row.
 */
function reflow<Item>(band: readonly Cell<Item>[], { columns, width, isStacked }: GridView<Item>): Cell<Item>[][] {
  const minSpan = isStacked ? columns : Math.min(columns, Math.ceil(((MIN_WIDTH + GAP) * columns) / (width + GAP)));
  const items = band.map(({ item, span }) => ({
    item,
    grid: { span: Math.max(span, minSpan), start: undefined, row: undefined, rowSpan: 1 },
  }));
  return bandsOf(placeAll(items, columns)).map((row) =>
    row.length === 1 ? row.map((cell) => ({ ...cell, column: 0, span: columns })) : row,
  );
}

function drawBand<Item>(
  band: readonly Cell<Item>[],
  { columns, width, rowHeight, draw }: GridView<Item>,
): { placed: Placed[]; height: number } {
  const drawn = band.map((cell) => ({ cell, picture: draw(cell.item, widthOf(cell, columns, width)) }));
  const rows = Math.max(...band.map(({ row, rowSpan }) => row + rowSpan));
  const heights: number[] = Array.from({ length: rows }, () => rowHeight);
  const heightOf = ({ row, rowSpan }: Cell<Item>) =>
    heights.slice(row, row + rowSpan).reduce((sum, height) => sum + height, 0);
  for (const { cell, picture } of drawn.toSorted((a, b) => a.cell.rowSpan - b.cell.rowSpan)) {
    const missing = picture.lines.length - heightOf(cell);
    if (missing > 0) heights[cell.row + cell.rowSpan - 1]! += missing;
  }
  const top = (row: number) => heights.slice(0, row).reduce((sum, height) => sum + height, 0);
  const placed = drawn.map(({ cell, picture }) => ({
    x: edge(cell.column, columns, width),
    y: top(cell.row),
    picture: grown(picture, heightOf(cell)),
  }));
  return { placed, height: top(rows) };
}

/** Returns the left edge of a grid column, in columns of a terminal. */
function edge(column: number, columns: number, width: number): number {
  return Math.round((column * (width + GAP)) / columns);
}

function widthOf({ column, span }: Pick<Cell<unknown>, "column" | "span">, columns: number, width: number): number {
  return edge(column + span, columns, width) - GAP - edge(column, columns, width);
}
