/**
 * Joins the items of a block or flow collection in a new order. Comments above an item move with it. Comments above a
 * removed item are kept, because the comments may describe other items too.
 */

import type { SourceNode, Span } from "./yaml-source.ts";

/**
 * An item of the result. `old` is the item's index in the old collection, undefined for a new item. `moved` is true if
 * the item's order among the old items changes.
 */
export type BlockItem = { old: number | undefined; moved: boolean; body: string };

export type BlockLayout = {
  /**
   * With `isCompact`, the start of the first item. Without `isCompact`, the end of the line before the collection, such
   * as `key:`.
   */
  begin: number;
  /** Whether the first item is at the start of a document, or after a `-` on the same line. */
  isCompact: boolean;
  /**
   * The items of the old collection. The span of an item ends at the end of its last line. `isMoved` is true for an
   * item that moves to another collection.
   */
  olds: readonly (Span & { isMoved: boolean })[];
  items: readonly BlockItem[];
  column: number;
  newline: string;
};

/** Returns the end of a line, after a comment and before the line break. The content of the line ends at `offset`. */
export function lineEnd(text: string, offset: number): number {
  const rest = /[ \t]*(?:#[^\r\n]*)?/y;
  rest.lastIndex = offset;
  return offset + rest.exec(text)![0].length;
}

/** Returns the new text of a block collection, from `begin` on. */
export function joinBlock(text: string, { begin, isCompact, olds, items, column, newline }: BlockLayout): string {
  /** The text before each old item: line breaks, blank lines and comments. */
  const leads = olds.map(({ start }, old) => text.slice(old === 0 ? begin : olds[old - 1]!.end, start));
  const pad = " ".repeat(column);
  const isSpaced = leads.length > 1 && leads.slice(1).every((lead) => linesOf(lead).some((line) => line.trim() === ""));
  const movedOlds = new Set(items.flatMap(({ old, moved }) => (moved && old !== undefined ? [old] : [])));
  for (const [old, { isMoved }] of olds.entries()) if (isMoved) movedOlds.add(old);
  let next = 0;

  /**
   * Returns the comments that stay in place, for the old items from `next` to the item before `until`. All comments
   * above a removed item stay. Above a moved item, a comment stays if a blank line separates it from the item.
   */
  function remainingComments(until: number): string[] {
    const remaining: string[] = [];
    for (; next < until; next++) {
      const lines = movedOlds.has(next) ? detachedLines(leads[next]!) : linesOf(leads[next]!);
      if (lines.some(isComment)) remaining.push(...withoutBlankEdges(lines));
    }
    return remaining;
  }

  function leadOf({ old, moved }: BlockItem, isFirst: boolean): string {
    const blank = isSpaced && !isFirst ? [""] : [];
    if (old === undefined) return build(blank);
    const lead = leads[old]!;
    if (moved) return build([...blank, ...linesOf(lead).slice(detachedLines(lead).length)]);
    const remaining = remainingComments(old);
    next = old + 1;
    if (remaining.length === 0 && (old === 0) === isFirst) return lead;
    const own = old === 0 && isCompact ? blank : isFirst ? withoutBlankEdges(linesOf(lead)) : linesOf(lead);
    return build([...remaining, ...own]);
  }

  const build = (lines: readonly string[]) => newline + lines.map((line) => line + newline).join("") + pad;
  const joined = items.map((item, position) => {
    const lead = leadOf(item, position === 0);
    return (position === 0 && isCompact ? lead.trimStart() : lead) + item.body;
  });
  return (
    joined.join("") +
    remainingComments(olds.length)
      .map((line) => newline + line)
      .join("")
  );
}

/** The whole lines between two items. */
function linesOf(lead: string): string[] {
  return lead.split(/\r?\n/).slice(1, -1);
}

/** The lines between two items, without the comments directly above the second item. */
function detachedLines(lead: string): string[] {
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

/**
 * An item of the result. `margin` is the indentation of the item's line. It is undefined if the item is not at the
 * start of a line.
 */
export type FlowItem = Omit<BlockItem, "body"> & { print: (margin: string | undefined) => string };

/**
 * The text around an old item. `before` is before the item. `after` is between the item and its comma. `comment` is the
 * comment after the comma.
 */
type FlowGap = { before: string; after: string; comment: string };

/** Returns the new text of a flow collection, with its brackets. */
export function joinFlow(
  text: string,
  node: SourceNode,
  items: readonly FlowItem[],
  { newline, padded }: { newline: string; padded: boolean },
): string {
  const { gaps, closing, endsWithComma } = gapsOf(text, node);
  const kept = new Set(items.map(({ old }) => old));
  const pad = padded && node.kind === "map" ? " " : "";
  const firstGap = gaps[0] ? spaceOf(gaps[0].before) : pad;
  const nextGap = gaps[1] ? spaceOf(gaps[1].before) : firstGap.includes("\n") ? firstGap : " ";
  const lineBreak = /\r?\n[ \t]*$/.exec(nextGap)?.[0] ?? newline;
  let joined = text[node.start]!;
  let isAfterComment = false;
  let next = 0;

  /** Appends `part`, on a new line if the text ends with a comment. */
  function add(part: string): void {
    joined += isAfterComment && !/^[ \t]*\r?\n/.test(part) ? lineBreak + part.trimStart() : part;
    isAfterComment = false;
  }

  /**
   * Appends the comments above the removed items from `next` to the item before `until`. Returns whether a comment was
   * appended.
   */
  function addRemainingComments(until: number): boolean {
    let remaining = "";
    for (; next < until; next++) {
      const { before } = gaps[next]!;
      if (!kept.has(next) && before.includes("#")) remaining += before.trimEnd();
    }
    if (remaining === "") return false;
    add(remaining);
    isAfterComment = true;
    return true;
  }

  for (const [position, { old, moved, print }] of items.entries()) {
    const own = old === undefined ? undefined : gaps[old]!;
    if (old !== undefined && !moved) addRemainingComments(old);
    const keepsGap = own !== undefined && !moved && (position === 0) === (old === 0);
    add(keepsGap || own?.before.includes("#") ? own.before : position === 0 ? firstGap : nextGap);
    const margin = /\n([ \t]*)$/.exec(joined)?.[1];
    joined += print(margin) + (own?.after ?? "");
    if (position < items.length - 1 || endsWithComma) joined += ",";
    if (own?.comment) {
      joined += own.comment;
      isAfterComment = true;
    }
  }
  const hasRemaining = addRemainingComments(gaps.length);
  if (items.length > 0) add(gaps.length === 0 ? closing + pad : closing);
  else if (hasRemaining) add(newline);
  return joined + text[node.end - 1]!;
}

function gapsOf(text: string, { start, end, entries }: SourceNode) {
  const gaps: FlowGap[] = [];
  const inside = text.slice(start + 1, end - 1);
  if (entries.length === 0) return { gaps, closing: inside.includes("#") ? inside : "", endsWithComma: false };
  let before = text.slice(start + 1, entries[0]!.start);
  let endsWithComma = false;
  for (const [index, entry] of entries.entries()) {
    const gap = text.slice(entry.end, entries[index + 1]?.start ?? end - 1);
    const comma = commaIn(gap);
    const after = gap.slice(0, Math.max(comma, 0));
    const rest = gap.slice(comma + 1);
    const comment = /^[ \t]*#[^\r\n]*/.exec(rest)?.[0] ?? "";
    gaps.push({ before, after, comment });
    before = rest.slice(comment.length);
    endsWithComma = comma >= 0;
  }
  return { gaps, closing: before, endsWithComma };
}

/** Returns the offset of the first comma outside of comments. Returns -1 if there is none. */
function commaIn(gap: string): number {
  for (const match of gap.matchAll(/#[^\r\n]*|,/g)) if (match[0] === ",") return match.index;
  return -1;
}

/** The white space after the last comment of a gap. */
function spaceOf(gap: string): string {
  return gap.includes("#") ? gap.replace(/^[^]*#[^\r\n]*/, "") : gap;
}
