/**
 * The small faults that mutation testing plants in a source. Each operator is a line of a table: a kind of node of the
 * syntax tree, and the texts that replace it.
 */

import { parseSync } from "rolldown/utils";

export type Node = { type: string; start: number; end: number } & Record<string, unknown>;

/** A change of one node. An empty `to` removes a statement or a member. */
export type Change = {
  kind: "expression" | "statement" | "object member" | "array member";
  start: number;
  end: number;
  to: string;
  /** The innermost named function or class of the change, or the constant of the module. */
  within: string;
};

/** Operators that are replaced. `+` is not, if an operand is a text. */
const OPERATORS: Record<string, readonly string[]> = {
  "<": ["<="],
  "<=": ["<"],
  ">": [">="],
  ">=": [">"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "+=": ["-="],
  "-=": ["+="],
  "++": ["--"],
  "--": ["++"],
};

/** Methods that are replaced by another one, or by nothing: `list.filter(f)` becomes `list`. */
const METHODS: Record<string, string> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  min: "max",
  max: "min",
  find: "findLast",
  findLast: "find",
  filter: "",
  toSorted: "",
  toReversed: "",
  trim: "",
  toLowerCase: "",
};

type Site = { node: Node; parent: Node; text: (node: Node) => string };

/** The texts that replace an expression, by the type of its node. */
const EXPRESSIONS: Record<string, (site: Site) => string[]> = {
  BinaryExpression: exchanged,
  AssignmentExpression: exchanged,
  LogicalExpression: (site) =>
    site.node["operator"] === "??" ? [site.text(site.node["left"] as Node)] : exchanged(site),
  UpdateExpression: ({ node, text }) =>
    OPERATORS[String(node["operator"])]!.map((to) => text(node).replace(/\+\+|--/, to)),
  UnaryExpression: ({ node, text }) => (/[!-]/.test(String(node["operator"])) ? [text(node["argument"] as Node)] : []),
  AwaitExpression: ({ node, text }) => [text(node["argument"] as Node)],
  ArrayExpression: ({ node }) => ((node["elements"] as unknown[]).length > 0 ? ["[]"] : []),
  CallExpression: ({ node, text }) => {
    const { object, property, computed } = node["callee"] as { object?: Node; property?: Node; computed?: boolean };
    const name = object && property && !computed ? text(property) : "";
    if (!Object.hasOwn(METHODS, name)) return [];
    const rest = `.${METHODS[name]}${text(node).slice(property!.end - node.start)}`;
    return [METHODS[name] === "" ? text(object!) : text(object!) + rest];
  },
  Literal: ({ node }) => {
    const value = node["value"];
    if (typeof value === "boolean") return [String(!value)];
    if (typeof value === "number") return [String(value + 1), String(value - 1)];
    // A text with a space is a message or SQL. Tests of the sources check messages.
    if (typeof value === "string" && !value.includes(" ")) return [value === "" ? '"mutant"' : '""'];
    return [];
  },
};

function exchanged({ node, text }: Site): string[] {
  const [left, right] = [node["left"], node["right"]] as [Node, Node];
  const operator = String(node["operator"]);
  if (operator === "+" && [left, right].some(isText)) return [];
  const between = text({ ...node, start: left.end, end: right.start });
  const operand = (side: Node) => (side.type === "LogicalExpression" ? `(${text(side)})` : text(side));
  return (OPERATORS[operator] ?? []).map((to) => operand(left) + between.replace(operator, to) + operand(right));
}

const isText = (node: Node) => node.type === "TemplateLiteral" || typeof node["value"] === "string";

/** The texts that replace a condition. An operator of the table negates a comparison. */
function conditions({ node, parent, text }: Site): string[] {
  if (parent["test"] !== node) return [];
  if (parent.type === "WhileStatement") return ["false"];
  if (parent.type !== "IfStatement" && parent.type !== "ConditionalExpression") return [];
  const isNegated = /^[!=]==$|^!$/.test(String(node["operator"]));
  return ["true", "false", ...(isNegated ? [] : [`!(${text(node)})`])];
}

const REMOVED_STATEMENTS = /^(Expression|Throw|Return|Break|Continue)Statement$/;

