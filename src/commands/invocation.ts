/** Reads the arguments and options of a command with the parsers of its definition. */

import { FormctlError, hasCode } from "../base/error.ts";
import type { Argument, Command, CommandContext, Option } from "./command.ts";
import type { GlobalFlags } from "./global-flags.ts";

export type Invocation = {
  command: Command;
  path: string[];
  /** The words of the command line as the user typed them, without the program. */
  argv: readonly string[];
  input: Record<string, unknown>;
  flags: GlobalFlags;
  dryRun: boolean;
  /** The typed flags that have a new name. */
  formerFlags?: readonly FormerFlag[];
};

/** A former flag, and the flag that replaces it. */
export type FormerFlag = { former: string; flag: string };

/** Reads the arguments. @param words the words of the command line that are neither options nor command names */
export function readArguments(command: Command, words: readonly string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  Object.entries(command.args).forEach(([member, argument], index) => {
    if (argument.kind === "rest")
      input[member] = words.slice(index).map((word) => parsed(argument.name, argument, word));
    else if (words[index] !== undefined) input[member] = parsed(argument.name, argument, words[index]);
  });
  return input;
}

/** Reads the options. @param values by the attribute names of the flags, such as `addType` for `--add-type <mode>` */
export function readOptions(command: Command, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  const hasValues = Object.keys(values).length > 0;
  for (const [member, option] of Object.entries(command.options)) {
    // Most command lines have no options, so attribute names are computed only if needed.
    const value = hasValues ? valueOf(option, values) : undefined;
    if (option.kind === "flag") input[member] = option.flags.startsWith("--no-") ? value === false : value === true;
    else if (option.kind === "list")
      input[member] = ((value as string[] | undefined) ?? []).map((text) =>
        parsed(longFlag(option.flags), option, text),
      );
    // An option with an optional value, such as `--failures [which]`, has the value true without one.
    else if (typeof value === "string" || value === true)
      input[member] = parsed(longFlag(option.flags), option, value === true ? "" : value);
  }
  return input;
}

/** @throws USAGE if the option has a value under its name and under its former name */
function valueOf({ flags, former }: Option<unknown>, values: Readonly<Record<string, unknown>>): unknown {
  const value = values[attributeName(flags)];
  const other = former === undefined ? undefined : values[attributeName(former)];
  if (former === undefined || value === undefined || other === undefined) return value ?? other;
  const hint = `Remove ${longFlag(former)}, the former name of ${longFlag(flags)}.`;
  throw new FormctlError("USAGE", `${longFlag(flags)} and ${longFlag(former)} can't be combined`, hint);
}

/** Returns the former flags among the typed options. @param values by attribute name */
export function formerFlagsIn({ options }: Command, values: Readonly<Record<string, unknown>>): FormerFlag[] {
  return Object.values(options).flatMap(({ flags, former }) =>
    former !== undefined && values[attributeName(former)] !== undefined
      ? [{ former: longFlag(former), flag: longFlag(flags) }]
      : [],
  );
}

function parsed(name: string, { parse }: { parse: (text: string) => unknown }, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw withName(name, error);
  }
}

/**
 * Adds the name of the argument or option to the error of a parser. The error itself states only the expected format.
 */
function withName(name: string, error: unknown): unknown {
  if (hasCode(error, "USAGE")) return new FormctlError("USAGE", `${name} ${error.message}`, error.hint);
  // A wrong value of an option is a wrong command line, even if the API defines the value.
  if (hasCode(error, "INVALID_VALUE"))
    return new FormctlError(name.startsWith("--") ? "USAGE" : "INVALID_VALUE", `${name}: ${error.message}`, error.hint);
  return error;
}

/**
 * Completes the parsed value of an argument or option. The message of a USAGE or INVALID_VALUE error starts with the
 * name of the argument or option.
 */
export async function completeValue(
  { word, complete }: { word: string; complete?: Argument<unknown>["complete"] },
  value: unknown,
  context: CommandContext,
): Promise<unknown> {
  if (!complete) return value;
  try {
    if (!Array.isArray(value)) return await complete(value, context);
    return await Promise.all(value.map((each) => complete(each, context)));
  } catch (error) {
    throw withName(word, error);
  }
}

/** Returns the long flag of an option: `-o, --output <format>` → `--output`. */
export function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Returns the name that commander uses for an option: `--add-type <mode>` → `addType`, `--no-config` → `config`. */
export function attributeName(flags: string): string {
  const name = (/--([\w-]+)/.exec(flags)?.[1] ?? flags).replace(/^no-/, "");
  return name.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
