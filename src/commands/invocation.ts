/** What was typed as what a command takes: each word read by the parser that its definition names. */

import { FormctlError, hasCode } from "../error.ts";
import type { Command } from "./command.ts";
import type { GlobalFlags } from "./global-flags.ts";

/** A command that was typed, with its input as its definition reads it. */
export type Invocation = {
  command: Command;
  path: string[];
  input: Record<string, unknown>;
  flags: GlobalFlags;
  dryRun: boolean;
};

/** @param words the command line without its options and the names of the command */
export function readArguments(command: Command, words: readonly string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  Object.entries(command.args).forEach(([member, argument], index) => {
    if (argument.kind === "rest")
      input[member] = words.slice(index).map((word) => parsed(argument.name, argument, word));
    else if (words[index] !== undefined) input[member] = parsed(argument.name, argument, words[index]);
  });
  return input;
}

/** @param values by the attribute names of their flags: `--add-type <mode>` is `addType` */
export function readOptions(command: Command, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const areAny = Object.keys(values).length > 0;
  for (const [member, option] of Object.entries(command.options)) {
    // Most lines have no options: then no names are made to look for them.
    const value = areAny ? values[attributeName(option.flags)] : undefined;
    if (option.kind === "flag") input[member] = option.flags.startsWith("--no-") ? value === false : value === true;
    else if (option.kind === "list")
      input[member] = ((value as string[] | undefined) ?? []).map((text) =>
        parsed(longFlag(option.flags), option, text),
      );
    else if (typeof value === "string") input[member] = parsed(longFlag(option.flags), option, value);
  }
  return input;
}

function parsed(name: string, { parse }: { parse: (text: string) => unknown }, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // A parser says what the text should have been; here it is said of which argument.
    if (hasCode(error, "USAGE")) throw new FormctlError("USAGE", `${name} ${error.message}`, error.hint);
    if (hasCode(error, "INVALID_VALUE"))
      throw new FormctlError("INVALID_VALUE", `${name}: ${error.message}`, error.hint);
    throw error;
  }
}

/** `-o, --output <format>` → `--output` */
export function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** `--add-type <mode>` → `addType`, `--no-config` → `config`: the names that commander gives. */
export function attributeName(flags: string): string {
  const name = (/--([\w-]+)/.exec(flags)?.[1] ?? flags).replace(/^no-/, "");
  return name.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
