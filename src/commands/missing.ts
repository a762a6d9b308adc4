/** Finds the arguments and options that a command requires and the command line lacks. */

import type { LoadedSettings } from "../config/settings.ts";
import type { Argument, Choose, Command, Option, Parse } from "./command.ts";
import type { GlobalFlags } from "./global-flags.ts";
import { longFlag } from "./invocation.ts";

/** An argument or option. `word` is its name on the command line, such as `FORM` or `--types`. */
export type Parameter = {
  member: string;
  word: string;
  about: string;
  kind: Argument<unknown>["kind"] | Option<unknown>["kind"];
  parse: Parse<unknown>;
  choose: Choose;
  alternative: string | undefined;
  complete: Argument<unknown>["complete"];
};

/** At least one of the parameters is required, or one of the global options. */
export type Missing = { anyOf: readonly Parameter[]; globals: readonly string[] };

export type Typed = {
  command: Pick<Command, "args" | "options" | "atLeastOneOf">;
  input: Readonly<Record<string, unknown>>;
  flags: Pick<GlobalFlags, "store">;
};

/** Returns the missing parameters: first arguments, then options, then members of `atLeastOneOf`. */
export function missingOf({ command, input, flags }: Typed): Missing[] {
  const missing: Missing[] = [];
  const requireOne = (members: readonly string[], globals: readonly string[] = []) => {
    if (members.some((member) => hasValue(input[member]))) return;
    missing.push({ anyOf: members.map((member) => parameterOf(command, member)), globals });
  };
  for (const [member, { optional }] of Object.entries(command.args)) {
    // An empty list is accepted: `withFallbacks` sets it for an absent PATH if the project file names the folder.
    if (!optional && input[member] === undefined) requireOne([member]);
  }
  for (const [member, option] of Object.entries(command.options)) if (option.required) requireOne([member]);
  for (const group of command.atLeastOneOf ?? []) {
    const globals = group.filter((name) => name.startsWith("--"));
    if (flags.store !== undefined && globals.includes("--store")) continue;
    requireOne(
      group.filter((name) => !name.startsWith("--")),
      globals,
    );
  }
  return missing;
}

/** Returns the keys that a repeatable option KEY=VALUE requires and the command line lacks. */
export function missingKeys({ command, input }: Pick<Typed, "command" | "input">): [Parameter, key: string][] {
  return Object.entries(command.options).flatMap(([member, { requiredKeys }]) => {
    const typed = (input[member] ?? []) as readonly (readonly [key: string, value: unknown])[];
    const keys = requiredKeys?.(input) ?? [];
    return keys
      .filter((key) => typed.every(([each]) => each !== key))
      .map((key): [Parameter, string] => [parameterOf(command, member), key]);
  });
}

/**
 * Returns the input with the fallbacks of absent arguments, such as the default object of the settings.
 *
 * @throws USAGE if a setting is invalid
 */
export function withFallbacks(
  { args }: Pick<Command, "args">,
  input: Readonly<Record<string, unknown>>,
  settings: LoadedSettings,
): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...input };
  for (const [member, { kind, optional, fallback }] of Object.entries(args)) {
    if (hasValue(filled[member])) continue;
    if (fallback) filled[member] = fallback(settings);
    else if (kind === "rest" && !optional) filled[member] = undefined;
  }
  return filled;
}

export function parameterOf({ args, options }: Pick<Command, "args" | "options">, member: string): Parameter {
  const argument = args[member];
  if (argument) {
    const { name, about, kind, parse, choose, alternative, complete } = argument;
    return { member, word: name, about, kind, parse, choose, alternative, complete };
  }
  const { flags, about, kind, parse, choose, complete } = options[member]!;
  return { member, word: longFlag(flags), about, kind, parse, choose, alternative: undefined, complete };
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}
