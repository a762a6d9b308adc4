/** Replaces the text of one value in a YAML or JSON text by the text of another value. */

import { lineEnd } from "./join-items.ts";
import type { IdentityOf } from "./match-items.ts";
import {
  columnOf,
  isFilled,
  nodeKind,
  printAfter,
  printBlock,
  printBlockScalar,
  printFlow,
  printScalar,
  valueKind,
  type YamlStyle,
} from "./yaml-style.ts";
import type { SourceEntry, SourceNode, Span } from "./yaml-source.ts";

/** The range of the text that belongs to a value, and its context. */
export type Slot = {
  /**
   * The range begins after `header`, the character before the value. In block style, the range ends at the end of the
   * value's last line. Inside a flow collection, it ends at the end of the value.
   */
  from: number;
  to: number;
  /** The column of the collection that contains the value. */
  column: number;
  inFlow: boolean;
  header: ":" | "-" | "";
};

/** What the parts of an edit share. */
export type Edit = {
  text: string;
  root: SourceNode;
  style: YamlStyle;
  identityOf: IdentityOf;
  /** The value of each anchor written so far. `inFlow` is true for a value in flow style. */
  anchors: Map<string, { value: unknown; inFlow: boolean }>;
  /** The entries that move to another list, and the comments that move with them. */
  movedEntries: ReadonlySet<SourceEntry>;
  movedComments: readonly Span[];
};

/** Returns the text of `slot` with another value. The text keeps the comments around the old value. */
export function replaceValue(edit: Edit, node: SourceNode, slot: Slot, after: unknown): string {
  if (slot.inFlow || edit.style.json) return replaceInFlow(edit, node, slot, after);
  return replaceScalar(edit, node, slot, after) ?? replaceBlock(edit, node, slot, after);
}

function replaceInFlow(edit: Edit, node: SourceNode, { from, to, header }: Slot, after: unknown): string {
  const { text, style } = edit;
  const gap = withoutTag(edit, node, from);
  const space = header === "" || /\s$/.test(gap) ? "" : " ";
  const printed = isFilled(after)
    ? printFlow(after, style, indentationAt(edit, node.start))
    : printScalar(after, node.style, true, style);
  return gap + space + printed + text.slice(node.end, to);
}

/**
 * Replaces a scalar by another scalar. Keeps the style of the scalar if this style can represent the new value.
 * Returns undefined in these cases:
 * - The text contains no scalar for `node`.
 * - `after` is a collection with items.
 * - A plain scalar would get several lines.
 */
function replaceScalar(edit: Edit, node: SourceNode, { from, to, column }: Slot, after: unknown): string | undefined {
  const { text, style } = edit;
  if (node.kind !== "scalar" || node.style === "absent" || isFilled(after)) return undefined;
  const gap = withoutTag(edit, node, from);
  const rest = text.slice(node.end, to);
  if (node.style === "literal" || node.style === "folded") {
    const [head = "", ...lines] = text.slice(node.start, node.end).split(/\r?\n/);
    const comment = /[ \t]+#.*$/.exec(head)?.[0] ?? "";
    const filled = lines.find((line) => line.trim() !== "");
    const indent = filled === undefined ? column + style.step : filled.length - filled.trimStart().length;
    const block =
      typeof after === "string"
        ? printBlockScalar(after, node.style, { indent, comment, newline: style.newline })
        : undefined;
    return gap + (block ?? printScalar(after, "double", false, style) + comment) + rest;
  }
  if (node.style === "plain" && typeof after === "string" && after.includes("\n")) return undefined;
  return gap + printScalar(after, node.style, false, style) + rest;
}

