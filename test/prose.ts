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

/** The position of the message among the arguments of the functions and classes that create errors. */
const MESSAGE_AT: Readonly<Record<string, number>> = {
  conflict: 1,
  FormctlError: 1,
  localRefusal: 2,
  LocatedError: 1,
  NoAnswer: 1,
  NotConfirmed: 0,
  notFound: 0,
};

/** The messages of errors and problems in a source, without their hints. Finds no message that a function returns. */
export function readErrorMessages(file: string, source: string): string[] {
  const { program } = parseSync(file, source, { lang: "ts", sourceType: "module" });
  const messages: string[] = [];
  const addTexts = (root: Node | null | undefined) =>
    root && visit(root, (node) => void messages.push(...[textOf(node, source)].filter((text) => text !== undefined)));
  visit(program as unknown as Node, (node) => {
    if (node.type === "Property" && nameOf(node["key"] as Node) === "message") addTexts(node["value"] as Node);
    if (node.type === "VariableDeclarator" && nameOf(node["id"] as Node) === "message") addTexts(node["init"] as Node);
    if (node.type !== "NewExpression" && node.type !== "CallExpression") return;
    const index = MESSAGE_AT[nameOf(node["callee"] as Node)];
    if (index !== undefined) addTexts((node["arguments"] as Node[])[index]);
  });
  return messages;
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

/** The words that a test can judge, as the table in CONTRIBUTING.md lists them. */
export const RULES: readonly { use: string; not: string; pattern: RegExp; kinds?: readonly Text["kind"][] }[] = [
  {
    use: "the actor: the user, the server, the caller",
    not: "somebody, nobody, anyone, whoever, person",
    pattern: /\b(some|no|any)body\b|\b(some|any)one\b|\bwhoever\b|\bpersons?\b/i,
  },
  {
    use: "report, print, show, specify; unknown",
    not: "tell, say; untold, not said",
    pattern: /\b(tells?|told|telling|untold|says?|said|saying)\b/i,
  },
  { use: "deleted, missing", not: "gone", pattern: /\bgone\b/i },
  { use: "again; recreate", not: "anew", pattern: /\banew\b/i },
  { use: "permanently", not: "for good", pattern: /\bfor good\b/i },
  { use: "in progress; concurrent", not: "under way", pattern: /\bunder way\b/i },
  { use: "is, is located", not: "stands", pattern: /\bstands?\b|\bstood\b/i },
  { use: "next to", not: "beside", pattern: /\bbeside\b/i },
  {
    use: "confirm, confirmation (in text for users)",
    not: "consent",
    pattern: /\bconsents?\b/i,
    kinds: ["message", "title"],
  },
  { use: "no rule numbers (in text for users)", not: "R53", pattern: /\bR\d{1,3}\b/, kinds: ["message"] },
];

const DONE = "deleted|removed|archived|overwritten|replaced|cleared|lost|published|created|saved|written";
const FUTURE = /\b(will|would)\b|\?\s*$/i;
/** A clause that states a condition or a fact about the past, and not an effect of the plan. */
const SUBORDINATE = /\b(until|what|which|that|after|if|because|was|earlier|shows?)\b[^,:;.]*/gi;

/**
 * The words of the past in a message about the future: a plan, a question or a loss that requires confirmation.
 *
 * @param isPlanned whether the message belongs to a plan, so that it is about the future without a word for it
 */
export function pastInFuture(text: string, isPlanned: boolean): string | undefined {
  const prose = text.replaceAll(/\$\{[^}]*\}/g, "…");
  // Only questions and plans list losses under such a label.
  const loss = new RegExp(`\\bpermanently (?:${DONE}):`, "i").exec(prose);
  if (loss || (!isPlanned && !FUTURE.test(prose))) return loss?.[0];
  // A label or a participle that begins a clause, such as "Permanently deleted: …" or "…: written, because …".
  const label = new RegExp(`(?:^|[:.;?] )(?:permanently )?(?:${DONE})\\b(?![^,:;.]* earlier\\b)`, "i");
  const passive = new RegExp(`\\b(?:is|are|has been|have been) (?:not )?(?:${DONE})\\b`, "i");
  const found = label.exec(prose) ?? (isPlanned ? passive.exec(prose.replaceAll(SUBORDINATE, "")) : null);
  return found?.[0];
}

/** The violations of the language rules in a text. Code in backticks is not language. */
export function violations({ kind, text }: Text): string[] {
  const prose = text.replaceAll(/`[^`]*`|\{@link [^}]*\}|\$\{[^}]*\}/g, "…");
  return RULES.flatMap(({ pattern, use, kinds }) => {
    const found = !kinds || kinds.includes(kind) ? pattern.exec(prose)?.[0] : undefined;
    return found === undefined ? [] : [`"${found}" → ${use}`];
  });
}
