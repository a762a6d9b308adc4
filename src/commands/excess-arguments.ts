/** Reports arguments that a command does not have. Often they are the words of a name that is not quoted. */

import { FormctlError } from "../error.ts";
import { quoted } from "../shell-quote.ts";
import type { Command } from "./command.ts";

/** Long words are not repeated, because a word that the command does not expect may be a token. */
const MAX_WORD = 24;

/** @param words the arguments that were typed */
export function excessArguments(
  { args }: Pick<Command, "args">,
  path: readonly string[],
  words: readonly string[],
): FormctlError {
  const definitions = Object.values(args);
  const expected = definitions.length;
  // Only the first argument of a command is an address, whose name may have several words.
  const name = words.slice(0, words.length - expected + 1);
  const isAddress = /^(form|layout)$/.test(String(definitions[0]?.choose)) && name[0]?.includes("/");
  const isSafe = name.slice(1).every((word) => word.length <= MAX_WORD && !word.includes("_"));
  const command = ["formctl", ...path].join(" ");
  const hint = isAddress
    ? isSafe
      ? `Quote the name: ${[command, quoted(name.join(" ")), ...words.slice(name.length)].join(" ")}`
      : "Quote a name that has spaces."
    : `See: ${command} --help`;
  const noun = expected === 1 ? "argument" : "arguments";
  return new FormctlError("USAGE", `too many arguments: expected ${expected} ${noun}, got ${words.length}`, hint);
}
