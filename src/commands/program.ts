/**
 * Parses the command line with commander, and loads only the definition of the command that was typed. The only
 * importer of commander.
 */

import { FormctlError } from "../error.ts";
import { Command as CommanderCommand, CommanderError } from "commander";
import type { Argument, Command } from "./command.ts";
import { GLOBAL_OPTIONS, readGlobalFlags } from "./global-flags.ts";
import { type Invocation, longFlag, readArguments, readOptions } from "./invocation.ts";
import { type Group, isGroup, type Leaf, tree } from "./tree.ts";

export type ProgramOptions = { version: string; width: number; out(text: string): void };

/**
 * Reads a command line.
 *
 * @returns the invocation; undefined if help or the version was printed
 * @throws USAGE for an unknown command or option, or an invalid value
 */
export async function readCommandLine(
  argv: readonly string[],
  options: ProgramOptions,
): Promise<Invocation | undefined> {
  let invocation: Invocation | undefined;
  let helpPath: string[] | undefined;
  const onHelp = (path: string[]) => void (helpPath = path);
  const root = newCommand([], { ...options, onHelp });
  root.version(options.version, "-V, --version");
  for (const [flags] of GLOBAL_OPTIONS) root.option(flags);
  refuseNegatedPairs(
    root,
    GLOBAL_OPTIONS.map(([flags]) => flags),
  );
  const onLeaf = (command: Command, path: string[], leaf: CommanderCommand) => {
    const { dryRun, ...values } = leaf.opts<Record<string, unknown>>();
    const input = { ...readArguments(command, leaf.args), ...readOptions(command, values) };
    invocation = { command, path, input, flags: readGlobalFlags(root.opts()), dryRun: dryRun === true };
  };
  const words = helpAsFlag(argv);
  addGroup(root, tree, { path: [], words, options: { ...options, onHelp }, onLeaf });

  try {
    if (words.length === 0) root.outputHelp();
    else await root.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, argv);
  }
  if (helpPath) await printHelp(helpPath, options);
  return invocation;
}

async function printHelp(path: readonly string[], { width, out }: ProgramOptions): Promise<void> {
  const [{ loadHelpPage }, { helpText }] = await Promise.all([import("./help-page.ts"), import("./help-text.ts")]);
  out(helpText(await loadHelpPage(path), width));
}

/**
 * Rewrites `help forms list` to `forms list --help`. Topics such as `help exit-codes` belong to the help command, and
 * `help layouts` is a topic unless a command of layouts follows.
 */
function helpAsFlag(argv: readonly string[]): string[] {
  const [first, second, third = ""] = argv;
  if (first !== "help") return [...argv];
  const node = second === undefined ? tree : Object.hasOwn(tree.commands, second) ? tree.commands[second] : undefined;
  if (node === undefined) return [...argv];
  const isTopic = second === "layouts" && isGroup(node) && !Object.hasOwn(node.commands, third);
  return isTopic ? [...argv] : [...argv.slice(1), "--help"];
}

type OnLeaf = (command: Command, path: string[], leaf: CommanderCommand) => void;

type CommandOptions = ProgramOptions & { onHelp(path: string[]): void };

function newCommand(path: string[], options: CommandOptions): CommanderCommand {
  const command = new CommanderCommand(path.at(-1) ?? "formctl");
  // Set for each command, because children do not inherit these settings of commander.
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => options.out(text),
    // Ignored here: print-failure.ts prints the errors of commander.
    writeErr: () => undefined,
    // Help has no colors. Checking whether stdout has colors would create its stream, which costs start-up time.
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  // Commander only detects that help is requested. The text is printed from help-page.ts, which loads on demand.
  command.configureHelp({
    formatHelp: () => {
      options.onHelp(path);
      return "";
    },
  });
  command.helpCommand(false);
  command.helpOption("-h, --help");
  return command;
}

