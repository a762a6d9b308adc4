/** Lists all commands of the program, for tests that must cover each of them. */

import type { Command } from "../../src/commands/command.ts";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";

export type NamedCommand = { name: string; command: Command };

/** Returns the commands of a group with their names, such as `layouts draft push`. */
export async function allCommands(group: Group = tree, path: readonly string[] = []): Promise<NamedCommand[]> {
  const found = await Promise.all(
    Object.entries(group.commands).map(async ([word, node]) => {
      if (isGroup(node)) return allCommands(node, [...path, word]);
      return [{ name: [...path, word].join(" "), command: (await node.load()).default }];
    }),
  );
  return found.flat();
}
