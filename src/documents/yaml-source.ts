/** A YAML text as it is written: each node of its documents with the offsets of its parts, down to anchors and commas. */

import { CST, Parser } from "yaml";

/** Where something stands: from `start` up to `end`, which is not part of it. */
export type Span = { start: number; end: number };

export type NodeStyle =
  | "plain"
  | "single"
  | "double"
  | "literal"
  | "folded"
  | "alias"
  | "block"
  | "flow"
  /** `[a: 1]`: a mapping of one pair in a flow sequence, without brackets. */
  | "pair"
  /** No character stands for it: the value in `key:`. */
  | "absent";

/** `start` and `end` are those of the value itself, without anchor and tag; of an absent one, where it would stand. */
export type SourceNode = Span & {
  kind: "scalar" | "alias" | "map" | "list";
  style: NodeStyle;
  /** Of a scalar, its decoded text; of an alias, the name of its anchor. */
  text: string;
  anchor: (Span & { name: string }) | undefined;
  tag: Span | undefined;
  entries: SourceEntry[];
};

/** A pair of a mapping or an item of a list, from its first character to its last. */
export type SourceEntry = Span & {
  /** Of a pair. */
  key: SourceNode | undefined;
  /** What the key says, also where it is an alias; empty without a key. */
  name: string;
  /** After the `:` or `-`; in a flow list where the item begins. Undefined for a key without a `:`. */
  header: number | undefined;
  value: SourceNode;
};

/**
 * The roots of a text's documents, those without content left out. The text is one that `readDocuments` accepts.
 * Undefined where this parser sees something else in it than that one.
 */
export function yamlSource(text: string): SourceNode[] | undefined {
  const roots: SourceNode[] = [];
  for (const token of new Parser().parse(text)) {
    if (token.type === "error") return undefined;
    if (token.type !== "document") continue;
    const root = nodeOf(token.start, token.value, token.offset, new Map());
    if (root.style !== "absent" || root.tag) roots.push(root);
  }
  return roots;
}

/** What the anchors of a document stand for that are texts, as far as it is read: a key may be an alias of one. */
type Texts = Map<string, string>;

/** @param before what stands before the value and may hold its anchor and tag  @param at where an absent value would stand */
function nodeOf(
  before: readonly CST.SourceToken[],
  token: CST.Token | null | undefined,
  at: number,
  texts: Texts,
): SourceNode {
  const anchor = before.findLast(({ type }) => type === "anchor");
  const tag = before.findLast(({ type }) => type === "tag");
  const properties = {
    anchor: anchor && { ...spanOf(anchor), name: anchor.source.slice(1) },
    tag: tag && spanOf(tag),
  };
  const absent = Math.max(at, anchor ? spanOf(anchor).end : 0, tag ? spanOf(tag).end : 0);
  const value = valueOf(token, absent, texts);
  if (properties.anchor) texts.set(properties.anchor.name, value.text);
  return { ...properties, ...value };
}

function spanOf({ offset, source }: { offset: number; source: string }): Span {
  return { start: offset, end: offset + source.length };
}

type Value = Omit<SourceNode, "anchor" | "tag">;

function valueOf(token: CST.Token | null | undefined, absent: number, texts: Texts): Value {
  const scalar = { kind: "scalar", entries: [] as SourceEntry[] } as const;
  switch (token?.type) {
    case "scalar":
    case "single-quoted-scalar":
    case "double-quoted-scalar": {
      if (token.source === "") return { ...scalar, style: "absent", text: "", start: absent, end: absent };
      const style = token.type === "scalar" ? "plain" : token.type === "single-quoted-scalar" ? "single" : "double";
      return { ...scalar, style, text: CST.resolveAsScalar(token).value, ...spanOf(token) };
    }
    case "block-scalar":
      return { ...scalar, ...blockScalar(token) };
    case "alias":
      return { kind: "alias", style: "alias", text: token.source.slice(1), entries: [], ...spanOf(token) };
    case "block-map":
    case "block-seq": {
      const kind = token.type === "block-map" ? "map" : "list";
      const entries = blockEntries(token, texts);
      const start = entries[0]?.start ?? token.offset;
      return { kind, style: "block", text: "", start, end: entries.at(-1)?.end ?? start, entries };
    }
    case "flow-collection": {
      const kind = token.start.type === "flow-map-start" ? "map" : "list";
      const end = spanOf(token.end[0] ?? token.start).end;
      return { kind, style: "flow", text: "", start: token.offset, end, entries: flowEntries(token, kind, texts) };
    }
    default:
      return { ...scalar, style: "absent", text: "", start: absent, end: absent };
  }
}

