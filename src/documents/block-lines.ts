/** The lines of a block collection in a new order: comments and blank lines go where their reader looks for them. */

/** An item as it shall be: which one it was, whether it leaves its place for that, and its text. */
export type Arranged = { old: number | undefined; moved: boolean; body: string };

export type BlockLayout = {
  /** Where the first item's line begins, or the item itself where it stands behind something. */
  begin: number;
  /** The first item stands behind a `-`, or at the top of a document. */
  isCompact: boolean;
  /** The items as they were, each to the end of its last line. */
  olds: readonly { start: number; end: number }[];
  items: readonly Arranged[];
  column: number;
  newline: string;
};

/** The end of a line whose content ends at `offset`, with the comment behind it and without the line break. */
export function lineEnd(text: string, offset: number): number {
  const rest = /[ \t]*(?:#[^\r\n]*)?/y;
  rest.lastIndex = offset;
  return offset + rest.exec(text)![0].length;
}

/**
 * The text of a collection from `begin`. Comment lines right above an item go with it where it moves to; those above an
 * item that is gone stay, for what they say may be about more than that.
 */
export function joinBlock(text: string, { begin, isCompact, olds, items, column, newline }: BlockLayout): string {
  const leads = olds.map(({ start }, old) => text.slice(old === 0 ? begin : olds[old - 1]!.end, start));
  const pad = " ".repeat(column);
  const isSpaced = leads.length > 1 && leads.slice(1).every((lead) => linesOf(lead).some((line) => line.trim() === ""));
  const movedOlds = new Set(items.flatMap(({ old, moved }) => (moved && old !== undefined ? [old] : [])));
  let seen = 0;

  /** The comments of items that have left their place before the item `until`. */
  function leftBefore(until: number): string[] {
    const left: string[] = [];
    for (; seen < until; seen++) {
      const lines = movedOlds.has(seen) ? freeLines(leads[seen]!) : linesOf(leads[seen]!);
      if (lines.some(isComment)) left.push(...withoutBlankEdges(lines));
    }
    return left;
  }

  function leadOf({ old, moved }: Arranged, isFirst: boolean): string {
    const above = isSpaced && !isFirst ? [""] : [];
    if (old === undefined) return build(above);
    const lead = leads[old]!;
    if (moved) return build([...above, ...linesOf(lead).slice(freeLines(lead).length)]);
    const left = leftBefore(old);
    seen = old + 1;
    if (left.length === 0 && (old === 0) === isFirst) return lead;
    const own = old === 0 && isCompact ? above : isFirst ? withoutBlankEdges(linesOf(lead)) : linesOf(lead);
    return build([...left, ...own]);
  }

  const build = (lines: readonly string[]) => newline + lines.map((line) => line + newline).join("") + pad;
  let joined = "";
  for (const [position, item] of items.entries()) {
    const lead = leadOf(item, position === 0);
    joined += position === 0 && isCompact ? lead.trimStart() : lead;
    joined += item.body;
  }
  return (
    joined +
    leftBefore(olds.length)
      .map((line) => newline + line)
      .join("")
  );
}

/** The whole lines between two items. */
function linesOf(lead: string): string[] {
  return lead.split(/\r?\n/).slice(1, -1);
}

/** Those that are not comments right above the second item. */
function freeLines(lead: string): string[] {
  const lines = linesOf(lead);
  return lines.slice(0, lines.findLastIndex((line) => !isComment(line)) + 1);
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith("#");
}

function withoutBlankEdges(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1);
}
