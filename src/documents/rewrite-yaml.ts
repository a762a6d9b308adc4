/** Writes a new value into a YAML or JSON text. Keeps the text of each part whose value stays the same. */

import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { joinBlock, joinFlow, lineEnd } from "./join-items.ts";
import { arrangeEntries, type IdentityOf } from "./match-items.ts";
import type { MovedItem } from "./moved-items.ts";
import { type Edit, prefersFlow, replaceBlock, replaceValue, type Slot } from "./replace-value.ts";
import {
  type Collection,
  columnOf,
  isFilled,
  printAfter,
  printFlow,
  printFlowKey,
  printKey,
  styleOf,
} from "./yaml-style.ts";
import type { SourceEntry, SourceNode } from "./yaml-source.ts";

export type Rewriting = {
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
export function rewrite(
  text: string,
  root: SourceNode,
  { current, target, identityOf, movedItems }: Rewriting,
): { text: string; printMoved: (item: MovedItem) => string } {
  const edit: Edit = {
    text,
    root,
    style: styleOf(text, root),
    identityOf,
    anchors: new Map(),
    movedEntries: new Set(movedItems.map(({ entry }) => entry)),
    movedComments: movedItems.map(({ comments }) => comments).sort((a, b) => a.start - b.start),
  };
  const { start } = root;
  const end = root.style === "block" ? lineEnd(text, root.end) : root.end;
  const slot: Slot = { from: start, to: end, column: 0, inFlow: false, header: ":" };
  const written =
    root.style === "block" ? renderBlock(edit, root, slot, current, target) : renderFlow(edit, root, current, target);
  return {
    text: text.slice(0, start) + written + text.slice(end),
    printMoved: ({ entry, column, before, after }) => renderEntry(edit, entry, column, false, before, after),
  };
}

function renderValue(edit: Edit, node: SourceNode, slot: Slot, before: unknown, after: unknown): string {
  const { text, style, anchors } = edit;
  if (node.anchor) anchors.set(node.anchor.name, { value: after, inFlow: node.style === "flow" });
  const { from, to, inFlow } = slot;
  if (isUnchanged(edit, node, before, after)) return text.slice(from, to);
  if (isCollection(before) && isSameKind(node, after)) {
    if (node.style === "block") return renderBlock(edit, node, slot, before, after);
    // Empty brackets do not show the style for new items. Therefore the brackets get items only where flow style is
    // preferred or required.
    const keepsBrackets = isFilled(before) || !isFilled(after) || prefersFlow(edit, after) || inFlow;
    if (keepsBrackets && (isFilled(before) || !style.json)) {
      return text.slice(from, node.start) + renderFlow(edit, node, before, after) + text.slice(node.end, to);
    }
  }
  return replaceValue(edit, node, slot, after);
}

/**
 * Whether the text of a node can be kept. An unchanged alias may still need new text, because its anchor may now have
 * a different value. Therefore a collection that may contain anchors or aliases is not kept as a whole.
 */
function isUnchanged(edit: Edit, node: SourceNode, before: unknown, after: unknown): boolean {
  const { text, anchors } = edit;
  if (node.kind === "alias") return anchors.has(node.text) && sameJson(anchors.get(node.text)!.value, after);
  if (!sameJson(before, after)) return false;
  if (node.kind === "scalar") return true;
  return !/[&*]/.test(text.slice(node.start, node.end));
}

function renderBlock(edit: Edit, node: SourceNode, slot: Slot, before: Collection, after: Collection): string {
  const { text, style, movedEntries, identityOf, root } = edit;
  if (!isFilled(after)) return replaceBlock(edit, node, slot, after);
  const { entries } = node;
  const column = columnOf(text, node.start);
  const siblings = entries.map(({ value }) => value);
  const items = arrangeEntries(node, before, after, identityOf).map(({ old, moved, key, value }) => {
    const body =
      old === undefined
        ? newEntry(edit, key, value, column, siblings)
        : renderEntry(edit, entries[old]!, column, false, memberOf(before, key ?? old), value);
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
  return (
    text.slice(slot.from, begin) + joinBlock(text, { begin, isCompact, olds, items, column, newline: style.newline })
  );
}

function newEntry(
  edit: Edit,
  key: string | undefined,
  value: unknown,
  column: number,
  siblings: readonly SourceNode[],
): string {
  const { style } = edit;
  const header = key === undefined ? "-" : printKey(key, column, style);
  if (prefersFlow(edit, value, siblings, key)) return `${header} ${printFlow(value, style)}`;
  return header + printAfter(key === undefined ? "-" : ":", value, column, style);
}

function renderFlow(edit: Edit, node: SourceNode, before: Collection, after: Collection): string {
  const { text, style, identityOf } = edit;
  const column = columnOf(text, node.start);
  const arranged = arrangeEntries(node, before, after, identityOf);
  const isPair = node.style === "pair";
  if (isPair && !(arranged.length === 1 && arranged[0]!.old === 0)) return printFlow(after, style);
  const items = arranged.map(({ old, moved, key, value }) => {
    const header = key === undefined ? "" : printFlowKey(key, style);
    const print = (margin: string | undefined) =>
      old === undefined
        ? header + printFlow(value, style, margin)
        : renderEntry(edit, node.entries[old]!, column, true, memberOf(before, key ?? old), value);
    return { old, moved, print };
  });
  return isPair ? items[0]!.print(undefined) : joinFlow(text, node, items, style);
}

function renderEntry(
  edit: Edit,
  entry: SourceEntry,
  column: number,
  inFlow: boolean,
  before: unknown,
  after: unknown,
): string {
  const { text, style, anchors } = edit;
  const to = inFlow ? entry.end : lineEnd(text, entry.end);
  const { key, name, header, value } = entry;
  if (!key) {
    const from = header ?? entry.start;
    const slot: Slot = { from, to, column, inFlow, header: inFlow ? "" : "-" };
    return text.slice(entry.start, from) + renderValue(edit, value, slot, before, after);
  }
  if (key.anchor) anchors.set(key.anchor.name, { value: name, inFlow: false });
  // The key may be an alias. An alias is kept only if `name` is the current value of its anchor. Otherwise `name` is
  // written.
  const isOther = key.kind === "alias" && anchors.get(key.text)?.value !== name;
  const written = isOther ? printFlowKey(name, style).slice(0, -": ".length) : text.slice(key.start, key.end);
  const start = text.slice(entry.start, key.start) + written;
  if (header !== undefined) {
    const slot: Slot = { from: header, to, column, inFlow, header: ":" };
    return start + text.slice(key.end, header) + renderValue(edit, value, slot, before, after);
  }
  const rest = text.slice(key.end, to);
  if (after === null) return start + rest;
  if (inFlow) return `${start}: ${printFlow(after, style)}${rest}`;
  return `${start}${rest}${style.newline}${" ".repeat(column)}:${printAfter(":", after, column, style)}`;
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
