/** Finds the texts in a TypeScript source that people read: messages, comments and test titles. */

import { parseSync } from "rolldown/utils";

export type Text = { kind: "message" | "comment" | "title"; line: number; text: string };

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** Every text of a source, in order. */
export function readTexts(file: string, source: string): Text[] {
  const { program, comments, errors } = parseSync(file, source, { lang: "ts", sourceType: "module" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const lineOf = lineIndex(source);
  const texts: Text[] = comments.map(({ start, value }) => ({
    kind: "comment",
    line: lineOf(start),
    text: plainComment(value),
  }));
  const titles = new Set<Node>();
  visit(program as unknown as Node, (node) => {
    if (node.type === "CallExpression" && isTest(node["callee"] as Node)) titles.add((node["arguments"] as Node[])[0]!);
    const text = textOf(node, source);
    if (text === undefined) return;
    const kind = titles.has(node) ? "title" : "message";
    if (kind === "title" || isSentence(text)) texts.push({ kind, line: lineOf(node.start), text });
  });
  return texts.toSorted((a, b) => a.line - b.line);
}

/** `it(…)`, `it.skip(…)`, `it.each(…)(…)`, `describe(…)` */
function isTest(callee: Node): boolean {
  if (callee.type === "Identifier") return ["it", "test", "describe"].includes(String(callee["name"]));
  if (callee.type === "MemberExpression") return isTest(callee["object"] as Node);
  // The call inside `it.each(…)(…)`. The title is an argument of the outer call.
  return callee.type === "CallExpression" && isTest(callee["callee"] as Node);
}

/**
 * Calls `use` for each node that may contain a text for people. Leaves out imports, types, SQL and examples of
 * commands.
 */
function visit(node: Node, use: (node: Node) => void): void {
  if (/^(Import|Export(All|Named))Declaration$/.test(node.type) && node["source"]) return;
  if (node.type === "TaggedTemplateExpression" || (node.type.startsWith("TS") && node.type.endsWith("Type"))) return;
  if (node.type === "Property" && nameOf(node["key"] as Node) === "examples") return;
  use(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) visit(child as Node, use);
    }
  }
}

const nameOf = (key: Node) => String(key["name"] ?? key["value"]);

/**
 * Returns the text of a string or template literal, or undefined for another node. A simple expression keeps its
 * source.
 */
function textOf(node: Node, source: string): string | undefined {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  const parts = (node["quasis"] as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  const expressions = (node["expressions"] as Node[]).map(({ start, end }) => source.slice(start, end));
  return parts.reduce((text, part, index) => {
    const expression = expressions[index - 1]!;
    return `${text}\${${/^[\w.]+$/.test(expression) ? expression : "…"}}${part}`;
  });
}

/** At least two words of letters: codes, keys, paths and patterns have fewer. */
function isSentence(text: string): boolean {
  const words = text.replaceAll(/\$\{[^}]*\}/g, "").match(/(?<=^|[\s"'(])[A-Za-z][a-z']*(?=$|[\s,.:;?!)"'])/g) ?? [];
  return words.length >= 2 && / /.test(text.trim());
}

/** A comment without its stars. */
function plainComment(value: string): string {
  return value
    .replaceAll(/^\s*\*+ ?/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function lineIndex(source: string): (offset: number) => number {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}

/** What the language rules forbid, with the plain alternative (CONTRIBUTING.md, "Language"). */
const RULES: readonly { pattern: RegExp; use: string; kinds?: readonly Text["kind"][] }[] = [
  {
    pattern: /\b(some|no|any)body\b|\b(some|any)one\b|\bwhoever\b/i,
    use: "the actor: the user, the server, the caller",
  },
  { pattern: /\bpersons?\b|\ba person's\b/i, use: "the user" },
  { pattern: /\b(tells?|told|telling|untold)\b/i, use: "report, print, show; unknown" },
  { pattern: /\b(says?|said|saying)\b/i, use: "report, print, show, specify" },
  { pattern: /\banew\b/i, use: "again; recreate" },
  { pattern: /\bfor good\b/i, use: "permanently" },
  { pattern: /\bgone\b/i, use: "deleted, missing" },
  { pattern: /\bgo(es)? along\b/i, use: "is sent with, is deleted with" },
  { pattern: /\bwhat became of\b/i, use: "the outcome of" },
  { pattern: /\bkept answers?\b/i, use: "stored response" },
  { pattern: /\banswer(ed|s)? again\b/i, use: "replay" },
  { pattern: /\bunder way\b/i, use: "in progress; concurrent" },
  { pattern: /\bway out\b/i, use: "next step" },
  { pattern: /\ball the same\b/i, use: "anyway" },
  { pattern: /\bstands?\b|\bstood\b/i, use: "is, is located" },
  { pattern: /\bbeside\b/i, use: "next to" },
  { pattern: /\berrands?\b/i, use: "task" },
  { pattern: /\bonce made\b|\bmissed renames?\b/i, use: "once created; rename hint" },
  { pattern: /\bconsents?\b/i, use: "confirm, confirmation", kinds: ["message", "title"] },
  { pattern: /\bR\d{1,3}\b/, use: "no rule numbers", kinds: ["message"] },
];

/** The violations of the language rules in a text. Code in backticks is not language. */
export function violations({ kind, text }: Text): string[] {
  const prose = text.replaceAll(/`[^`]*`|\{@link [^}]*\}|\$\{[^}]*\}/g, "…");
  return RULES.flatMap(({ pattern, use, kinds }) => {
    const found = !kinds || kinds.includes(kind) ? pattern.exec(prose)?.[0] : undefined;
    return found === undefined ? [] : [`"${found}" → ${use}`];
  });
}
