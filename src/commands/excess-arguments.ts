/** Reports arguments that a command does not have. Often they are the words of a name that is not quoted. */

import { FormctlError } from "../base/error.ts";
import { quoted } from "../base/shell-quote.ts";
import { MODES } from "../schemas/words.ts";
import type { Command } from "./command.ts";

/** Longer words are not repeated in the message: an unexpected word may be a token. */
const MAX_WORD = 24;

/**
 * Returns the USAGE error for too many arguments, with a hint about the likely cause.
 *
 * @param words the typed arguments
 */
export function excessArguments(
  { args, options }: Pick<Command, "args" | "options">,
  path: readonly string[],
  words: readonly string[],
): FormctlError {
  const definitions = Object.values(args);
  const expected = definitions.length;
  // Only the first argument of a command is an address. The name in an address may have several words.
  const name = words.slice(0, words.length - expected + 1);
  const isAddress = /^(form|layout|layoutOrPath)$/.test(String(definitions[0]?.choose)) && name[0]?.includes("/");
  const isSafe = name.slice(1).every((word) => word.length <= MAX_WORD && !word.includes("_"));
  const command = ["formctl", ...path].join(" ");
  const [mode] = words.flatMap((word) => MODES.filter((each) => each === word));
  const hint = isAddress
    ? isSafe
      ? `Quote the name: ${[command, quoted(withoutQuotes(name.join(" "))), ...words.slice(name.length)].join(" ")}`
      : "Quote a name that has spaces."
    : mode !== undefined && hasModes(options)
      ? `Separate modes with commas: ${MODES[1]},${MODES[2]}`
      : options["name"] && words.length === expected + 1
        ? "Specify the name as an option: --name NAME"
        : `See: ${command} --help`;
  const noun = expected === 1 ? "argument" : "arguments";
  return new FormctlError("USAGE", `too many arguments: expected ${expected} ${noun}, got ${words.length}`, hint);
}

const hasModes = (options: Command["options"]) => Object.values(options).some(({ choose }) => choose === "modes");

/** Removes quotes that the shell does not interpret: typographic quotes, and in cmd.exe single quotes. */
const withoutQuotes = (text: string) => text.replaceAll(/^["'\u2018-\u201F]|["'\u2018-\u201F]$/g, "");
