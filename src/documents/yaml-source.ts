/**
 * Parses a YAML text to a tree of nodes, each with the offsets of its parts. `edit-yaml.ts` copies and replaces text by
 * these offsets.
 */

import { CST, Parser } from "yaml";

/** A range of the text; `end` is exclusive. */
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
  /** A mapping of one pair without braces, as in `[a: 1]`. */
  | "pair"
  /** A value that the text omits, as in `key:`. */
  | "absent";

/**
 * A value in the text. `start` and `end` exclude its anchor and tag. An absent value has the offset where the value
 * would be.
 */
export type SourceNode = Span & {
  kind: "scalar" | "alias" | "map" | "list";
  style: NodeStyle;
  /** The decoded text of a scalar, or the anchor name of an alias. */
  text: string;
  anchor: (Span & { name: string }) | undefined;
  tag: Span | undefined;
  entries: SourceEntry[];
};

/** A pair of a mapping or an item of a list. */
export type SourceEntry = Span & {
  /** Undefined for an item of a list. */
  key: SourceNode | undefined;
  /** The text of the key, with aliases resolved. Empty for an item of a list. */
  name: string;
  /**
   * The offset after the `:` or `-`. For an item of a flow list, the start of the item. Undefined for a key without a
   * `:`.
   */
  header: number | undefined;
  value: SourceNode;
};

/**
 * Returns the root nodes of the documents in a text, without empty documents. `readDocuments` must accept the text.
 * Returns undefined if the parser of the package `yaml` finds a syntax error.
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

/**
 * The texts of the scalars with an anchor that are read so far, by anchor name. If a key is an alias, its name is the
 * text of the anchor.
 */
type Texts = Map<string, string>;

/**
 * @param before the tokens that may contain the anchor and the tag
 * @param at the offset to use if the value is absent
 */
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
      return { ...scalar, ...blockScalarOf(token) };
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

/** Returns the span of a block scalar. Excludes blank lines that only separate the scalar from the next node. */
function blockScalarOf(token: CST.BlockScalar): Span & Pick<SourceNode, "style" | "text"> {
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

/** Returns an item of a mapping as a pair. Returns undefined if the item consists only of comments. */
function pairOf(item: CST.CollectionItem, texts: Texts): SourceEntry | undefined {
  const { start: before, key: keyToken, sep, value: valueToken } = item;
  const first = before.find(isMeaningful);
  if (!first && !keyToken && !sep && !valueToken) return undefined;
  // In a flow mapping, a single scalar is a key without a value.
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

/** Returns the comments of a text with their offsets. */
export function commentsIn(text: string): { text: string; offset: number }[] {
  const comments: { text: string; offset: number }[] = [];
  const visit = (token: unknown): void => {
    if (Array.isArray(token)) return token.forEach(visit);
    if (typeof token !== "object" || token === null) return;
    const { type, source, offset } = token as CST.SourceToken;
    if (type === "comment") comments.push({ text: source, offset });
    else Object.values(token).forEach(visit);
  };
  for (const token of new Parser().parse(text)) visit(token);
  return comments;
}
