/** Prints tables and the fields of a record. */

import { shortenIds } from "../base/short-ids.ts";
import { fitColumns, GAP } from "./column-widths.ts";
import { safeLine, visible } from "./escape.ts";
import type { Paint, Style } from "./style.ts";
import type { Terminal } from "./terminal.ts";
import { formatTime, relativeTime } from "./time.ts";
import { cut, pad, textWidth, wrap } from "./width.ts";
import { plural } from "../base/plural.ts";

/** The text for a value that the server does not report. "no" or "none" would be wrong. */
export const UNKNOWN = "unknown";

/** `null` is shown as `-`, `undefined` as unknown. */
export type CellValue = string | number | boolean | null | undefined;

export type Column<Row> = {
  title: string;
  value: (row: Row) => CellValue;
  align?: "left" | "right";
  /**
   * The column is never hidden. The text wraps and is never cut. If no column is essential, the first column is
   * essential.
   */
  essential?: boolean;
  /** The values are ids. If a table does not fit on a terminal, the ids are shortened to unique starts. */
  id?: boolean;
  /** The values are times of the API. On a terminal, times are relative to now. Other text is unchanged. */
  time?: boolean;
  /** The text is cut on a narrow terminal. */
  shrink?: boolean;
  /** The text wraps into further lines instead of being cut. */
  wraps?: boolean;
  /**
   * If the table does not fit, columns are hidden in this order: `true`, `late`, the others. Among equal columns, the
   * last column is hidden first. `-o wide` shows all columns.
   */
  yields?: boolean | "late";
  paint?: (row: Row, style: Style) => Paint;
};

/** With a width of Infinity nothing is cut or hidden. Without `now`, times are complete. */
export type View = Pick<Terminal, "width" | "style"> & { now?: Date | undefined };

/** Returns a table with a line of titles. Each line ends with a line feed. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], view: View): string {
  return layOut(columns, rows, view).text;
}

/** Returns a table, and the number of columns for which there is no room. */
function layOut<Row>(all: readonly Column<Row>[], rows: readonly Row[], view: View): { text: string; hidden: number } {
  const hasEssential = all.some(({ essential }) => essential);
  const measured = all.map((column, index) => {
    const title = column.title.toUpperCase();
    const cells = rows.map((row) => cellOf(column, column.value(row), view));
    const shortCells = column.id && view.width !== Infinity ? shortCellsOf(column, rows, cells) : cells;
    const widest = (texts: readonly string[]) =>
      texts.reduce((width, text) => Math.max(width, textWidth(text)), textWidth(title));
    return {
      column,
      title,
      cells,
      shortCells,
      natural: widest(cells),
      short: shortCells === cells ? widest(cells) : widest(shortCells),
      isEssential: hasEssential ? column.essential === true : index === 0,
      shrink: column.shrink === true,
      wraps: column.wraps === true,
      yields: column.yields ?? false,
    };
  });
  const { shown, widths, isShort } = fitColumns(measured, view.width);
  const kept = shown.map((index) => measured[index]!);

  const line = (texts: readonly string[], paint: (index: number) => Paint): string => {
    const parts = kept.map(({ isEssential, wraps }, index) =>
      isEssential || wraps ? wrap(texts[index]!, widths[index]!) : [texts[index]!],
    );
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
      const fitting = cut(texts[index]!, width);
      const space = " ".repeat(width - textWidth(fitting));
      // The spaces around the text are not painted, so that they can be trimmed.
      const painted = fitting && paint(index)(fitting);
      const isRight = kept[index]!.column.align === "right";
      text += (index > 0 ? " ".repeat(GAP) : "") + (isRight ? space + painted : painted + space);
    }
    return `${text.trimEnd()}\n`;
  };

  let text = line(
    kept.map(({ title }) => title),
    () => view.style.bold,
  );
  for (const [index, row] of rows.entries()) {
    const texts = kept.map(({ cells, shortCells }) => (isShort ? shortCells : cells)[index]!);
    text += line(texts, (column) => kept[column]!.column.paint?.(row, view.style) ?? unpainted);
  }
  return { text, hidden: all.length - kept.length };
}

/** Returns the cells of a column of ids with shortened ids. Cells without an id are unchanged. */
function shortCellsOf<Row>({ value }: Column<Row>, rows: readonly Row[], cells: readonly string[]): string[] {
  const ids = rows.flatMap((row, index) => {
    const text = cells[index]!;
    return value(row) === text ? [text] : [];
  });
  const short = new Map(shortenIds(ids).map((text, index) => [ids[index], text]));
  return cells.map((text) => short.get(text) ?? text);
}

function cellOf<Row>({ time }: Column<Row>, value: CellValue, { now }: View): string {
  if (!time || typeof value !== "string") return cell(value);
  return cell(now ? relativeTime(value, now) : formatTime(value));
}

/**
 * Prints a table to stdout. Prints the number of hidden columns to stderr. Prints `whenEmpty` to stderr instead of an
 * empty table.
 */
export function printTable<Row>(
  terminal: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  whenEmpty: string,
): void {
  if (rows.length === 0) {
    terminal.hint(whenEmpty);
    return;
  }
  const { text, hidden } = layOut(columns, rows, terminal);
  terminal.out(text);
  if (hidden > 0) terminal.hint(`${plural(hidden, "column")} hidden; -o wide`);
}

/**
 * Returns a record as `label: value` lines with aligned values. A list has a line for each item. Values wrap between
 * words. A long word such as an id is not split, so the user can copy it. Undefined values are omitted.
 */
export function fields(
  pairs: readonly (readonly [label: string, value: CellValue | readonly string[]])[],
  view: View,
): string {
  const present = pairs.filter(([, value]) => value !== undefined);
  const indent = Math.max(0, ...present.map(([label]) => textWidth(label))) + 1 + GAP;
  const room = Math.max(view.width - indent, 1);
  let text = "";
  for (const [label, value] of present) {
    const texts =
      Array.isArray(value) && value.length > 0 ? value.map(cell) : [Array.isArray(value) ? "-" : cell(value)];
    const lines = texts.flatMap((each) => wrap(each, room, { splits: false }));
    for (const [index, line] of lines.entries()) {
      const start = index === 0 ? pad(`${label}:`, indent) : " ".repeat(indent);
      const name = index === 0 ? start.replace(/^\S.*:/, (words) => view.style.dim(words)) : start;
      text += `${(name + line).trimEnd()}\n`;
    }
  }
  return text;
}

function cell(value: CellValue | readonly string[]): string {
  if (value === undefined) return UNKNOWN;
  if (value === null) return "-";
  if (value === true) return "yes";
  if (value === false) return "no";
  // After empty cells, the text starts the line. So the text is escaped like a line.
  return safeLine(visible(String(value))).trimEnd();
}

const unpainted: Paint = (text) => text;