type Typed = {
  /** The names of the commands up to this group. */
  path: string[];
  /** The words that follow `path`, as long as each one names a command. */
  words: readonly string[];
  options: CommandOptions;
  onLeaf: OnLeaf;
};

/**
 * Adds the children of a group. The contents of a child are added only when commander reaches it, so that a command
 * does not load the others. If the next word names a child, only that child is added, because the others matter only
 * for help and suggestions.
 */
function addGroup(parent: CommanderCommand, group: Group, { path, words, options, onLeaf }: Typed): void {
  const [next = "", ...following] = words;
  const isNamed = Object.hasOwn(group.commands, next);
  for (const name of isNamed ? [next] : Object.keys(group.commands)) {
    parent.addCommand(newCommand([...path, name], options));
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const node = group.commands[child.name()];
    const typed = { path: [...path, child.name()], words: isNamed ? following : [], options, onLeaf };
    if (node && isGroup(node)) addGroup(child, node, typed);
    else if (node) await fillLeaf(child, node, typed);
  });
}

async function fillLeaf(child: CommanderCommand, leaf: Leaf, { path, onLeaf }: Typed): Promise<void> {
  const { default: command } = await leaf.load();
  for (const argument of Object.values(command.args)) child.argument(argumentSyntax(argument));
  for (const option of Object.values(command.options)) {
    if (option.kind === "list") child.option(option.flags, "", append);
    else child.option(option.flags);
  }
  refuseNegatedPairs(
    child,
    Object.values(command.options).map(({ flags }) => flags),
  );
  if (command.writes === true) child.option("--dry-run");
  child.action(() => onLeaf(command, path, child));
}

/**
 * Refuses `--config FILE --no-config`. Commander keeps one value for both, so the last one would silently replace the
 * other.
 */
function refuseNegatedPairs(command: CommanderCommand, flags: readonly string[]): void {
  const names = new Set(flags.map(longFlag));
  for (const negation of names) {
    const twin = negation.replace(/^--no-/, "--");
    if (twin === negation || !names.has(twin)) continue;
    const typed = new Set<string>();
    for (const name of [twin, negation]) {
      command.on(`option:${name.slice(2)}`, () => {
        if (typed.add(name).size > 1)
          throw new FormctlError("USAGE", `${twin} and ${negation} can't be combined`, "Remove one of them.");
      });
    }
  }
}

const append = (value: string, values: unknown) => [...((values as string[] | undefined) ?? []), value];

function argumentSyntax({ kind, name, optional }: Argument<unknown>): string {
  if (kind === "rest") return optional ? `[${name}...]` : `<${name}...>`;
  return optional ? `[${name}]` : `<${name}>`;
}

function usageError(error: CommanderError, argv: readonly string[]): FormctlError {
  const unknown = /unknown command '([^']*)'/.exec(error.message)?.[1];
  // The words after an unknown command are not part of a path.
  const path = typedPath(unknown === undefined ? argv : argv.slice(0, argv.indexOf(unknown)));
  const help = `See: ${["formctl", ...path, "--help"].join(" ")}`;
  if (error.code === "commander.help")
    return new FormctlError("USAGE", `missing command after "${["formctl", ...path].join(" ")}"`, help);
  return new FormctlError("USAGE", withoutValues(error.message.replace(/^error: /, "").replace(/\n/g, " ")), help);
}

/** Removes unexpected values from a message, because they may contain a token. */
function withoutValues(message: string): string {
  return message
    .replace(/(Expected \d+ arguments? but got \d+): .*/s, "$1.")
    .replace(/(unknown option '--[^'=]*)=.*/s, "$1'");
}

/** Returns the words of the command line that are command names. */
function typedPath(argv: readonly string[]): string[] {
  const path: string[] = [];
  let node: Group | Leaf = tree;
  for (const word of argv) {
    if (!isGroup(node)) break;
    const next: Group | Leaf | undefined = Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
    if (!next) continue;
    path.push(word);
    node = next;
  }
  return path;
}
