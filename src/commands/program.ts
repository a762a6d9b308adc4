/**
 * Parses the command line with commander. Loads only the definition of the typed command. No other module imports
 * commander.
 */

import { FormctlError } from "../base/error.ts";
import { Command as CommanderCommand, CommanderError } from "commander";
import type { Command } from "./command.ts";
import { GLOBAL_OPTIONS, readGlobalFlags } from "./global-flags.ts";
import { formerFlagsIn, type Invocation, longFlag, readArguments, readOptions } from "./invocation.ts";
import { aliasOf, type Group, isGroup, type Leaf, nameIn, tree } from "./tree.ts";

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
  // Only a lone `--version` asks for the version of formctl. In a command, people guess that `--version N` names the
  // version of a layout, so it must not end the command with success.
  if (argv.length === 1) root.version(options.version, "-V, --version");
  for (const [flags] of GLOBAL_OPTIONS) root.option(flags);
  refuseNegatedPairs(
    root,
    GLOBAL_OPTIONS.map(([flags]) => flags),
  );
  const onLeaf: OnLeaf = async (command, path, leaf) => {
    const { dryRun, ...values } = leaf.opts<Record<string, unknown>>();
    if (!isRepeatable(command) && leaf.args.length > Object.keys(command.args).length)
      throw (await import("./excess-arguments.ts")).excessArguments(command, path, leaf.args);
    const input = { ...readArguments(command, leaf.args), ...readOptions(command, values) };
    const global = hasFormat(command) ? root.opts() : withFormat(root.opts(), leaf.opts());
    const formerFlags = formerFlagsIn(command, values);
    invocation = { command, path, argv, input, flags: readGlobalFlags(global), dryRun: dryRun === true, formerFlags };
  };
  const words = rewriteHelp(argv);
  addGroup(root, tree, { path: [], words, options: { ...options, onHelp }, onLeaf });

  try {
    if (words.length === 0) root.outputHelp();
    else await root.parseAsync(words, { from: "user" });
  } catch (error) {
    // If no command follows a group, the commands of the group are printed.
    if (error instanceof CommanderError && error.code === "commander.help")
      return readCommandLine([...words, "--help"], options);
    if (!(error instanceof CommanderError) || error.exitCode !== 0)
      throw await (await import("./command-line-error.ts")).commandLineError(error, argv);
  }
  if (helpPath) await printHelp(helpPath, options);
  return invocation;
}

async function printHelp(path: readonly string[], options: ProgramOptions): Promise<void> {
  const [{ loadHelpPage }, { helpText }] = await Promise.all([import("./help-page.ts"), import("./help-text.ts")]);
  options.out(helpText(await loadHelpPage(path), options.width));
}

/**
 * Rewrites `help forms list` to `forms list --help`, and `version` and a single `-v` to `--version`. Topics such as `help exit-codes`
 * belong to the help command. `help layouts` is also a topic. `help layouts list` names a command.
 */
function rewriteHelp(argv: readonly string[]): string[] {
  const [first, second, third = ""] = argv;
  if (first === "version") return ["--version", ...argv.slice(1)];
  if (first === "-v" && argv.length === 1) return ["--version"];
  if (first !== "help") return [...argv];
  const node = second === undefined ? tree : Object.hasOwn(tree.commands, second) ? tree.commands[second] : undefined;
  if (node === undefined) return [...argv];
  const isTopic = second === "layouts" && isGroup(node) && nameIn(node, third) === undefined;
  return isTopic ? [...argv] : [...argv.slice(1), "--help"];
}

type OnLeaf = (command: Command, path: string[], leaf: CommanderCommand) => Promise<void>;

const isRepeatable = ({ args }: Command) => Object.values(args).some(({ kind }) => kind === "rest");

type CommandOptions = ProgramOptions & { onHelp(path: string[]): void };

function newCommand(path: string[], options: CommandOptions): CommanderCommand {
  const command = new CommanderCommand(path.at(-1) ?? "formctl");
  // Set for each command, because children do not inherit these settings of commander.
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => options.out(text),
    // Ignored here: print-failure.ts prints the errors of commander.
    writeErr: () => undefined,
    // Help has no colors. Asking stdout for its colors or width would create its stream, which costs start-up time.
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    getOutHelpWidth: () => options.width,
    getErrHelpWidth: () => options.width,
  });
  // Commander only detects a request for help. The text comes from help-page.ts, which loads on demand.
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
  /** The names of the commands from the root to this group. */
  path: string[];
  /** The words of the command line after `path`. Empty if the command line does not start with `path`. */
  words: readonly string[];
  options: CommandOptions;
  onLeaf: OnLeaf;
};

/**
 * Adds the children of a group. A child is filled when commander reaches it. Therefore a command does not load other
 * commands. If the next word names a child, only this child is added. The siblings of the child are needed only for
 * help and suggestions.
 */
function addGroup(parent: CommanderCommand, group: Group, { path, words, options, onLeaf }: Typed): void {
  const [next = "", ...following] = words;
  const named = nameIn(group, next);
  for (const name of named === undefined ? Object.keys(group.commands) : [named]) {
    const child = newCommand([...path, name], options);
    const alias = aliasOf(name);
    if (alias !== undefined) child.alias(alias);
    parent.addCommand(child);
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const node = group.commands[child.name()];
    const typed = { path: [...path, child.name()], words: named === undefined ? [] : following, options, onLeaf };
    if (node && isGroup(node)) addGroup(child, node, typed);
    else if (node) await fillLeaf(child, node, typed);
  });
}

async function fillLeaf(child: CommanderCommand, leaf: Leaf, { path, onLeaf }: Typed): Promise<void> {
  const { default: command } = await leaf.load();
  // All arguments are optional for commander. complete-input.ts asks the user for missing arguments, or reports them.
  for (const { kind, name } of Object.values(command.args))
    child.argument(kind === "rest" ? `[${name}...]` : `[${name}]`);
  child.allowExcessArguments();
  for (const option of Object.values(command.options)) {
    if (option.kind === "list") child.option(option.flags, "", append);
    else child.option(option.flags);
    if (option.former !== undefined) child.option(option.former);
  }
  if (!hasFormat(command)) child.option("--format <format>");
  refuseNegatedPairs(
    child,
    Object.values(command.options).map(({ flags }) => flags),
  );
  if (command.writes === true) child.option("--dry-run");
  child.action(() => onLeaf(command, path, child));
}

/** Whether the command has its own `--format`. In other commands `--format` is another name of `--output`. */
const hasFormat = ({ options }: Command) => Object.values(options).some(({ flags }) => longFlag(flags) === "--format");

/** Adds the value of `--format` to the global options. @throws USAGE if `--output` has another value */
function withFormat(global: { output?: string }, { format }: { format?: string }): Record<string, unknown> {
  const { output = format } = global;
  if (format === undefined || output === format) return { ...global, output };
  throw new FormctlError("USAGE", `--format ${format} and -o ${output} can't be combined`, "Remove one of them.");
}

/**
 * Refuses `--config FILE --no-config`. Commander stores both options under one name, so the last option would silently
 * replace the first.
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
