/** Changes the value of one document in a YAML or JSON text. Keeps every byte that need not change. */

import { hasCode } from "../error.ts";
import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { readDocuments } from "./document.ts";
import { joinBlock, joinFlow, lineEnd } from "./join-items.ts";
import { arrangeEntries, type IdentityOf } from "./match-items.ts";
import { findMoves, type MovedItem, putMoved } from "./moved-items.ts";
import {
  type Collection,
  columnOf,
  isFilled,
  nodeKind,
  printAfter,
  printBlock,
  printBlockScalar,
  printFlow,
  printFlowKey,
  printKey,
  printScalar,
  styleOf,
  valueKind,
} from "./yaml-style.ts";
import { type SourceEntry, type SourceNode, type Span, yamlSource } from "./yaml-source.ts";

/** Thrown if an edit can't give the text the target value. The text is not changed. */
export class Uneditable extends Error {
  override readonly name = "Uneditable";
}

/**
 * Returns `source` with `target` as the value of one document. `index` counts the documents that `readDocuments`
 * returns. The current value of the document must be a mapping, and `target` must not be empty.
 *
 * Comments, blank lines, the order of keys, quotes, brackets, anchors and line ends are preserved. New values get the
 * style of the text. An item that moves to another list keeps its text and the comments above it. For this, the
 * identity of the item must be unique, and the two lists must be in block style. An alias is kept only if its target
 * value equals the new value of its anchor. Otherwise the target value replaces the alias.
 *
 * The result is read again before it is returned. The text must have the target value in this document, and the other
 * documents must be unchanged.
 *
 * @param identityOf identifies list items. It matches items that move and change at the same time
 * @throws INVALID_FILE if `source` can't be read
 * @throws Uneditable in these cases:
 * - The document is not a mapping.
 * - `target` is empty.
 * - The result would have another value.
 */
export function editYaml(
  source: string,
  index: number,
  target: JsonObject,
  identityOf: IdentityOf = () => undefined,
): string {
  const mark = source.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = source.slice(mark.length);
  const values = readDocuments(text, "").map((document) => document.value);
  const current = values[index];
  // Undefined members count as missing, as in JSON.
  const value = JSON.parse(JSON.stringify(target)) as JsonObject;
  if (sameJson(current, value)) return source;
  const root = yamlSource(text)?.[index];
  if (root?.kind !== "map" || !isJsonObject(current) || Object.keys(value).length === 0) {
    throw new Uneditable("the document is not a mapping, so it can't be edited. Edit it by hand");
  }
  const isRight = (edited: string) => sameJson(valuesOf(edited), values.with(index, value));
  const moved = rewriteWithMoves(text, root, current, value, identityOf);
  if (moved !== undefined && isRight(moved)) return mark + moved;
  const edited = rewrite(text, root, { current, target: value, identityOf, movedItems: [] }).text;
  if (!isRight(edited)) throw new Uneditable("the document uses YAML that can't be edited safely. Edit it by hand");
  return mark + edited;
}

/**
 * Edits the text. Items that move to another list keep their text. Returns undefined in these cases:
 * - No item moves.
 * - No text of a moved item can be kept.
 */
function rewriteWithMoves(
  text: string,
  root: SourceNode,
  current: JsonObject,
  target: JsonObject,
  identityOf: IdentityOf,
): string | undefined {
  const excluded = new Set<string>();
  for (;;) {
    const moves = findMoves(text, root, current, target, identityOf, (marker) => excluded.has(marker));
    if (moves.items.length === 0) return undefined;
    const written = rewrite(text, root, {
      current,
      target: moves.target,
      identityOf: moves.identityOf,
      movedItems: moves.items,
    });
    let edited = written.text;
    const before = excluded.size;
    for (const item of moves.items.toReversed()) {
      const put = putMoved(edited, text, item, written.printMoved(item));
      if (put === undefined) excluded.add(item.marker);
      else edited = put;
    }
    if (excluded.size === before) return edited;
  }
}

function valuesOf(text: string): unknown[] | undefined {
  try {
    return readDocuments(text, "").map(({ value }) => value);
  } catch (error) {
    if (hasCode(error, "INVALID_FILE")) return undefined;
    throw error;
  }
}