/** Returns every change of a TypeScript source, in the order of the source. */
export function changesOf(file: string, source: string): Change[] {
  const { program, errors } = parseSync(file, source, { lang: "ts", sourceType: "module" });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`);
  const text = ({ start, end }: Node) => source.slice(start, end);
  const changes: Change[] = [];

  const visit = (node: Node, parent: Node, outer: string, isInChain: boolean) => {
    if (isWithoutEffect(node)) return;
    const within = nameOf(node, outer) ?? outer;
    const add = (kind: Change["kind"], to: string) =>
      changes.push({ kind, start: node.start, end: node.end, to, within });
    if (REMOVED_STATEMENTS.test(node.type) && node["directive"] == null) add("statement", "");
    if (parent.type === "ObjectExpression" && isRemovable(node)) add("object member", "");
    if (parent.type === "ArrayExpression" && node.type === "SpreadElement") add("array member", "");
    const site = { node, parent, text };
    // The operand of an optional chain can't be replaced alone: parentheses end the chain.
    const replaced = isInChain ? [] : (EXPRESSIONS[node.type]?.(site) ?? []);
    for (const to of [...replaced, ...conditions(site)]) if (to !== text(node)) add("expression", to);

    for (const [key, value] of Object.entries(node)) {
      if (isKey(node, key)) continue;
      const isOfChain = node.type === "ChainExpression" || (isInChain && /^(object|callee|expression)$/.test(key));
      for (const child of (Array.isArray(value) ? value : [value]) as (Node | null)[])
        if (typeof child?.type === "string") visit(child, node, within, isOfChain);
    }
  };
  const root = program as unknown as Node;
  visit(root, root, "", false);
  return changes;
}

/** Types and imports. A type assertion is the exception: it contains an expression. */
function isWithoutEffect(node: Node): boolean {
  if (node.type.startsWith("TS")) return !("expression" in node);
  return /^(Import|ExportAll)/.test(node.type) || (node.type === "ExportNamedDeclaration" && node["source"] != null);
}

/** Whether a child is the name of a member, not a value. */
const isKey = (node: Node, key: string) =>
  (key === "key" || key === "property") && node["computed"] !== true && node.type !== "SpreadElement";

/** Whether a member can be copied with a spread, which evaluates an accessor and sets no prototype. */
const isRemovable = (node: Node) =>
  node.type === "SpreadElement" || (node["kind"] === "init" && (node["key"] as Node)["name"] !== "__proto__");

function nameOf(node: Node, outer: string): string | undefined {
  const isNamed =
    /^(Function|Class)Declaration$|^MethodDefinition$/.test(node.type) ||
    (node.type === "VariableDeclarator" &&
      (outer === "" || /Function/.test((node["init"] as Node | null)?.type ?? "")));
  const name = (node["id"] ?? node["key"]) as Node | undefined;
  return isNamed ? (name?.["name"] as string | undefined) : undefined;
}

/** Returns the source with one change. */
export function mutated(source: string, { kind, start, end, to }: Change): string {
  const removed = { expression: "", statement: "{}", "object member": "...{}", "array member": "...[]" }[kind];
  return source.slice(0, start) + (to === "" ? removed : `(${to})`) + source.slice(end);
}

/**
 * Returns the source with all changes, each behind a switch: the call of `isActive` with the number of the change
 * selects it. Thus the tests run all mutants on one copy of the project.
 */
export function switched(source: string, changes: readonly (Change & { id: number })[], isActive: string): string {
  const render = (start: number, end: number, inside: readonly (Change & { id: number })[]): string => {
    let text = "";
    let position = start;
    for (const [index, change] of inside.entries()) {
      if (change.start < position) continue;
      const { id, kind, to } = change;
      const inner = inside.slice(index + 1).filter((other) => other.start >= change.start && other.end <= change.end);
      const original = render(change.start, change.end, inner);
      const active = `${isActive}(${id})`;
      text += source.slice(position, change.start);
      text += {
        expression: `(${active} ? (${to}) : (${original}))`,
        statement: `{ if (!${active}) { ${original} } }`,
        "object member": `...(${active} ? {} : { ${original} })`,
        "array member": `...(${active} ? [] : [${original}])`,
      }[kind];
      position = change.end;
    }
    return text + source.slice(position, end);
  };
  const outermostFirst = changes.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return render(0, source.length, outermostFirst);
}
