/** The examples in every command's help, as command lines. */

import { type Group, isGroup, type Leaf, tree } from "../../src/commands/tree.ts";

function leaves(group: Group, path: readonly string[] = []): { path: string[]; leaf: Leaf }[] {
  return Object.entries(group.commands).flatMap(([name, node]) =>
    isGroup(node) ? leaves(node, [...path, name]) : [{ path: [...path, name], leaf: node }],
  );
}

export const commands = await Promise.all(
  leaves(tree).map(async ({ path, leaf }) => ({ path, command: (await leaf.load()).default })),
);

export const lines = commands.flatMap(({ path, command }) => command.examples.map((line) => ({ path, line })));

/** The database of the examples. */
export const DATABASE = "postgres://formctl@db.example.com/formctl";

/** Whether an example uses a database. test/e2e/postgres.test.ts runs such examples on a real database. */
export const usesDatabase = (line: string) => line.includes(DATABASE);
