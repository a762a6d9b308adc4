/**
 * Pictures of text, from which the terminal drawing is composed. Every line of a picture has exactly the width of the
 * picture. So pictures can be put next to each other.
 */

import type { Paint } from "../../terminal/style.ts";
import { textWidth, wrap } from "../../terminal/width.ts";

export type Picture = {
  /** In columns of a terminal. */
  readonly width: number;
  readonly lines: readonly string[];
  /**
   * How {@link grown} increases the height: it inserts copies of `line` at the index `at`. By default, it adds blank
   * lines at the end.
   */
  readonly growth?: { at: number; line: string };
};

/** A part of a line with one style. */
export type Piece = { text: string; paint?: Paint | undefined };

/** Returns one line of pieces, filled with spaces. The pieces must fit. */
export function lineOf(pieces: readonly Piece[], width: number): string {
  let columns = 0;
  let line = "";
  for (const { text, paint } of pieces) {
    columns += textWidth(text);
    line += text !== "" && paint ? paint(text) : text;
  }
  return line + " ".repeat(Math.max(width - columns, 0));
}

/**
 * Puts pieces into lines. A piece without enough room on the current line starts a new line.
 *
 * @param separator between two pieces on a line
 */
export function flow(pieces: readonly Piece[], width: number, separator: Piece = { text: " " }): Picture {
  const rows: Piece[][] = [];
  let room = 0;
  for (const { text, paint } of pieces) {
    if (text === "") continue;
    const needed = textWidth(separator.text) + textWidth(text);
    const row = rows.at(-1);
    if (row && needed <= room) {
      row.push(separator, { text, paint });
      room -= needed;
      continue;
    }
    for (const line of wrap(text, width)) {
      rows.push([{ text: line, paint }]);
      room = width - textWidth(line);
    }
  }
  return { width, lines: rows.map((row) => lineOf(row, width)) };
}

/** Stacks pictures of the same width. */
export function above(pictures: readonly Picture[], width: number): Picture {
  return { width, lines: pictures.flatMap(({ lines }) => lines) };
}

/** Stacks pictures with a blank line between them. Leaves out empty pictures. */
export function spaced(pictures: readonly Picture[], width: number): Picture {
  const blank = { width, lines: [" ".repeat(width)] };
  const drawn = pictures.filter(({ lines }) => lines.length > 0);
  return above(
    drawn.flatMap((picture, index) => (index === 0 ? [picture] : [blank, picture])),
    width,
  );
}

/** Returns the picture with at least this height. */
export function grown(picture: Picture, height: number): Picture {
  const { width, lines, growth = { at: lines.length, line: " ".repeat(width) } } = picture;
  const missing = height - lines.length;
  if (missing <= 0) return picture;
  const added = Array.from({ length: missing }, () => growth.line);
  return { ...picture, lines: lines.toSpliced(growth.at, 0, ...added) };
}

/** A picture at a position: columns and lines count from 0. */
export type Placed = { x: number; y: number; picture: Picture };

/** Puts pictures that do not overlap onto a blank picture. */
export function arranged(placed: readonly Placed[], width: number): Picture {
  const height = placed.reduce((most, { y, picture }) => Math.max(most, y + picture.lines.length), 0);
  const sorted = placed.toSorted((a, b) => a.x - b.x);
  const ends: number[] = Array.from({ length: height }, () => 0);
  const lines: string[] = Array.from({ length: height }, () => "");
  for (const { x, y, picture } of sorted) {
    for (const [index, line] of picture.lines.entries()) {
      const at = y + index;
      lines[at] += " ".repeat(x - ends[at]!) + line;
      ends[at] = x + picture.width;
    }
  }
  return { width, lines: lines.map((line, at) => line + " ".repeat(width - ends[at]!)) };
}

/** Returns pieces with spaces between them. */
export function spacedPieces(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [{ text: " " }, piece]));
}

export function piecesWidth(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + textWidth(text), 0);
}
