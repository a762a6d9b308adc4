/** Prints tables, the fields of a record, and times. */

import { safeLine, visible } from "./escape.ts";
import type { Paint, Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";
import { cut, pad, textWidth, wrap } from "./width.ts";

/** The text for a value that the server does not report; "no" or "none" would be wrong. */
export const UNKNOWN = "unknown";

/** `null` is shown as `-`, `undefined` as unknown. */
export type CellValue = string | number | boolean | null | undefined;

export type Column<Row> = {
  title: string;
  value: (row: Row) => CellValue;
  align?: "left" | "right";
  /** The column shrinks first on a narrow terminal. Not for ids and names. */
  shrink?: boolean;
  /**
   * The column may be omitted if otherwise a column without `shrink` would be cut. Of several columns with `yields`,
   * the last one is omitted first. `-o json` still has the values.
   */
  yields?: boolean;
  /** The column is cut after all columns without `whole`, because an incomplete id is useless. */
  whole?: boolean;
  /** The text wraps into further lines instead of being cut. */
  wraps?: boolean;
  paint?: (row: Row, style: Style) => Paint;
};

/** With a width of Infinity nothing is cut. */
export type View = Pick<Terminal, "width" | "style">;

const GAP = "  ";
/** The minimum width of a column with `shrink`, in terminal columns. */
const MIN_SHRUNK = 12;
/** A column with `whole` is cut only after all columns without `whole` have at most this width. */
const MIN_CUT = 8;

/** Returns a table with a line of titles. Each line ends with a line feed. */
export function table<Row>(all: readonly Column<Row>[], rows: readonly Row[], view: View): string {
  const measured = all.map((column) => {
    const title = column.title.toUpperCase();
    const cells = rows.map((row) => cell(column.value(row)));
    const natural = cells.reduce((widest, text) => Math.max(widest, textWidth(text)), textWidth(title));
    return { column, title, cells, natural };
  });
  const kept = withoutYielding(measured, view.width);
  const columns = kept.map(({ column }) => column);
  const widths = fit(
    kept.map(({ natural }) => natural),
    columns,
    view.width,
  );

  const line = (texts: readonly string[], paint: (index: number) => Paint): string => {
    const parts = widths.map((width, index) => (columns[index]!.wraps ? wrap(texts[index]!, width) : [texts[index]!]));
    const height = Math.max(...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) =>
      oneLine(
        parts.map((part) => part[at] ?? ""),
        paint,
      ),
    ).join("");
  };
  const oneLine = (texts: readonly string[], paint: (index: number) => Paint) => {
    let text = "";
    for (const [index, width] of widths.entries()) {
      const shown = cut(texts[index]!, width);
      const space = " ".repeat(width - textWidth(shown));
      // The spaces around the text are not painted, so that they can be trimmed.
      const painted = shown && paint(index)(shown);
      text += (index > 0 ? GAP : "") + (columns[index]!.align === "right" ? space + painted : painted + space);
    }
    return `${text.trimEnd()}\n`;
  };

  let text = line(
    kept.map(({ title }) => title),
    () => view.style.bold,
  );
  for (const [index, row] of rows.entries()) {
    const texts = kept.map(({ cells }) => cells[index]!);
    text += line(texts, (column) => columns[column]!.paint?.(row, view.style) ?? unpainted);
  }
  return text;
}

/** Prints a table to stdout. Prints `whenEmpty` to stderr instead of an empty table. */
export function printTable<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  whenEmpty: string,
): void {
  if (rows.length > 0) terminal.out(table(columns, rows, terminal));
  else terminal.hint(whenEmpty);
}

/**
 * Returns a record as `label: value` lines with aligned values. A list has a line for each item. Undefined values are
 * omitted.
 */
export function fields(
  pairs: readonly (readonly [label: string, value: CellValue | readonly string[]])[],
  view: View,
): string {
  const present = pairs.filter(([, value]) => value !== undefined);
  const indent = Math.max(0, ...present.map(([label]) => textWidth(label))) + 1 + GAP.length;
  const room = Math.max(view.width - indent, 1);
  let text = "";
  for (const [label, value] of present) {
    const lines =
      Array.isArray(value) && value.length > 0 ? value.map(cell) : [Array.isArray(value) ? "-" : cell(value)];
    for (const [index, line] of lines.entries()) {
      const start = index === 0 ? pad(`${label}:`, indent) : " ".repeat(indent);
      const name = index === 0 ? start.replace(/^\S.*:/, (words) => view.style.dim(words)) : start;
      text += `${(name + cut(line, room)).trimEnd()}\n`;
    }
  }
  return text;
}

/** Returns a time of the API (RFC 3339, UTC) as `2026-11-21 09:30:00Z`. Other text is unchanged. */
export function formatTime(moment: string | null | undefined): string {
  if (!moment) return "";
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(moment);
  return parts ? `${parts[1]} ${parts[2]}Z` : visible(moment);
}

function cell(value: CellValue | readonly string[]): string {
  if (value === undefined) return UNKNOWN;
  if (value === null) return "-";
  if (value === true) return "yes";
  if (value === false) return "no";
  // Escaped like a line, because the text starts the line if the cells before it are empty.
  return safeLine(visible(String(value))).trimEnd();
}

const unpainted: Paint = (text) => text;

/**
 * Omits columns with `yields`, the last one first, until the remaining columns fit with all columns with `shrink` at
 * their minimum width. Returns the remaining columns.
 */
function withoutYielding<C extends { natural: number; column: { shrink?: boolean; yields?: boolean } }>(
  all: readonly C[],
  total: number,
): readonly C[] {
  const narrowest = ({ natural, column }: C) => GAP.length + (column.shrink ? Math.min(natural, MIN_SHRUNK) : natural);
  let needed = all.reduce((sum, each) => sum + narrowest(each), -GAP.length);
  const left = new Set<C>();
  for (const each of all.toReversed()) {
    if (!each.column.yields || needed <= total) continue;
    left.add(each);
    needed -= narrowest(each);
  }
  return all.filter((each) => !left.has(each));
}

/**
 * Returns the widths of the columns, which fit in `total` together with the gaps. Columns with `shrink` shrink first,
 * then columns without `whole`, then all columns. A column for which there is no room is omitted.
 */
function fit(
  natural: readonly number[],
  columns: readonly { shrink?: boolean; whole?: boolean }[],
  total: number,
): number[] {
  if (total === Infinity) return [...natural];
  const shown = Math.max(1, Math.min(natural.length, Math.floor((total + GAP.length) / (1 + GAP.length))));
  const widths = natural.slice(0, shown);
  const room = Math.max(total - GAP.length * (shown - 1), 1);
  shrinkTo(widths, room, (index) => (columns[index]!.shrink ? MIN_SHRUNK : Infinity));
  shrinkTo(widths, room, (index) => (columns[index]!.whole ? Infinity : MIN_CUT));
  shrinkTo(widths, room, () => 1);
  return widths;
}

/** Reduces the widest of `widths` together until their sum is `room`, or all are at their minimum. */
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
