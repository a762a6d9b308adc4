/** A document with another value, node by node: what stands is copied, and what does not is written as its neighbours are. */

import { isJsonObject, type JsonObject, sameJson } from "../schemas/json.ts";
import { arrange } from "./arrange.ts";
import { joinBlock, lineEnd } from "./block-lines.ts";
import { joinFlow } from "./flow-items.ts";
import type { IdentityOf } from "./match-items.ts";
import {
  isFilled,
  printAfter,
  printBlock,
  printBlockScalar,
  printFlow,
  printFlowKey,
  printKey,
  printScalar,
  sortOfValue,
} from "./print-value.ts";
import { columnOf, sortOf, surroundingsOf } from "./surroundings.ts";
import type { SourceEntry, SourceNode } from "./yaml-source.ts";

type Collection = JsonObject | unknown[];

/** Where a value stands. */
type Place = {
  /** From behind its header to the end of its last line; between brackets, to its own end. */
  from: number;
  to: number;
  /** Of the collection that it belongs to. */
  column: number;
  inFlow: boolean;
  header: ":" | "-" | "";
};

/** `text` with `target` in place of `before`, which is what it says at `root`; both are mappings that are not empty. */
export function rewrite(
  text: string,
  root: SourceNode,
  before: JsonObject,
  target: JsonObject,
  identityOf: IdentityOf,
): string {
  const around = surroundingsOf(text, root);
  const { newline } = around;
  /** What each anchor stands for at the place that the writing has come to, and whether it is written with brackets. */
  const anchors = new Map<string, { value: unknown; inBrackets: boolean }>();

  function renderValue(node: SourceNode, place: Place, current: unknown, wanted: unknown): string {
    if (node.anchor) anchors.set(node.anchor.name, { value: wanted, inBrackets: node.style === "flow" });
    const { from, to, inFlow } = place;
    if (stands(node, current, wanted)) return text.slice(from, to);
    if (isCollection(current) && isSameKind(node, wanted)) {
      if (node.style === "block") return renderBlock(node, place, current, wanted);
      // Brackets with nothing in them say nothing of how to write what comes into them.
      const isClear = isFilled(current) || !isFilled(wanted) || prefersFlow(wanted) || inFlow;
      if (isClear && (isFilled(current) || !around.json)) {
        return text.slice(from, node.start) + renderFlow(node, current, wanted) + text.slice(node.end, to);
      }
    }
    if (inFlow || around.json) return replaceInFlow(node, place, wanted);
    return replaceScalar(node, place, wanted) ?? reprint(node, place, wanted);
  }

  /** Nothing in the text has to change. What an alias in it stands for may have changed before it. */
  function stands(node: SourceNode, current: unknown, wanted: unknown): boolean {
    if (node.kind === "alias") return anchors.has(node.text) && sameJson(anchors.get(node.text)!.value, wanted);
    if (!sameJson(current, wanted)) return false;
    if (node.kind === "scalar") return true;
    return !/[&*]/.test(text.slice(node.start, node.end));
  }

  function replaceInFlow(node: SourceNode, { from, to, header }: Place, wanted: unknown): string {
    const gap = withoutTag(node, from);
    const space = header === "" || /\s$/.test(gap) ? "" : " ";
    const printed = isFilled(wanted)
      ? printFlow(wanted, around, marginAt(node.start))
      : printScalar(wanted, node.style, true, around);
    return gap + space + printed + text.slice(node.end, to);
  }

  /** The white space that a line of a JSON text begins with, where it has lines. */
  function marginAt(offset: number): string | undefined {
    if (!text.includes("\n")) return undefined;
    return /^[ \t]*/.exec(text.slice(offset - columnOf(text, offset)))![0];
  }

  /** What stands before a value, without its tag: that was another value's. */
  function withoutTag({ tag, start }: SourceNode, from: number): string {
    if (!tag) return text.slice(from, start);
    return text.slice(from, tag.start) + text.slice(tag.end, start).replace(/^[ \t]+/, "");
  }

  /** A scalar in place of a scalar, in its style; undefined where that can't be. */
  function replaceScalar(node: SourceNode, { from, to, column }: Place, wanted: unknown): string | undefined {
    if (node.kind !== "scalar" || node.style === "absent" || isFilled(wanted)) return undefined;
    const gap = withoutTag(node, from);
    const rest = text.slice(node.end, to);
    if (node.style === "literal" || node.style === "folded") {
      const [head = "", ...lines] = text.slice(node.start, node.end).split(/\r?\n/);
      const comment = /[ \t]+#.*$/.exec(head)?.[0] ?? "";
      const filled = lines.find((line) => line.trim() !== "");
      const indent = filled === undefined ? column + around.step : filled.length - filled.trimStart().length;
      const block =
        typeof wanted === "string" ? printBlockScalar(wanted, node.style, { indent, comment, newline }) : undefined;
      return gap + (block ?? printScalar(wanted, "double", false, around) + comment) + rest;
    }
    if (node.style === "plain" && typeof wanted === "string" && wanted.includes("\n")) return undefined;
    return gap + printScalar(wanted, node.style, false, around) + rest;
  }

  /** Another kind of value under the same header. Comments beside it stay. */
  function reprint(node: SourceNode, { from, to, column, header }: Place, wanted: unknown): string {
    const isText = node.style === "literal" || node.style === "folded";
    const head = isText ? /^[^\r\n]*/.exec(text.slice(node.start, node.end))![0] : "";
    const gaps = node.style === "block" ? gapsOf(node) : "";
    const beside = withoutProperties(node, from) + gaps + head + text.slice(node.end, to);
    const [first, ...others] = beside.match(/#[^\r\n]*/g) ?? [];
    const anchor = node.anchor ? ` ${text.slice(node.anchor.start, node.anchor.end)}` : "";
    const headline = (value: string) => anchor + value + (first === undefined ? "" : ` ${first}`);

    const likeAnchor = node.kind === "alias" ? anchors.get(node.text)?.inBrackets : undefined;
    const inBrackets = likeAnchor ?? prefersFlow(wanted);
    if (isFilled(wanted) && !inBrackets) {
      const isFlat = Array.isArray(wanted) && around.flatLists;
      const inner = header === "-" ? column + 2 : isFlat ? column : column + around.step;
      if (header === "-" && headline("") === "") return ` ${printBlock(wanted, inner, around)}`;
      const margin = newline + " ".repeat(inner);
      return [headline(""), ...others, printBlock(wanted, inner, around)].join(margin);
    }
    if (typeof wanted === "string" && wanted.includes("\n") && others.length === 0) {
      const [line = "", ...lines] = printAfter(header === "-" ? "-" : ":", wanted, column, around).split(newline);
      return [headline(line), ...lines].join(newline);
    }
    const printed = isFilled(wanted) ? printFlow(wanted, around) : printScalar(wanted, "plain", false, around);
    return [headline(` ${printed}`), ...others].join(newline + " ".repeat(column + around.step));
  }

  function withoutProperties({ anchor, tag, start }: SourceNode, from: number): string {
    const spans = [anchor, tag].filter((span) => span !== undefined).sort((a, b) => a.start - b.start);
    const starts = [from, ...spans.map(({ end }) => end)];
    const ends = [...spans.map((span) => span.start), start];
    return starts.map((at, index) => text.slice(at, ends[index])).join("");
  }

  /** What stands between the items of a block collection: white space and comments. */
  function gapsOf({ entries }: SourceNode): string {
    return entries
      .slice(1)
      .map(({ start }, index) => text.slice(lineEnd(text, entries[index]!.end), start))
      .join("");
  }

  function prefersFlow(value: unknown, siblings: readonly SourceNode[] = [], key?: string): boolean {
    if (!isFilled(value)) return false;
    const elsewhere = key === undefined ? undefined : around.flowUnder.get(key);
    if (elsewhere !== undefined) return elsewhere;
    const sort = sortOfValue(value);
    const alike = siblings.filter((node) => node.entries.length > 0 && sortOf(node) === sort);
    return alike.length > 0 ? alike.every(({ style }) => style !== "block") : around.flow[sort];
  }

  function renderBlock(node: SourceNode, place: Place, current: Collection, wanted: Collection): string {
    if (!isFilled(wanted)) return reprint(node, place, wanted);
    const { entries } = node;
    const column = columnOf(text, node.start);
    const siblings = entries.map(({ value }) => value);
    const items = arrange(node, current, wanted, identityOf).map(({ old, moved, key, value }) => {
      const body =
        old === undefined
          ? newEntry(key, value, column, siblings)
          : renderEntry(entries[old]!, column, false, memberOf(current, key ?? old), value);
      return { old, moved, body };
    });
    const properties = Math.max(place.from, node.anchor?.end ?? 0, node.tag?.end ?? 0);
    const isCompact = node === root || !/[\r\n]/.test(text.slice(properties, node.start));
    const begin = isCompact ? node.start : lineEnd(text, properties);
    const olds = entries.map(({ start, end }) => ({ start, end: lineEnd(text, end) }));
    return text.slice(place.from, begin) + joinBlock(text, { begin, isCompact, olds, items, column, newline });
  }

  function newEntry(key: string | undefined, value: unknown, column: number, siblings: readonly SourceNode[]): string {
    const header = key === undefined ? "-" : printKey(key, column, around);
    if (prefersFlow(value, siblings, key)) return `${header} ${printFlow(value, around)}`;
    return header + printAfter(key === undefined ? "-" : ":", value, column, around);
  }

  function renderFlow(node: SourceNode, current: Collection, wanted: Collection): string {
    const column = columnOf(text, node.start);
    const arranged = arrange(node, current, wanted, identityOf);
    const isPair = node.style === "pair";
    if (isPair && !(arranged.length === 1 && arranged[0]!.old === 0)) return printFlow(wanted, around);
    const items = arranged.map(({ old, moved, key, value }) => {
      const header = key === undefined ? "" : printFlowKey(key, around);
      const print = (margin: string | undefined) =>
        old === undefined
          ? header + printFlow(value, around, margin)
          : renderEntry(node.entries[old]!, column, true, memberOf(current, key ?? old), value);
      return { old, moved, print };
    });
    return isPair ? items[0]!.print(undefined) : joinFlow(text, node, items, around);
  }

  function renderEntry(entry: SourceEntry, column: number, inFlow: boolean, current: unknown, wanted: unknown): string {
    const to = inFlow ? entry.end : lineEnd(text, entry.end);
    const { key, name, header, value } = entry;
    if (!key) {
      const from = header ?? entry.start;
      const place: Place = { from, to, column, inFlow, header: inFlow ? "" : "-" };
      return text.slice(entry.start, from) + renderValue(value, place, current, wanted);
    }
    if (key.anchor) anchors.set(key.anchor.name, { value: name, inBrackets: false });
    // A key that is an alias is written out where its anchor means something else by now.
    const isOther = key.kind === "alias" && anchors.get(key.text)?.value !== name;
    const written = isOther ? printFlowKey(name, around).slice(0, -": ".length) : text.slice(key.start, key.end);
    const start = text.slice(entry.start, key.start) + written;
    if (header !== undefined) {
      const place: Place = { from: header, to, column, inFlow, header: ":" };
      return start + text.slice(key.end, header) + renderValue(value, place, current, wanted);
    }
    const rest = text.slice(key.end, to);
    if (wanted === null) return start + rest;
    if (inFlow) return `${start}: ${printFlow(wanted, around)}${rest}`;
    return `${start}${rest}${newline}${" ".repeat(column)}:${printAfter(":", wanted, column, around)}`;
  }

  const { start } = root;
  const end = root.style === "block" ? lineEnd(text, root.end) : root.end;
  const place: Place = { from: start, to: end, column: 0, inFlow: false, header: ":" };
  const written = root.style === "block" ? renderBlock(root, place, before, target) : renderFlow(root, before, target);
  return text.slice(0, start) + written + text.slice(end);
}

function isCollection(value: unknown): value is Collection {
  return typeof value === "object" && value !== null;
}

function isSameKind({ kind }: SourceNode, wanted: unknown): wanted is Collection {
  return kind === "map" ? isJsonObject(wanted) : kind === "list" && Array.isArray(wanted);
}

function memberOf(value: Collection, step: string | number): unknown {
  return (value as Record<string | number, unknown>)[step];
}