/** Replaces a value that can't be edited in place. Keeps the anchor and the comments of the old value. */
export function replaceBlock(edit: Edit, node: SourceNode, { from, to, column, header }: Slot, after: unknown): string {
  const { text, style, anchors } = edit;
  const isText = node.style === "literal" || node.style === "folded";
  const head = isText ? /^[^\r\n]*/.exec(text.slice(node.start, node.end))![0] : "";
  const gaps = node.style === "block" ? gapsOf(edit, node) : "";
  const surroundings = withoutProperties(edit, node, from) + gaps + head + text.slice(node.end, to);
  const [first, ...others] = surroundings.match(/#[^\r\n]*/g) ?? [];
  const anchor = node.anchor ? ` ${text.slice(node.anchor.start, node.anchor.end)}` : "";
  const headline = (value: string) => anchor + value + (first === undefined ? "" : ` ${first}`);

  const anchorFlow = node.kind === "alias" ? anchors.get(node.text)?.inFlow : undefined;
  if (isFilled(after) && !(anchorFlow ?? prefersFlow(edit, after))) {
    const isFlat = Array.isArray(after) && style.flatLists;
    const inner = header === "-" ? column + 2 : isFlat ? column : column + style.step;
    if (header === "-" && headline("") === "") return ` ${printBlock(after, inner, style)}`;
    const margin = style.newline + " ".repeat(inner);
    return [headline(""), ...others, printBlock(after, inner, style)].join(margin);
  }
  if (typeof after === "string" && after.includes("\n") && others.length === 0) {
    const [line = "", ...lines] = printAfter(header === "-" ? "-" : ":", after, column, style).split(style.newline);
    return [headline(line), ...lines].join(style.newline);
  }
  const printed = isFilled(after) ? printFlow(after, style) : printScalar(after, "plain", false, style);
  return [headline(` ${printed}`), ...others].join(style.newline + " ".repeat(column + style.step));
}

/**
 * Whether a new collection is written in flow style. The first of these examples that exists decides:
 * - values of the same key elsewhere in the text
 * - siblings of the same kind
 * - most collections of the same kind in the text
 */
export function prefersFlow(edit: Edit, value: unknown, siblings: readonly SourceNode[] = [], key?: string): boolean {
  const { style } = edit;
  if (!isFilled(value)) return false;
  const elsewhere = key === undefined ? undefined : style.flowUnder.get(key);
  if (elsewhere !== undefined) return elsewhere;
  const kind = valueKind(value);
  const alike = siblings.filter((node) => node.entries.length > 0 && nodeKind(node) === kind);
  return alike.length > 0 ? alike.every((node) => node.style !== "block") : style.flow[kind];
}

/**
 * Returns the indentation of the line at `offset`. Returns undefined for a text of one line, because new values stay
 * on this line.
 */
function indentationAt(edit: Edit, offset: number): string | undefined {
  const { text } = edit;
  if (!text.includes("\n")) return undefined;
  return /^[ \t]*/.exec(text.slice(offset - columnOf(text, offset)))![0];
}

/** The text before a value, without the tag. The tag belongs to the old value. */
function withoutTag(edit: Edit, { tag, start }: SourceNode, from: number): string {
  const { text } = edit;
  if (!tag) return text.slice(from, start);
  return text.slice(from, tag.start) + text.slice(tag.end, start).replace(/^[ \t]+/, "");
}

/** The text before a value, without its anchor and tag. */
function withoutProperties(edit: Edit, { anchor, tag, start }: SourceNode, from: number): string {
  const spans = [anchor, tag].filter((span) => span !== undefined);
  return textWithout(edit, spans, from, start);
}

/** The text from `from` to `to` without these spans and without comments that move. */
function textWithout(edit: Edit, spans: readonly Span[], from: number, to: number): string {
  const { text, movedComments } = edit;
  const left = [...spans, ...movedComments]
    .filter((span) => span.start >= from && span.end <= to)
    .sort((a, b) => a.start - b.start);
  const starts = [from, ...left.map(({ end }) => end)];
  const ends = [...left.map((span) => span.start), to];
  return starts.map((at, index) => text.slice(at, ends[index])).join("");
}

/** The white space and comments between the items of a block collection. */
function gapsOf(edit: Edit, { entries }: SourceNode): string {
  const { text } = edit;
  return entries
    .slice(1)
    .map(({ start }, index) => textWithout(edit, [], lineEnd(text, entries[index]!.end), start))
    .join("");
}
