/** Finds the kind of the last word of an unfinished command line: a command, an option, or a value. */

import type { Choose, Command } from "../command.ts";
import { GLOBAL_OPTIONS } from "../global-flags.ts";
import { longFlag } from "../invocation.ts";
import { type Group, isGroup, type Leaf, nameIn, tree } from "../tree.ts";

/** An argument or option with its name: `FORM`, `--mode <mode>`. */
export type Taken = { name: string; choose: Choose };

export type TypedLine = {
  path: readonly string[];
  /** The command, if it is typed completely. */
  command: Command | undefined;
  /** The arguments before the last word. */
  args: readonly string[];
  /** The options before the last word, by their long names. */
  options: ReadonlyMap<string, string>;
  slot: Slot;
};

/** `start` is the part of the last word before the value, such as `--output=`. */
export type Slot =
  | { kind: "command"; group: Group; word: string }
  | { kind: "option"; command: Command | undefined; word: string }
  | { kind: "value"; taken: Taken; start: string; word: string }
  | { kind: "none" };

/** Reads the words after `formctl`. Loads only the definition of the command that is typed. */
export async function readTypedLine(words: readonly string[]): Promise<TypedLine> {
  const typed = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const path: string[] = [];
  const args: string[] = [];
  const options = new Map<string, string>();
  let node: Group | Leaf = tree;
  let command: Command | undefined;
  /** The option whose value is the next word. */
  let open: Taken | undefined;
  let isEnded = false;

  for (const word of typed) {
    if (open) {
      options.set(longFlag(open.name), word);
      open = undefined;
    } else if (!isEnded && word === "--") isEnded = true;
    else if (!isEnded && word.startsWith("-") && word !== "-") {
      const [flag = "", ...value] = word.split("=");
      const option = findOption(flag, command);
      if (option && value.length > 0) options.set(longFlag(option.name), value.join("="));
      else if (option?.name.includes("<")) open = option;
      else if (option) options.set(longFlag(option.name), "");
    } else if (isGroup(node)) {
      if (node === tree && word === "help" && path.length === 0 && typed.at(-1) !== word) continue;
      const name = nameIn(node, word);
      if (name === undefined) return { path, command, args, options, slot: { kind: "none" } };
      path.push(name);
      node = node.commands[name]!;
      if (!isGroup(node)) command = (await node.load()).default;
    } else args.push(word);
  }
  return { path, command, args, options, slot: slotOf() };

  function slotOf(): Slot {
    if (open) return { kind: "value", taken: open, start: "", word: last };
    if (!isEnded && last.startsWith("-")) {
      const [, flag = "", word = ""] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
      const option = flag === "" ? undefined : findOption(flag, command);
      if (option) return { kind: "value", taken: option, start: `${flag}=`, word };
      return { kind: "option", command, word: last };
    }
    if (isGroup(node)) return { kind: "command", group: node, word: last };
    const defined = Object.values(command?.args ?? {});
    const taken = defined[args.length] ?? (defined.at(-1)?.kind === "rest" ? defined.at(-1) : undefined);
    return taken ? { kind: "value", taken, start: "", word: last } : { kind: "none" };
  }
}

/** Finds an option of the command, or a global option, by its long or short name. */
function findOption(flag: string, command: Command | undefined): Taken | undefined {
  const own = Object.values(command?.options ?? {}).map(({ flags, choose }): Taken => ({ name: flags, choose }));
  const global = GLOBAL_OPTIONS.map(([name]): Taken => ({ name, choose: "text" }));
  const wanted = flag === "--format" && !own.some(({ name }) => longFlag(name) === flag) ? "--output" : flag;
  return [...own, ...global].find(({ name }) => name.split(/[ ,]+/).includes(wanted));
}