/** The range of the text that belongs to a value, and its context. */
type Slot = {
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

type Rewriting = {
  current: JsonObject;
  target: JsonObject;
  identityOf: IdentityOf;
  /** The items that move to another list, and are marked in `target`. */
  movedItems: readonly MovedItem[];
};

/**
 * Returns `text` with `target` as the value of `root`. The value in `text` is `current`. Both values are mappings, and
 * `target` is not empty. `printMoved` returns the new text of a moved item, with the old indentation of the item.
 */
function rewrite(
  text: string,
  root: SourceNode,
  { current, target, identityOf, movedItems }: Rewriting,
): { text: string; printMoved: (item: MovedItem) => string } {
  const style = styleOf(text, root);
  const { newline } = style;
  /** The value of each anchor written so far. `inFlow` is true for a value in flow style. */
  const anchors = new Map<string, { value: unknown; inFlow: boolean }>();
  const movedEntries = new Set(movedItems.map(({ entry }) => entry));
  const movedComments = movedItems.map(({ comments }) => comments).sort((a, b) => a.start - b.start);

  function renderValue(node: SourceNode, slot: Slot, before: unknown, after: unknown): string {
    if (node.anchor) anchors.set(node.anchor.name, { value: after, inFlow: node.style === "flow" });
    const { from, to, inFlow } = slot;
    if (isUnchanged(node, before, after)) return text.slice(from, to);
    if (isCollection(before) && isSameKind(node, after)) {
      if (node.style === "block") return renderBlock(node, slot, before, after);
      // Empty brackets do not show the style for new items. Therefore the brackets get items only where flow style is
      // preferred or required.
      const keepsBrackets = isFilled(before) || !isFilled(after) || prefersFlow(after) || inFlow;
      if (keepsBrackets && (isFilled(before) || !style.json)) {
        return text.slice(from, node.start) + renderFlow(node, before, after) + text.slice(node.end, to);
      }
    }
    if (inFlow || style.json) return replaceInFlow(node, slot, after);
    return replaceScalar(node, slot, after) ?? replaceBlock(node, slot, after);
  }

  /**
   * Whether the text of a node can be kept. An unchanged alias may still need new text, because its anchor may now have
   * a different value. Therefore a collection that may contain anchors or aliases is not kept as a whole.
   */
  function isUnchanged(node: SourceNode, before: unknown, after: unknown): boolean {
    if (node.kind === "alias") return anchors.has(node.text) && sameJson(anchors.get(node.text)!.value, after);
    if (!sameJson(before, after)) return false;
    if (node.kind === "scalar") return true;
    return !/[&*]/.test(text.slice(node.start, node.end));
  }

  function replaceInFlow(node: SourceNode, { from, to, header }: Slot, after: unknown): string {
    const gap = withoutTag(node, from);
    const space = header === "" || /\s$/.test(gap) ? "" : " ";
    const printed = isFilled(after)
      ? printFlow(after, style, indentationAt(node.start))
      : printScalar(after, node.style, true, style);
    return gap + space + printed + text.slice(node.end, to);
  }

  /**
   * Returns the indentation of the line at `offset`. Returns undefined for a text of one line, because new values stay
   * on this line.
   */
  function indentationAt(offset: number): string | undefined {
    if (!text.includes("\n")) return undefined;
    return /^[ \t]*/.exec(text.slice(offset - columnOf(text, offset)))![0];
  }

  /** The text before a value, without the tag. The tag belongs to the old value. */
  function withoutTag({ tag, start }: SourceNode, from: number): string {
    if (!tag) return text.slice(from, start);
    return text.slice(from, tag.start) + text.slice(tag.end, start).replace(/^[ \t]+/, "");
  }

  /**
   * Replaces a scalar by another scalar. Keeps the style of the scalar if this style can represent the new value.
   * Returns undefined in these cases:
   * - The text contains no scalar for `node`.
   * - `after` is a collection with items.
   * - A plain scalar would get several lines.
   */
  function replaceScalar(node: SourceNode, { from, to, column }: Slot, after: unknown): string | undefined {
    if (node.kind !== "scalar" || node.style === "absent" || isFilled(after)) return undefined;
    const gap = withoutTag(node, from);
    const rest = text.slice(node.end, to);
    if (node.style === "literal" || node.style === "folded") {
      const [head = "", ...lines] = text.slice(node.start, node.end).split(/\r?\n/);
      const comment = /[ \t]+#.*$/.exec(head)?.[0] ?? "";
      const filled = lines.find((line) => line.trim() !== "");
      const indent = filled === undefined ? column + style.step : filled.length - filled.trimStart().length;
      const block =
        typeof after === "string" ? printBlockScalar(after, node.style, { indent, comment, newline }) : undefined;
      return gap + (block ?? printScalar(after, "double", false, style) + comment) + rest;
    }
    if (node.style === "plain" && typeof after === "string" && after.includes("\n")) return undefined;
    return gap + printScalar(after, node.style, false, style) + rest;
  }

  /** Replaces a value that can't be edited in place. Keeps the anchor and the comments of the old value. */
  function replaceBlock(node: SourceNode, { from, to, column, header }: Slot, after: unknown): string {
    const isText = node.style === "literal" || node.style === "folded";
    const head = isText ? /^[^\r\n]*/.exec(text.slice(node.start, node.end))![0] : "";
    const gaps = node.style === "block" ? gapsOf(node) : "";
    const surroundings = withoutProperties(node, from) + gaps + head + text.slice(node.end, to);
    const [first, ...others] = surroundings.match(/#[^\r\n]*/g) ?? [];
    const anchor = node.anchor ? ` ${text.slice(node.anchor.start, node.anchor.end)}` : "";
    const headline = (value: string) => anchor + value + (first === undefined ? "" : ` ${first}`);

    const anchorFlow = node.kind === "alias" ? anchors.get(node.text)?.inFlow : undefined;
    if (isFilled(after) && !(anchorFlow ?? prefersFlow(after))) {
      const isFlat = Array.isArray(after) && style.flatLists;
      const inner = header === "-" ? column + 2 : isFlat ? column : column + style.step;
      if (header === "-" && headline("") === "") return ` ${printBlock(after, inner, style)}`;
      const margin = newline + " ".repeat(inner);
      return [headline(""), ...others, printBlock(after, inner, style)].join(margin);
    }
    if (typeof after === "string" && after.includes("\n") && others.length === 0) {
      const [line = "", ...lines] = printAfter(header === "-" ? "-" : ":", after, column, style).split(newline);
      return [headline(line), ...lines].join(newline);
    }
    const printed = isFilled(after) ? printFlow(after, style) : printScalar(after, "plain", false, style);
    return [headline(` ${printed}`), ...others].join(newline + " ".repeat(column + style.step));
  }

  /** The text before a value, without its anchor and tag. */
  function withoutProperties({ anchor, tag, start }: SourceNode, from: number): string {
    const spans = [anchor, tag].filter((span) => span !== undefined);
    return textWithout(spans, from, start);
  }

  /** The text from `from` to `to` without these spans and without comments that move. */
  function textWithout(spans: readonly Span[], from: number, to: number): string {
    const left = [...spans, ...movedComments]
      .filter((span) => span.start >= from && span.end <= to)
      .sort((a, b) => a.start - b.start);
    const starts = [from, ...left.map(({ end }) => end)];
    const ends = [...left.map((span) => span.start), to];
    return starts.map((at, index) => text.slice(at, ends[index])).join("");
  }

  /** The white space and comments between the items of a block collection. */
  function gapsOf({ entries }: SourceNode): string {
    return entries
      .slice(1)
      .map(({ start }, index) => textWithout([], lineEnd(text, entries[index]!.end), start))
      .join("");
  }

  /**
   * Whether a new collection is written in flow style. The first of these examples that exists decides:
   * - values of the same key elsewhere in the text
   * - siblings of the same kind
   * - most collections of the same kind in the text
   */
  function prefersFlow(value: unknown, siblings: readonly SourceNode[] = [], key?: string): boolean {
    if (!isFilled(value)) return false;
    const elsewhere = key === undefined ? undefined : style.flowUnder.get(key);
    if (elsewhere !== undefined) return elsewhere;
    const kind = valueKind(value);
    const alike = siblings.filter((node) => node.entries.length > 0 && nodeKind(node) === kind);
    return alike.length > 0 ? alike.every((node) => node.style !== "block") : style.flow[kind];
  }

  function renderBlock(node: SourceNode, slot: Slot, before: Collection, after: Collection): string {
    if (!isFilled(after)) return replaceBlock(node, slot, after);
    const { entries } = node;
    const column = columnOf(text, node.start);
    const siblings = entries.map(({ value }) => value);
    const items = arrangeEntries(node, before, after, identityOf).map(({ old, moved, key, value }) => {
      const body =
        old === undefined
          ? newEntry(key, value, column, siblings)
          : renderEntry(entries[old]!, column, false, memberOf(before, key ?? old), value);
      return { old, moved, body };
    });
    const properties = Math.max(slot.from, node.anchor?.end ?? 0, node.tag?.end ?? 0);
    const isCompact = node === root || !/[\r\n]/.test(text.slice(properties, node.start));
    const begin = isCompact ? node.start : lineEnd(text, properties);
    const olds = entries.map((entry) => ({
      start: entry.start,
      end: lineEnd(text, entry.end),
      isMoved: movedEntries.has(entry),
    }));
    return text.slice(slot.from, begin) + joinBlock(text, { begin, isCompact, olds, items, column, newline });
  }

  function newEntry(key: string | undefined, value: unknown, column: number, siblings: readonly SourceNode[]): string {
    const header = key === undefined ? "-" : printKey(key, column, style);
    if (prefersFlow(value, siblings, key)) return `${header} ${printFlow(value, style)}`;
    return header + printAfter(key === undefined ? "-" : ":", value, column, style);
  }

  function renderFlow(node: SourceNode, before: Collection, after: Collection): string {
    const column = columnOf(text, node.start);
    const arranged = arrangeEntries(node, before, after, identityOf);
    const isPair = node.style === "pair";
    if (isPair && !(arranged.length === 1 && arranged[0]!.old === 0)) return printFlow(after, style);
    const items = arranged.map(({ old, moved, key, value }) => {
      const header = key === undefined ? "" : printFlowKey(key, style);
      const print = (margin: string | undefined) =>
        old === undefined
          ? header + printFlow(value, style, margin)
          : renderEntry(node.entries[old]!, column, true, memberOf(before, key ?? old), value);
      return { old, moved, print };
    });
    return isPair ? items[0]!.print(undefined) : joinFlow(text, node, items, style);
  }

  function renderEntry(entry: SourceEntry, column: number, inFlow: boolean, before: unknown, after: unknown): string {
    const to = inFlow ? entry.end : lineEnd(text, entry.end);
    const { key, name, header, value } = entry;
    if (!key) {
      const from = header ?? entry.start;
      const slot: Slot = { from, to, column, inFlow, header: inFlow ? "" : "-" };
      return text.slice(entry.start, from) + renderValue(value, slot, before, after);
    }
    if (key.anchor) anchors.set(key.anchor.name, { value: name, inFlow: false });
    // The key may be an alias. An alias is kept only if `name` is the current value of its anchor. Otherwise `name` is
    // written.
    const isOther = key.kind === "alias" && anchors.get(key.text)?.value !== name;
    const written = isOther ? printFlowKey(name, style).slice(0, -": ".length) : text.slice(key.start, key.end);
    const start = text.slice(entry.start, key.start) + written;
    if (header !== undefined) {
      const slot: Slot = { from: header, to, column, inFlow, header: ":" };
      return start + text.slice(key.end, header) + renderValue(value, slot, before, after);
    }
    const rest = text.slice(key.end, to);
    if (after === null) return start + rest;
    if (inFlow) return `${start}: ${printFlow(after, style)}${rest}`;
    return `${start}${rest}${newline}${" ".repeat(column)}:${printAfter(":", after, column, style)}`;
  }

  const { start } = root;
  const end = root.style === "block" ? lineEnd(text, root.end) : root.end;
  const slot: Slot = { from: start, to: end, column: 0, inFlow: false, header: ":" };
  const written = root.style === "block" ? renderBlock(root, slot, current, target) : renderFlow(root, current, target);
  return {
    text: text.slice(0, start) + written + text.slice(end),
    printMoved: ({ entry, column, before, after }) => renderEntry(entry, column, false, before, after),
  };
}

function isCollection(value: unknown): value is Collection {
  return typeof value === "object" && value !== null;
}

function isSameKind({ kind }: SourceNode, value: unknown): value is Collection {
  return kind === "map" ? isJsonObject(value) : kind === "list" && Array.isArray(value);
}

function memberOf(value: Collection, step: string | number): unknown {
  return (value as Record<string | number, unknown>)[step];
}
