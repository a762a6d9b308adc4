/** Rows for a person: aligned columns, a record's fields, and moments in time. */

import { safeLine, visible } from "./escape.ts";
import type { Paint, Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";
import { cut, pad, textWidth, wrap } from "./width.ts";

/** What a server does not say is unknown, and neither no nor none. */
export const UNKNOWN = "unknown";

/** `null` is shown as none, `undefined` as unknown. */
export type CellValue = string | number | boolean | null | undefined;

export type Column<Row> = {
  title: string;
  value: (row: Row) => CellValue;
  align?: "left" | "right";
  /** Whether the column gives way first where a terminal is too narrow. Ids and names should not. */
  shrink?: boolean;
  /** Whether the column is left out, the last such first, before one is cut that does not give way: `-o json` has it. */
  yields?: boolean;
  /** Whether the column is cut after all others: an id of which something is missing is none. */
  whole?: boolean;
  /** Whether what is too long goes on in the next line, instead of being cut: where all of it is to be read. */
  wraps?: boolean;
  paint?: (row: Row, style: Style) => Paint;
};

/** What is known of where the text will stand. A width of Infinity cuts nothing. */
export type View = Pick<Terminal, "width" | "style">;

const GAP = "  ";
/** To this width columns that may shrink do so before the others. */
const MIN_SHRUNK = 12;
/** And all others before those that are to stay whole. */
const MIN_CUT = 8;

/** A table with its line of titles; each line ends in a line feed. */
export function table<Row>(all: readonly Column<Row>[], rows: readonly Row[], view: View): string {
  const told = all.map((column) => {
    const title = column.title.toUpperCase();
    const cells = rows.map((row) => cell(column.value(row)));
    const natural = cells.reduce((widest, text) => Math.max(widest, textWidth(text)), textWidth(title));
    return { column, title, cells, natural };
  });
  const kept = withoutYielding(told, view.width);
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
      // Only the words are painted: the space around them stays plain, so that it can be trimmed.
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

/** Prints a table to stdout; in place of an empty one a sentence to stderr. */
export function printTable<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  whenEmpty: string,
): void {
  if (rows.length > 0) terminal.out(table(columns, rows, terminal));
  else terminal.hint(whenEmpty);
}

/** A record as `label: value` lines with the values aligned; a list has a line for each item. Absent values are left out. */
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

/** A moment of the API (RFC 3339, UTC) as a person reads it: `2026-11-21 09:30:00Z`. Other text stays as it is. */
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
  // Any cell may be the first words of its line, where those before it are empty.
  return safeLine(visible(String(value))).trimEnd();
}

const unpainted: Paint = (text) => text;

/** Those that have room once all that may shrink have done so; of those that yield, the first stay longest. */
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

/** The widths that fit into `total`: first the columns shrink that may, then all; what has no room at all is left out. */
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

/** Lowers the widest of `widths` together until their sum is `room` or none is above its floor. */
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
