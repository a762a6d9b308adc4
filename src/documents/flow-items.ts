/** The items between the brackets of a flow collection in a new order, on one line or on many. */

import type { Arranged } from "./block-lines.ts";
import type { SourceNode } from "./yaml-source.ts";

/** An item whose text may depend on the white space that its lines begin with; undefined on a line with others. */
export type FlowItem = Omit<Arranged, "body"> & { print: (margin: string | undefined) => string };

/** What stands around an item: before it, between it and its comma, and a comment behind that comma. */
type Old = { before: string; after: string; comment: string };

/** The text of a collection with its brackets. Comments above an item that is gone stay. */
export function joinFlow(
  text: string,
  node: SourceNode,
  items: readonly FlowItem[],
  { newline, padded }: { newline: string; padded: boolean },
): string {
  const { olds, closing, endsWithComma } = takeApart(text, node);
  const kept = new Set(items.map(({ old }) => old));
  const pad = padded && node.kind === "map" ? " " : "";
  const firstGap = olds[0] ? spaceOf(olds[0].before) : pad;
  const nextGap = olds[1] ? spaceOf(olds[1].before) : firstGap.includes("\n") ? firstGap : " ";
  const lineBreak = /\r?\n[ \t]*$/.exec(nextGap)?.[0] ?? newline;
  let seen = 0;

  /** The comments above items that are gone, before the item `until`. */
  function leftBefore(until: number): string {
    let left = "";
    for (; seen < until; seen++) {
      const { before } = olds[seen]!;
      if (!kept.has(seen) && before.includes("#")) left += before.trimEnd();
    }
    return left;
  }

  let joined = text[node.start]!;
  /** A comment ends with its line. */
  let isAfterComment = false;
  const add = (part: string) => {
    joined += isAfterComment && !/^[ \t]*\r?\n/.test(part) ? lineBreak + part.trimStart() : part;
    isAfterComment = false;
  };

  for (const [position, { old, moved, print }] of items.entries()) {
    const own = old === undefined ? undefined : olds[old]!;
    const left = old === undefined || moved ? "" : leftBefore(old);
    if (left) {
      add(left);
      isAfterComment = true;
    }
    const isInPlace = own !== undefined && !moved && (position === 0) === (old === 0);
    const gap = isInPlace || own?.before.includes("#") ? own.before : position === 0 ? firstGap : nextGap;
    add(gap);
    const margin = /\n([ \t]*)$/.exec(joined)?.[1];
    joined += print(margin) + (own?.after ?? "");
    if (position < items.length - 1 || endsWithComma) joined += ",";
    if (own?.comment) {
      joined += own.comment;
      isAfterComment = true;
    }
  }
  const left = leftBefore(olds.length);
  if (left) {
    add(left);
    isAfterComment = true;
  }
  if (items.length > 0) add(olds.length === 0 ? closing + pad : closing);
  else if (left) add(newline);
  return joined + text[node.end - 1]!;
}

function takeApart(text: string, { start, end, entries }: SourceNode) {
  const olds: Old[] = [];
  const inside = text.slice(start + 1, end - 1);
  if (entries.length === 0) return { olds, closing: inside.includes("#") ? inside : "", endsWithComma: false };
  let before = text.slice(start + 1, entries[0]!.start);
  let endsWithComma = false;
  for (const [index, entry] of entries.entries()) {
    const gap = text.slice(entry.end, entries[index + 1]?.start ?? end - 1);
    const comma = commaIn(gap);
    const after = gap.slice(0, Math.max(comma, 0));
    const rest = gap.slice(comma + 1);
    const comment = /^[ \t]*#[^\r\n]*/.exec(rest)?.[0] ?? "";
    olds.push({ before, after, comment });
    before = rest.slice(comment.length);
    endsWithComma = comma >= 0;
  }
  return { olds, closing: before, endsWithComma };
}

/** The offset of the comma between two items that is in no comment; -1 for none. */
function commaIn(gap: string): number {
  for (const match of gap.matchAll(/#[^\r\n]*|,/g)) if (match[0] === ",") return match.index;
  return -1;
}

/** What is white behind the last comment. */
function spaceOf(gap: string): string {
  return gap.includes("#") ? gap.replace(/^[^]*#[^\r\n]*/, "") : gap;
}
