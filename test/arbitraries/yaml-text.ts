/** YAML as users write it: block and flow style, all kinds of quotes, comments, blank lines, anchors and aliases. */

import * as fc from "fast-check";

/** The structure of a text. An alias without a preceding anchor becomes a scalar. */
export type Tree =
  | { kind: "scalar"; text: string; anchor: boolean }
  | { kind: "alias"; pick: number }
  | { kind: "list"; flow: Flow; items: Tree[]; noise: Noise[]; anchor: boolean }
  | { kind: "map"; flow: Flow; items: [string, Tree][]; noise: Noise[]; anchor: boolean };

type Flow = "block" | "line" | "lines";
/** The comments and blank lines above an item, or the comment behind the item. */
type Noise = "" | "comment" | "blank" | "both" | "behind";

export type TextOptions = { newline: "\n" | "\r\n"; step: number; comments: boolean };

const KEYS = ["a", "b", "c", "id", "key", "'x y'", '"q: 1"', "länge"];

const inline = fc.oneof(
  fc.constantFrom(
    "1",
    "-2.5",
    "true",
    "null",
    "~",
    "",
    "text",
    "two words",
    "${NAME}",
    "${N:-x}",
    "'it''s'",
    '"a\\tb"',
  ),
  fc.constantFrom('"# no comment"', "'- x'", "a#b", "!!str 5", "[]", "{}", '""', "'{{ id }}'"),
);
const multiline = fc.constantFrom("|\n  one\n\n   two\n", "|-\n  only\n", ">-\n  folded\n  text\n", ">\n  a\n\n  b\n");

const noise = fc.constantFrom<Noise>("", "", "", "comment", "blank", "both", "behind");
const flow = fc.constantFrom<Flow>("block", "block", "line", "lines");

const { tree } = fc.letrec<{ tree: Tree; map: Tree }>((tie) => {
  const scalar = fc.record({
    kind: fc.constant("scalar" as const),
    text: fc.oneof({ weight: 4, arbitrary: inline }, { weight: 1, arbitrary: multiline }),
    anchor: fc.nat(9).map((dice) => dice === 0),
  });
  const alias = fc.record({ kind: fc.constant("alias" as const), pick: fc.nat(9) });
  const shared = {
    flow,
    noise: fc.array(noise, { minLength: 5, maxLength: 5 }),
    anchor: fc.nat(9).map((dice) => dice === 0),
  };
  const list = fc.record({
    kind: fc.constant("list" as const),
    items: fc.array(tie("tree"), { maxLength: 4 }),
    ...shared,
  });
  const map = fc.record({
    kind: fc.constant("map" as const),
    items: fc
      .uniqueArray(fc.constantFrom(...KEYS), { maxLength: 4 })
      .chain((keys) =>
        fc.tuple(...keys.map((key) => tie("tree").map((value): [string, Tree] => [key, value]))).map((pairs) => pairs),
      ),
    ...shared,
  });
  return {
    tree: fc.oneof({ maxDepth: 4, depthSize: "small" }, scalar, scalar, alias, list, map),
    map,
  };
});

/** A mapping with at least one member, in block style at its top level. */
export const document: fc.Arbitrary<Tree> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 5 }),
    fc.array(noise, { minLength: 5, maxLength: 5 }),
  )
  .chain(([keys, noises]) =>
    fc
      .tuple(...keys.map((key) => tree.map((value): [string, Tree] => [key, value])))
      .map((items): Tree => ({ kind: "map", flow: "block", items, noise: noises, anchor: false })),
  );

export const textOptions: fc.Arbitrary<TextOptions> = fc.record({
  newline: fc.constantFrom("\n" as const, "\n" as const, "\r\n" as const),
  step: fc.constantFrom(2, 2, 4),
  comments: fc.constant(true),
});

/** Returns the text of a tree. Each comment is unique. */
export function textOf(root: Tree, { newline, step, comments }: TextOptions): string {
  const anchors: string[] = [];
  let made = 0;
  const comment = () => (comments ? `# c${++made}` : "");

  /** Returns the text after a `:` or `-`. */
  function after(node: Tree, column: number, isItem: boolean, inFlow: boolean): string {
    if (node.kind === "alias") {
      const name = anchors[node.pick % Math.max(anchors.length, 1)];
      return name === undefined ? " none" : ` *${name} `;
    }
    const name = node.anchor && !inFlow ? `x${anchors.length}_${column}_${made++}` : undefined;
    const anchor = name === undefined ? "" : ` &${name}`;
    let written: string;
    if (node.kind === "scalar") written = scalar(node.text, column, inFlow, anchor);
    else if (node.items.length === 0) written = `${anchor} ${node.kind === "list" ? "[]" : "{}"}`;
    else if (inFlow || node.flow !== "block")
      written = `${anchor} ${bracketed(node, column, !inFlow && node.flow === "lines")}`;
    else if (isItem && !anchor) written = ` ${block(node, column + 2, true)}`;
    else written = `${anchor}\n${block(node, column + (isItem ? 2 : step), false)}`;
    // An anchor is usable only after its node is complete.
    if (name !== undefined) anchors.push(name);
    return written;
  }

  function scalar(text: string, column: number, inFlow: boolean, anchor: string): string {
    if (inFlow && text.includes("\n")) return " flat";
    if (inFlow && text.startsWith("$")) return `${anchor} '${text}'`;
    if (!text.includes("\n")) return text === "" ? anchor : `${anchor} ${text}`;
    const [head, ...lines] = text.replace(/\n$/, "").split("\n");
    return [`${anchor} ${head}`, ...lines.map((line) => (line === "" ? "" : " ".repeat(column) + line))].join("\n");
  }

  function block(node: Exclude<Tree, { kind: "scalar" | "alias" }>, column: number, isCompact: boolean): string {
    const pad = " ".repeat(column);
    return node.items
      .map((item, index) => {
        const [key, value] = node.kind === "map" ? (item as [string, Tree]) : [undefined, item as Tree];
        const around = node.noise[index % node.noise.length]!;
        const isFirst = isCompact && index === 0;
        const blank = !isFirst && (around === "blank" || around === "both") ? "\n" : "";
        const above = !isFirst && (around === "comment" || around === "both") ? `${pad}${comment()}\n` : "";
        const body = (key === undefined ? "-" : `${key}:`) + after(value, column, key === undefined, false);
        const isOneLine = !body.includes("\n");
        const behind = around === "behind" && isOneLine && comments ? ` ${comment()}` : "";
        return `${blank}${above}${isFirst ? "" : pad}${body}${behind}`;
      })
      .join("\n");
  }

  function bracketed(node: Exclude<Tree, { kind: "scalar" | "alias" }>, column: number, onLines: boolean): string {
    const items = node.items.map((item) => {
      if (node.kind === "list") return after(item as Tree, column, true, true).trim() || "null";
      const [key, value] = item as [string, Tree];
      return `${key}:${after(value, column, false, true)}`;
    });
    const [open, close] = node.kind === "list" ? ["[", "]"] : ["{", "}"];
    if (!onLines) return `${open}${items.join(", ")}${close}`;
    const pad = "\n" + " ".repeat(column + 2);
    const lines = items.map((item, index) => {
      const behind = node.noise[index % node.noise.length] === "behind" && comments ? ` ${comment()}` : "";
      return `${pad}${item},${behind}`;
    });
    return `${open}${lines.join("")}\n${" ".repeat(column + 1)}${close}`;
  }

  if (root.kind !== "map") throw new TypeError("a document is a mapping");
  return `${block(root, 0, false)}\n`.replaceAll("\n", newline);
}
