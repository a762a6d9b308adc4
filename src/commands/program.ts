/**
 * Parses the command line with commander, and loads only the definition of the command that was typed. The only
 * importer of commander.
 */

import { FormctlError } from "../error.ts";
import { Command as CommanderCommand, CommanderError, Option as CommanderOption } from "commander";
import type { Argument, Command } from "./command.ts";
import { GLOBAL_OPTIONS, readGlobalFlags } from "./global-flags.ts";
import { type Invocation, longFlag, readArguments, readOptions } from "./invocation.ts";
import { reflow } from "../terminal/width.ts";
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
  const root = newCommand("formctl", tree.about, options);
  root.usage("<command> [options]");
  root.version(options.version, "-V, --version", "Print the version");
  for (const [flags, about] of GLOBAL_OPTIONS) root.option(flags, about);
  refuseNegatedPairs(
    root,
    GLOBAL_OPTIONS.map(([flags]) => flags),
  );
  root.addHelpText("after", HELP_FOOTER);
  const onLeaf: OnLeaf = async (command, path, leaf) => {
    const { dryRun, ...values } = leaf.opts<Record<string, unknown>>();
    if (!isRepeatable(command) && leaf.args.length > Object.keys(command.args).length)
      throw (await import("./excess-arguments.ts")).excessArguments(command, path, leaf.args);
    const input = { ...readArguments(command, leaf.args), ...readOptions(command, values) };
    const global = hasFormat(command) ? root.opts() : withFormat(root.opts(), leaf.opts());
    invocation = { command, path, argv, input, flags: readGlobalFlags(global), dryRun: dryRun === true };
  };
  const words = rewriteHelp(argv);
  addGroup(root, tree, { path: [], words, options, onLeaf });

  try {
    if (words.length === 0) root.outputHelp();
    else await root.parseAsync(words, { from: "user" });
  } catch (error) {
    // A group without a command prints its commands.
    if (error instanceof CommanderError && error.code === "commander.help")
      return readCommandLine([...words, "--help"], options);
    if (!(error instanceof CommanderError) || error.exitCode !== 0)
      throw await (await import("./command-line-error.ts")).commandLineError(error, argv);
  }
  return invocation;
}

/**
 * Rewrites `help forms list` to `forms list --help`, and `version` to `--version`. Topics such as `help exit-codes`
 * belong to the help command.
 */
function rewriteHelp(argv: readonly string[]): string[] {
  const [first, second] = argv;
  if (first === "version") return ["--version", ...argv.slice(1)];
  const isCommand = first === "help" && (second === undefined || Object.hasOwn(tree.commands, second));
  return isCommand ? [...argv.slice(1), "--help"] : [...argv];
}

const HELP_FOOTER = `
Getting started:
  formctl local init --demo
  formctl forms list staffing/candidate

Topics: formctl help exit-codes, environment, manifests
`;

type OnLeaf = (command: Command, path: string[], leaf: CommanderCommand) => Promise<void>;

const isRepeatable = ({ args }: Command) => Object.values(args).some(({ kind }) => kind === "rest");

function newCommand(name: string, about: string, options: ProgramOptions): CommanderCommand {
  const command = new CommanderCommand(name).summary(about).description(about);
  // Set for each command, because children do not inherit these settings of commander.
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => options.out(text),
    // Ignored here: print-failure.ts prints the errors of commander.
    writeErr: () => undefined,
    // Help has no colors. Checking whether stdout has colors would create its stream, which costs start-up time.
    getOutHasColors: () => false,
    getErrHasColors: () => false,
    getOutHelpWidth: () => helpWidth(options),
    getErrHelpWidth: () => helpWidth(options),
  });
  command.configureHelp({ showGlobalOptions: name !== "formctl" });
  command.helpCommand(false);
  command.helpOption("-h, --help", "Show help");
  return command;
}

/** The width of help: at most 100 columns, because longer lines are hard to read. */
const helpWidth = ({ width }: ProgramOptions) => Math.min(width, 100);

type Typed = {
  /** The names of the commands up to this group. */
  path: string[];
  /** The words that follow `path`, as long as each one names a command. */
  words: readonly string[];
  options: ProgramOptions;
  onLeaf: OnLeaf;
};

/**
 * Adds the children of a group. The contents of a child are added only when commander reaches it, so that a command
 * does not load other commands. If the next word names a child, only that child is added, because its siblings matter
 * only for help and suggestions.
 */
function addGroup(parent: CommanderCommand, group: Group, { path, words, options, onLeaf }: Typed): void {
  const [next = "", ...following] = words;
  const named = nameIn(group, next);
  for (const name of named === undefined ? Object.keys(group.commands) : [named]) {
    const node = group.commands[name]!;
    const child = newCommand(name, node.about, options);
    const alias = aliasOf(name);
    if (alias !== undefined) child.alias(alias);
    if (isGroup(node)) child.usage("<command> [options]");
    parent.addCommand(child);
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const node = group.commands[child.name()];
    const typed = { path: [...path, child.name()], words: named === undefined ? [] : following, options, onLeaf };
    if (node && isGroup(node)) addGroup(child, node, typed);
    else if (node) await fillLeaf(child, node, typed);
  });
}

async function fillLeaf(child: CommanderCommand, leaf: Leaf, { path, options, onLeaf }: Typed): Promise<void> {
  const { default: command } = await leaf.load();
  const definitions = Object.values(command.args);
  // All arguments are optional for commander: complete-input.ts asks for the missing ones or reports them.
  for (const { kind, name, about } of definitions)
    child.argument(kind === "rest" ? `[${name}...]` : `[${name}]`, about);
  child.allowExcessArguments();
  child.usage(["[options]", ...definitions.map(argumentSyntax)].join(" "));
  for (const option of Object.values(command.options)) {
    if (option.kind === "list") child.option(option.flags, option.about, append);
    else child.option(option.flags, option.about);
  }
  if (!hasFormat(command)) child.addOption(new CommanderOption("--format <format>").hideHelp());
  refuseNegatedPairs(
    child,
    Object.values(command.options).map(({ flags }) => flags),
  );
  if (command.writes === true) child.option("--dry-run", aboutDryRun(command));
  const { details } = command;
  if (details) child.addHelpText("after", () => `\n${reflow(details, helpWidth(options))}`);
  const examples = command.examples.map((line) => `  ${line}`).join("\n");
  child.addHelpText("after", `\nExamples:\n${examples}\n`);
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
 * Refuses `--config FILE --no-config`. Commander stores both options under one name, so the last one would silently
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

const aboutDryRun = ({ describesDryRun }: { describesDryRun?: true }) =>
  describesDryRun
    ? "Print the changes without making them"
    : "Check the input and print the requests without sending them";

const append = (value: string, values: unknown) => [...((values as string[] | undefined) ?? []), value];

function argumentSyntax({ kind, name, optional, fallback }: Argument<unknown>): string {
  const words = kind === "rest" ? `${name}...` : name;
  return optional || fallback ? `[${words}]` : `<${words}>`;
}
