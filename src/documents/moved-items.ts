/**
 * Moves list items that an edit puts into another list. The text of an item moves, with the comments above the item. In
 * the edited text, a marker first takes the place of each moved item. Then the text of the item replaces the marker.
 */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { lineEnd } from "./join-items.ts";
import type { IdentityOf } from "./match-items.ts";
import type { SourceEntry, SourceNode, Span } from "./yaml-source.ts";
import { columnOf } from "./yaml-style.ts";

export type MovedItem = {
  /** The only key of the mapping that replaces the item in the marked target. */
  marker: string;
  entry: SourceEntry;
  /** The column of the item in the text. */
  column: number;
  before: unknown;
  /** The new value. It may contain marked items too. */
  after: unknown;
  /** The comments directly above the item. Empty if there are none. */
  comments: Span;
};

export type Moves = { target: JsonObject; items: readonly MovedItem[]; identityOf: IdentityOf };

type Occurrence = { list: string; found?: Pick<MovedItem, "entry" | "column" | "before" | "comments"> };

/**
 * Finds the items that move from a block list to another list, and marks them in `target`. An item is marked only if
 * its identity is unique in `current` and unique in `target`.
 *
 * @param isExcluded whether the text of the item with this marker can't be moved. The item is then not marked
 */
export function findMoves(
  text: string,
  root: SourceNode,
  current: JsonObject,
  target: JsonObject,
  identityOf: IdentityOf,
  isExcluded: (marker: string) => boolean = () => false,
): Moves {
  const before = occurrences(text, current, root, identityOf);
  const after = occurrences(text, target, undefined, identityOf);
  const prefix = unusedPrefix(text);
  const moving = new Map<string, { marker: string } & NonNullable<Occurrence["found"]>>();
  for (const [identity, [old, ...others]] of before) {
    const [now, ...more] = after.get(identity) ?? [];
    if (!old?.found || !now || others.length + more.length > 0 || old.list === now.list) continue;
    const marker = `${prefix}${moving.size}`;
    moving.set(identity, { marker, ...old.found });
  }
  const items: MovedItem[] = [];
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(markItem);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mark(member)]));
  };
  const markItem = (item: unknown): unknown => {
    const identity = isJsonObject(item) ? identityOf(item, "target") : undefined;
    const move = identity === undefined ? undefined : moving.get(identity);
    if (!move || isExcluded(move.marker)) return mark(item);
    items.push({ ...move, after: mark(item) });
    return { [move.marker]: 0 };
  };
  return {
    target: moving.size === 0 ? target : (mark(target) as JsonObject),
    items,
    identityOf: (item, side) => {
      const [name = ""] = Object.keys(item);
      return name.startsWith(prefix) ? name : identityOf(item, side);
    },
  };
}

/**
 * Puts `body` in place of the marker of an item, with the indentation of the marker. Returns undefined if the marker is
 * not an item of a block list, or if the comments of the item can't be put above the marker.
 *
 * @param body the text of the item from its `-` on, with the indentation of the item in `text`
 */
export function putMoved(
  edited: string,
  text: string,
  { marker, column, comments }: MovedItem,
  body: string,
): string | undefined {
  const line = new RegExp(String.raw`^( *(?:- +)*)- (?:\{ ?${marker}: 0 ?\}|${marker}: 0)(?=\r?$)`, "m").exec(edited);
  if (!line) return undefined;
  const lead = line[1]!;
  const above = text.slice(comments.start, comments.end).split(/(?<=\n)/);
  const isFirstOnLine = lead.trim() === "";
  if (!isFirstOnLine && above.some((comment) => comment.trim() !== "")) return undefined;
  const head = above.map((comment) => (comment.trim() === "" ? "" : lead + comment.trimStart())).join("");
  return (
    edited.slice(0, line.index) +
    head +
    lead +
    indentLike(body, lead.length - column) +
    edited.slice(line.index + line[0].length)
  );
}

/** Moves lines by `columns`, to the left if `columns` is negative. Does not move the first line and blank lines. */
function indentLike(body: string, columns: number): string {
  const [first = "", ...others] = body.split(/(?<=\n)/);
  const pad = " ".repeat(Math.max(columns, 0));
  const surplus = new RegExp(`^ {0,${Math.max(-columns, 0)}}`);
  return [first, ...others.map((line) => (line.trim() === "" ? line : pad + line.replace(surplus, "")))].join("");
}

/** Returns the list items with an identity, by identity. @param node the node of `value`; undefined for a new value */
function occurrences(
  text: string,
  value: unknown,
  node: SourceNode | undefined,
  identityOf: IdentityOf,
): Map<string, Occurrence[]> {
  const found = new Map<string, Occurrence[]>();
  const side = node ? "current" : "target";

  /** @param list the path of `here`, from the nearest surrounding item with an identity */
  function visit(here: unknown, at: SourceNode | undefined, list: string): void {
    const entries = at && at.kind !== "alias" ? at.entries : [];
    if (Array.isArray(here)) {
      for (const [index, item] of here.entries()) {
        const entry = entries[index];
        const identity = isJsonObject(item) ? identityOf(item, side) : undefined;
        if (identity !== undefined) {
          const isBlock = at?.style === "block" && entry;
          const known = isBlock && {
            entry,
            column: columnOf(text, entry.start),
            before: item,
            comments: commentsAbove(text, entry, entries[index - 1]),
          };
          const same = found.get(identity) ?? [];
          found.set(identity, [...same, { list, ...(known && { found: known }) }]);
        }
        visit(item, entry?.value, identity === undefined ? `${list}[${index}]` : `#${identity}`);
      }
    } else if (isJsonObject(here)) {
      const values = new Map(entries.map((entry) => [entry.name, entry.value]));
      for (const [name, member] of Object.entries(here)) visit(member, values.get(name), `${list}.${name}`);
    }
  }
  visit(value, node, "");
  return found;
}

/** Returns the whole lines of comments directly above an entry. The span ends where the line of the entry begins. */
function commentsAbove(text: string, { start }: SourceEntry, previous: SourceEntry | undefined): Span {
  const begin = start - columnOf(text, start);
  const least = previous ? lineEnd(text, previous.end) : 0;
  let from = begin;
  if (text.slice(begin, start).trim() !== "") return { start: from, end: begin };
  while (from > 0) {
    const above = text.lastIndexOf("\n", from - 2) + 1;
    if (above <= least || !text.slice(above, from).trimStart().startsWith("#")) break;
    from = above;
  }
  return { start: from, end: begin };
}

/** Returns a text that occurs nowhere in `text`. */
function unusedPrefix(text: string): string {
  let prefix = "moved";
  while (text.includes(prefix)) prefix += "x";
  return prefix;
}
