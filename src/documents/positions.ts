/** Offsets in a text as lines and columns, for people and editors. */

export type Position = { line: number; column: number };

/**
 * A function from an offset to its line and column; both count from 1, columns in characters. The tables are built by
 * the first call, so that a text with nothing to complain about costs nothing.
 */
export function positionsOf(text: string): (offset: number) => Position {
  let tables: { lineStarts: number[]; pairs: number[] } | undefined;
  return (offset) => {
    tables ??= { lineStarts: findLineStarts(text), pairs: findSurrogatePairs(text) };
    const at = Math.min(Math.max(offset, 0), text.length);
    const line = countUpTo(tables.lineStarts, at);
    const lineStart = tables.lineStarts[line - 1]!;
    // A character outside the basic plane is two code units: the second ones between are taken off the column.
    const doubled = countUpTo(tables.pairs, at - 1) - countUpTo(tables.pairs, lineStart - 1);
    return { line, column: at - lineStart - doubled + 1 };
  };
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  const lineBreak = /\r\n?|\n/g;
  while (lineBreak.test(text)) starts.push(lineBreak.lastIndex);
  return starts;
}

function findSurrogatePairs(text: string): number[] {
  const seconds: number[] = [];
  const pair = /[\u{10000}-\u{10FFFF}]/gu;
  while (pair.test(text)) seconds.push(pair.lastIndex - 1);
  return seconds;
}

/** How many of the ascending `numbers` are at most `limit`. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
