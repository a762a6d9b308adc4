/** Chooses the columns of a table that fit in a width, and the width of each column. */

export type Measured = {
  /** The width of the widest text, in columns of the terminal. */
  natural: number;
  /** The width of the widest text with shortened ids. */
  short: number;
  isEssential: boolean;
  shrink: boolean;
  wraps: boolean;
  yields: boolean | "late";
};

export type Layout = {
  /** The indexes of the columns that are shown. */
  shown: number[];
  /** The widths of the columns in `shown`, in the same order. */
  widths: number[];
  /** Whether the ids are shortened. */
  isShort: boolean;
};

export const GAP = 2;
/** The minimum width of a column with cut texts, and of a column with wrapped texts. */
const MIN_CUT = 12;
const MIN_WRAPPED = 20;

/**
 * Fits columns into `total`. If the columns do not fit, takes these steps until they fit:
 *
 * 1. Shortens ids.
 * 2. Cuts or wraps texts.
 * 3. Hides columns with `yields: true`, the last column first.
 * 4. Hides columns with `yields: "late"`, the last column first.
 * 5. Hides other columns, the last column first. Essential columns are never hidden.
 */
export function fitColumns(columns: readonly Measured[], total: number): Layout {
  const all = columns.map((_column, index) => index);
  const natural = columns.map((column) => column.natural);
  if (widthOf(all, natural) <= total) return { shown: all, widths: natural, isShort: false };
  const short = columns.map((column) => column.short);
  const least = columns.map((column) => leastWidth(column, total));
  let shown = all;
  for (const stage of [true, "late", false]) {
    for (const index of all.toReversed()) {
      if (widthOf(shown, least) <= total) break;
      const { yields, isEssential } = columns[index]!;
      if (yields === stage && !isEssential) shown = shown.filter((each) => each !== index);
    }
  }
  const widths = shown.map((index) => short[index]!);
  const room = Math.max(total - GAP * (shown.length - 1), shown.length);
  const floorOf = (at: number) => least[shown[at]!]!;
  // Essential columns become narrower last, after all other columns have their minimum width.
  shrinkTo(widths, room, (at) => (columns[shown[at]!]!.isEssential ? Infinity : floorOf(at)));
  shrinkTo(widths, room, floorOf);
  shrinkTo(widths, room, () => 1);
  return { shown, widths, isShort: true };
}

function widthOf(shown: readonly number[], widths: readonly number[]): number {
  return shown.reduce((sum, index) => sum + GAP + widths[index]!, -GAP);
}

function leastWidth({ short, isEssential, shrink, wraps }: Measured, total: number): number {
  // A long name wraps within half of the terminal, because other columns need room too.
  if (isEssential) return Math.min(short, Math.max(MIN_WRAPPED, Math.floor(total / 2)));
  if (wraps) return Math.min(short, MIN_WRAPPED);
  return shrink ? Math.min(short, MIN_CUT) : short;
}

/** Reduces the widest of `widths` step by step. Stops when the sum is `room`, or when each width is at its minimum. */
function shrinkTo(widths: number[], room: number, floor: (index: number) => number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const able = widths.flatMap((width, index) => (width > floor(index) ? [index] : []));
    if (able.length === 0) return;
    const widest = Math.max(...able.map((index) => widths[index]!));
    const tallest = able.filter((index) => widths[index] === widest);
    const next = Math.max(0, ...able.map((index) => (widths[index]! < widest ? widths[index]! : floor(index))));
    const step = Math.max(1, Math.min(widest - next, Math.ceil(excess / tallest.length)));
    for (const index of tallest) {
      const taken = Math.min(step, excess, widths[index]! - floor(index));
      widths[index]! -= taken;
      excess -= taken;
    }
  }
}