/** Without the blank lines that only separate it from what follows. */
function blockScalar(token: CST.BlockScalar): Span & Pick<SourceNode, "style" | "text"> {
  const header = token.props.find(({ type }) => type === "block-scalar-header") as CST.SourceToken;
  const props = token.props as CST.SourceToken[];
  const first = props.reduce((offset, prop) => Math.max(offset, spanOf(prop).end), token.offset);
  const kept = header.source.includes("+")
    ? token.source.replace(/\r?\n$/, "")
    : token.source.replace(/(?:\r?\n)+$/, "");
  const lastProp = props.findLast(({ type }) => type === "comment" || type === "block-scalar-header")!;
  return {
    style: header.source.startsWith("|") ? "literal" : "folded",
    text: CST.resolveAsScalar(token).value,
    start: header.offset,
    end: kept === "" ? spanOf(lastProp).end : first + kept.length,
  };
}

function blockEntries({ items }: CST.BlockMap | CST.BlockSequence, texts: Texts): SourceEntry[] {
  return items.flatMap((item) => {
    const indicator = item.start.find(({ type }) => type === "seq-item-ind");
    if (indicator) {
      const header = spanOf(indicator).end;
      const value = nodeOf(item.start, item.value, header, texts);
      return [{ start: indicator.offset, end: Math.max(header, value.end), key: undefined, name: "", header, value }];
    }
    return pairOf(item, texts) ?? [];
  });
}

function flowEntries({ items }: CST.FlowCollection, kind: "map" | "list", texts: Texts): SourceEntry[] {
  return items.flatMap((item) => {
    if (kind === "map") return pairOf(item, texts) ?? [];
    if (item.sep || item.key) {
      const pair = pairOf(item, texts);
      if (!pair) return [];
      const { start, end } = pair;
      const node = { kind: "map", style: "pair", text: "", anchor: undefined, tag: undefined } as const;
      return [{ start, end, key: undefined, name: "", header: start, value: { ...node, start, end, entries: [pair] } }];
    }
    const first = item.start.find(isMeaningful);
    const start = first?.offset ?? item.value?.offset;
    if (start === undefined) return [];
    const value = nodeOf(item.start, item.value, start, texts);
    return [{ start, end: value.end, key: undefined, name: "", header: start, value }];
  });
}

/** Undefined for what holds nothing but comments. */
function pairOf(item: CST.CollectionItem, texts: Texts): SourceEntry | undefined {
  const { start: before, key: keyToken, sep, value: valueToken } = item;
  const first = before.find(isMeaningful);
  if (!first && !keyToken && !sep && !valueToken) return undefined;
  // In a flow mapping a lone scalar is a key without a value.
  const lone = !sep && !keyToken && valueToken;
  const colon = sep?.find(({ type }) => type === "map-value-ind");
  const keyAt = first ? spanOf(first).end : (colon?.offset ?? 0);
  const key = nodeOf(before, lone ? valueToken : keyToken, keyAt, texts);
  const name = key.kind === "alias" ? (texts.get(key.text) ?? "") : key.text;
  const start = first?.offset ?? (key.style === "absent" && colon ? colon.offset : key.start);
  if (!colon) {
    return { start, end: key.end, key, name, header: undefined, value: nodeOf([], undefined, key.end, texts) };
  }
  const header = spanOf(colon).end;
  const value = nodeOf(sep!.slice(sep!.indexOf(colon)), valueToken, header, texts);
  return { start, end: Math.max(header, value.end), key, name, header, value };
}

function isMeaningful({ type }: CST.SourceToken): boolean {
  return type === "anchor" || type === "tag" || type === "explicit-key-ind";
}
