/** Adds the next step to an error in the command line. Loaded only after an error. */

import { FormctlError, hasCode } from "../base/error.ts";
import { longFlag } from "./invocation.ts";
import { suggestCommand } from "./suggest-command.ts";
import { findNode, isGroup, nameIn, type Group, type Leaf, tree } from "./tree.ts";

/**
 * Returns the error to print instead of `error`. It has the words of formctl and the next step.
 *
 * @param error an error of commander, or of the parser of an argument
 * @param argv the words after `formctl`
 */
export async function commandLineError(error: unknown, argv: readonly string[]): Promise<unknown> {
  if (argv[0] === "help" && hasCode(error, "USAGE")) return unknownTopic(error, argv);
  const { code = "", message } = error as Error & { code?: string };
  if (!code.startsWith("commander.")) return error;
  const text = message.replace(/^error: /, "").replaceAll("\n", " ");
  if (code === "commander.unknownCommand") {
    const word = /unknown command '(.*?)'(?: \(Did you mean|$)/s.exec(text)?.[1] ?? "";
    return unknownCommand(word, argv);
  }
  const path = typedPath(argv);
  const [, option] = /^option '(?:-\w, )?(.*)' argument missing$/.exec(text) ?? [];
  if (option !== undefined) return new FormctlError("USAGE", `missing value of ${option}`, helpOf(path));
  if (code === "commander.unknownOption") return unknownOption(text, path);
  return new FormctlError("USAGE", withoutValues(text), helpOf(path));
}

/** Suggests a command for an unknown help topic, such as `formctl auth login` for `help login`. */
function unknownTopic(error: FormctlError, [, ...words]: readonly string[]): FormctlError {
  const meant = error.hint?.startsWith("Did you mean") ? undefined : suggestCommand([], words);
  return meant === undefined ? error : new FormctlError("USAGE", error.message, `Did you mean: ${meant}`);
}

function unknownCommand(word: string, argv: readonly string[]): FormctlError {
  // The path is the group of the unknown command, such as `forms` for `formctl forms lst`. Later words are no commands.
  const position = argv.indexOf(word);
  const path = typedPath(argv.slice(0, position));
  const words = argv.slice(position).filter((each) => !each.startsWith("-"));
  const meant = suggestCommand(path, words);
  const group = path.length === 0 ? "" : ` for "${["formctl", ...path].join(" ")}"`;
  const hint = meant === undefined ? helpOf(path) : `Did you mean: ${meant}`;
  return new FormctlError("USAGE", `unknown command "${word}"${group}`, hint);
}

/** Options of other tools, with the option of formctl that replaces each. */
const OPTION_HABITS: Readonly<Record<string, string>> = {
  "--auto-approve": "--yes",
  "-auto-approve": "--yes",
  "--assume-yes": "--yes",
  "--namespace": "--organization",
  "-n": "--organization",
  "--org": "--organization",
  "--context": "--profile",
  "--env": "--profile",
  "--server": "--profile",
  "--url": "--profile",
  "--base-url": "--profile",
  "--token": "--token-file",
  "--debug": "--verbose",
  "--trace": "--verbose",
  "--silent": "--quiet",
  "--non-interactive": "--no-input",
  "--batch": "--no-input",
  "--database": "--store",
  "--db": "--store",
  "--offline": "--local",
};

/**
 * Unknown options for which the hint explains what to use instead. An entry with the path of a command takes
 * precedence.
 */
const OPTION_HINTS: Readonly<Record<string, string>> = {
  "--var": "Manifests use environment variables, as ${NAME}. See: formctl help manifests",
  "-var": "Manifests use environment variables, as ${NAME}. See: formctl help manifests",
  "forms list --mode": "List the forms of a mode: --filter types=VIEW",
  "forms list --types": "List the forms of a mode: --filter types=VIEW",
  "forms list --name": "List the forms of a name: --filter name=NAME",
  "layouts publish --version":
    "To publish a version of a layout: formctl layouts versions restore LAYOUT VERSION --publish",
  "layouts versions get --version": "The version is an argument: formctl layouts versions get LAYOUT VERSION",
  "layouts versions restore --version": "The version is an argument: formctl layouts versions restore LAYOUT VERSION",
  "--version": "To print the version of formctl: formctl --version",
  "-V": "To print the version of formctl: formctl --version",
};

/**
 * Options that confirm a change. For `--force` and `-f`, formctl suggests the first of these options that the command
 * has.
 */
const CONFIRMING = ["--allow-delete", "--allow-replace", "--allow-answers"];

async function unknownOption(text: string, path: readonly string[]): Promise<FormctlError> {
  // The value of an option may be a token, so the message does not contain it.
  const [, typed = ""] = /unknown option '([^'=]*)/.exec(text) ?? [];
  const flags = await optionsOf(path);
  const near = /\(Did you mean (?:one of )?(--[^?]*)\?\)/.exec(text)?.[1];
  const isFile = ["-f", "--file", "--filename"].includes(typed);
  const habit = Object.hasOwn(OPTION_HABITS, typed) ? OPTION_HABITS[typed] : undefined;
  const confirming = CONFIRMING.find((flag) => flags.includes(flag));
  const force = typed === "--force" ? (confirming ?? "--yes") : typed === "-f" ? confirming : undefined;
  const meant = habit ?? force ?? near?.replaceAll(",", " or");
  const explained = [`${path.join(" ")} ${typed}`, typed].find((key) => Object.hasOwn(OPTION_HINTS, key));
  const usage = explained === undefined ? isFile && (await fileUsage(path)) : OPTION_HINTS[explained];
  const hint = usage || (meant === undefined ? helpOf(path) : `Did you mean ${meant}?`);
  return new FormctlError("USAGE", `unknown option "${typed}"`, hint);
}

/** Suggests the command line of a command that takes its file as an argument: `formctl apply FILE`. */
async function fileUsage(path: readonly string[]): Promise<string | undefined> {
  const node = findNode(path);
  if (!node || isGroup(node)) return undefined;
  const { default: command } = await node.load();
  const names = Object.values(command.args).map(({ name }) => name);
  if (!names.some((name) => name === "FILE" || name === "PATH")) return undefined;
  return `Did you mean: ${["formctl", ...path, ...names.map((name) => (name === "PATH" ? "FILE" : name))].join(" ")}`;
}

async function optionsOf(path: readonly string[]): Promise<string[]> {
  const node = findNode(path);
  if (!node || isGroup(node)) return [];
  const { default: command } = await node.load();
  return Object.values(command.options).map(({ flags }) => longFlag(flags));
}

const helpOf = (path: readonly string[]) => `See: ${["formctl", ...path, "--help"].join(" ")}`;

/** Removes unexpected values from a message, because they may contain a token. */
function withoutValues(message: string): string {
  return message.replace(/(Expected \d+ arguments? but got \d+): .*/s, "$1.");
}

/** Returns the path of the command in the command line. Skips other words, such as options. */
function typedPath(argv: readonly string[]): string[] {
  const path: string[] = [];
  let node: Group | Leaf = tree;
  for (const word of argv) {
    if (!isGroup(node)) break;
    const name = nameIn(node, word);
    if (name === undefined) continue;
    path.push(name);
    node = node.commands[name]!;
  }
  return path;
}
