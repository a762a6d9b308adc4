/** The habits of a YAML text, so that what is added to it looks like what is there. */

import type { SourceNode } from "./yaml-source.ts";

/** Collections that people write in different ways. */
export type Sort = "map" | "scalars" | "list";

export type Surroundings = {
  /** The text is JSON and has to stay so. */
  json: boolean;
  newline: "\n" | "\r\n";
  /** Columns from a mapping to the one under a key of it. */
  step: number;
  /** Lists begin under the first letter of their key. */
  flatLists: boolean;
  /** `{ a: 1 }` and not `{a: 1}`. */
  padded: boolean;
  /** Written with brackets more often than with a line for each item; under keys of a name, and of any sort. */
  flowUnder: ReadonlyMap<string, boolean>;
  flow: Readonly<Record<Sort, boolean>>;
};

export function surroundingsOf(text: string, root: SourceNode): Surroundings {
  const flows = { map: 0, scalars: 0, list: 0 };
  const under = new Map<string, number>();
  let step = 0;
  let flatLists = 0;
  let padded = 0;

  function visit(node: SourceNode, columnOfParent: number | undefined, name: string): void {
    const column = node.style === "block" ? columnOf(text, node.start) : undefined;
    const [first] = node.entries;
    const vote = node.style === "flow" ? 1 : -1;
    if (first && node.style !== "pair" && node !== root) {
      flows[sortOf(node)] += vote;
      if (name !== "") under.set(name, (under.get(name) ?? 0) + vote);
    }
    if (first && node.style === "flow" && node.kind === "map") padded += text[node.start + 1] === " " ? 1 : -1;
    if (column !== undefined && columnOfParent !== undefined) {
      if (node.kind === "list") flatLists += column === columnOfParent ? 1 : -1;
      if (column > columnOfParent) step ||= column - columnOfParent;
    }
    for (const entry of node.entries) visit(entry.value, entry.key && column, entry.name);
  }
  visit(root, undefined, "");

  return {
    json: root.style === "flow" && isJson(text),
    newline: /\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n",
    step: step || 2,
    flatLists: flatLists > 0,
    padded: padded > 0,
    flowUnder: new Map([...under].map(([name, votes]) => [name, votes > 0])),
    flow: { map: flows.map > 0, scalars: flows.scalars > 0, list: flows.list > 0 },
  };
}

/** How many characters stand before an offset in its line. */
export function columnOf(text: string, offset: number): number {
  return offset - (Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1);
}

/** The sort of a collection that has something in it. */
export function sortOf({ kind, entries }: SourceNode): Sort {
  if (kind === "map") return "map";
  return entries.every(({ value }) => value.kind === "scalar") ? "scalars" : "list";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
