/**
 * Adds the options that selected the target to the commands that messages suggest. Without them, a suggested command
 * would work on another target.
 */

import { quoted } from "../base/shell-quote.ts";
import { shellWords } from "../terminal/command-lines.ts";
import { mapCommands } from "../terminal/message.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Invocation } from "./invocation.ts";
import { tree } from "./tree.ts";

/** Commands that do not use the target of the settings. They work even if this target is invalid. */
export const ABOUT_SETTINGS: ReadonlySet<string> = new Set(["codemod", "config", "profiles", "help", "init"]);

/** Commands that use two targets. The options `--from` and `--to` name the targets. */
export const WITH_TWO_TARGETS: ReadonlySet<string> = new Set(["diff", "promote"]);

/** Whether the command is `local copy`. Its arguments name both stores. */
export const isStoreCopy = (path: readonly string[]) => path[0] === "local" && path[1] === "copy";

/** Other commands that work only on files. */
const ABOUT_FILES: ReadonlySet<string> = new Set(["completion", "explain", "schema", "validate"]);

const OPTIONS = ["--local", "--profile", "--store", "--organization", "--token-file"] as const;

/** Only a message with a text from a server is longer. Many commands in a long text would take seconds. */
const MAX_TEXT = 20_000;

/** A command line. `path` is empty if the command line could not be read. */
export type CommandLine = Pick<Invocation, "path" | "argv">;

/** Adds the target options of a command line to the commands in a text, except those that need none or have their own. */
export function withTargetOptions(text: string, { path, argv }: CommandLine): string {
  const options = ABOUT_SETTINGS.has(path[0] ?? "") ? [] : typedOptions(argv);
  if (options.length === 0 || text.length > MAX_TEXT) return text;
  return mapCommands(text, (command) => {
    const [, line = "", rest = ""] = /^(.*?)([.,;:)]?|\s+[#>] .*)$/.exec(command)!;
    const words = shellWords(line);
    // A command in backticks is named in a sentence. The user does not type it.
    if (command.startsWith("`") || !usesTarget(words.slice(1)) || hasTarget(words)) return command;
    return [line, ...options].join(" ") + rest;
  });
}

/** Returns a terminal that adds the target options to the commands in the messages of a command. */
export function withSuggestions(terminal: Terminal, line: CommandLine): Terminal {
  const changed: Pick<Terminal, "hint" | "warn"> = {
    hint: (text) => terminal.hint(withTargetOptions(text, line)),
    warn: (text) => terminal.warn(withTargetOptions(text, line)),
  };
  return Object.assign(Object.create(terminal) as Terminal, changed);
}

function usesTarget([area = "", name = ""]: readonly string[]): boolean {
  // A sentence can start with the name of the program: "formctl does not know the mode".
  if (!Object.hasOwn(tree.commands, area)) return false;
  if (isStoreCopy([area, name]) || (area === "migrate" && name === "new")) return false;
  return [ABOUT_SETTINGS, WITH_TWO_TARGETS, ABOUT_FILES].every((commands) => !commands.has(area));
}

const hasTarget = (words: readonly string[]) => OPTIONS.some((option) => words.includes(option));

/** Returns the target options among the typed words, quoted for a shell. */
function typedOptions(argv: readonly string[]): string[] {
  const typed = new Map<string, string | undefined>();
  for (const [index, word] of argv.entries()) {
    if (word === "--") break;
    const [, option = "", value] = /^(--[\w-]+)(?:=([^]*))?$/.exec(word) ?? [];
    typed.set(option, value ?? argv[index + 1]);
  }
  if (typed.has("--store")) typed.delete("--local");
  return OPTIONS.filter((option) => typed.has(option)).map((option) =>
    option === "--local" ? option : `${option} ${quoted(typed.get(option) ?? "")}`,
  );
}
