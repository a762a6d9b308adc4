/** The tree of names as commander's commands: what was typed becomes a definition and its input. Home of commander. */

import { Command as CommanderCommand, CommanderError } from "commander";
import { FormctlError } from "../error.ts";
import type { Argument, Command } from "./command.ts";
import { GLOBAL_OPTIONS, readGlobalFlags } from "./global-flags.ts";
import { type Invocation, longFlag, readArguments, readOptions } from "./invocation.ts";
import { reflow } from "../terminal/width.ts";
import { type Group, isGroup, type Leaf, tree } from "./tree.ts";

export type ProgramOptions = { version: string; width: number; out(text: string): void };

/**
 * Reads a command line.
 *
 * @returns the invocation, or undefined when help or the version was asked for and has been printed
 * @throws USAGE for an unknown command or flag, or a value that its parser refuses
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
  refuseBothTwins(
    root,
    GLOBAL_OPTIONS.map(([flags]) => flags),
  );
  root.addHelpText("after", HELP_FOOTER);
  const onLeaf = (command: Command, path: string[], leaf: CommanderCommand) => {
    const { dryRun, ...values } = leaf.opts<Record<string, unknown>>();
    const input = { ...readArguments(command, leaf.args), ...readOptions(command, values) };
    invocation = { command, path, input, flags: readGlobalFlags(root.opts()), dryRun: dryRun === true };
  };
  const words = helpAsFlag(argv);
  addGroup(root, tree, { path: [], words, options, onLeaf });

  try {
    if (words.length === 0) root.outputHelp();
    else await root.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, argv);
  }
  return invocation;
}

/** `help forms list` is `forms list --help`; a topic of its own is the help command's to tell. */
function helpAsFlag(argv: readonly string[]): string[] {
  const [first, second] = argv;
  const isCommand = first === "help" && (second === undefined || Object.hasOwn(tree.commands, second));
  return isCommand ? [...argv.slice(1), "--help"] : [...argv];
}

const HELP_FOOTER = `
Start here:
  formctl local init --demo
  formctl forms list staffing/candidate

Topics: formctl help exit-codes, environment, manifests
`;

type OnLeaf = (command: Command, path: string[], leaf: CommanderCommand) => void;

function newCommand(name: string, about: string, options: ProgramOptions): CommanderCommand {
  const command = new CommanderCommand(name).summary(about).description(about);
  // Each command needs these of its own, and before it is added to its parent.
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => options.out(text),
    // What commander would say of an error is said by exit.ts.
    writeErr: () => undefined,
    // Its own look at the colours of stdout would make the stream, which start-up can't afford; help has none.
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

/** Longer lines are hard to read. */
const helpWidth = ({ width }: ProgramOptions) => Math.min(width, 100);

type Typed = {
  /** The names of the commands down to this one. */
  path: string[];
  /** The words that follow them, as far as they are known. */
  words: readonly string[];
  options: ProgramOptions;
  onLeaf: OnLeaf;
};

/**
 * Adds the children of a group; what is in them is filled in when they are reached, so that one command loads no other. Where
 * the next word names a child, no other one is needed: they are for help, and for saying what a wrong word may have meant.
 */
function addGroup(parent: CommanderCommand, group: Group, { path, words, options, onLeaf }: Typed): void {
  const [next = "", ...following] = words;
  const isNamed = Object.hasOwn(group.commands, next);
  for (const name of isNamed ? [next] : Object.keys(group.commands)) {
    const node = group.commands[name]!;
    const child = newCommand(name, node.about, options);
    if (isGroup(node)) child.usage("<command> [options]");
    parent.addCommand(child);
  }
  parent.hook("preSubcommand", async (_parent, child) => {
    const node = group.commands[child.name()];
    const typed = { path: [...path, child.name()], words: isNamed ? following : [], options, onLeaf };
    if (node && isGroup(node)) addGroup(child, node, typed);
    else if (node) await fillLeaf(child, node, typed);
  });
}

async function fillLeaf(child: CommanderCommand, leaf: Leaf, { path, options, onLeaf }: Typed): Promise<void> {
  const { default: command } = await leaf.load();
  for (const argument of Object.values(command.args)) child.argument(argumentSyntax(argument), argument.about);
  for (const option of Object.values(command.options)) {
    if (option.kind === "list") child.option(option.flags, option.about, append);
    else child.option(option.flags, option.about);
  }
  refuseBothTwins(
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

/** `--config FILE --no-config`: commander keeps one value for both, and the last one would win without a word. */
function refuseBothTwins(command: CommanderCommand, flags: readonly string[]): void {
  const names = new Set(flags.map(longFlag));
  for (const negation of names) {
    const twin = negation.replace(/^--no-/, "--");
    if (twin === negation || !names.has(twin)) continue;
    const typed = new Set<string>();
    for (const name of [twin, negation]) {
      command.on(`option:${name.slice(2)}`, () => {
        if (typed.add(name).size > 1)
          throw new FormctlError("USAGE", `${twin} and ${negation} contradict each other`, "Leave one of them out.");
      });
    }
  }
}

const aboutDryRun = ({ foretells }: { foretells?: true }) =>
  foretells
    ? "Say what would be done, and change nothing"
    : "Check the input and print the requests that would be sent";

const append = (value: string, values: unknown) => [...((values as string[] | undefined) ?? []), value];

function argumentSyntax({ kind, name, optional }: Argument<unknown>): string {
  if (kind === "rest") return optional ? `[${name}...]` : `<${name}...>`;
  return optional ? `[${name}]` : `<${name}>`;
}

function usageError(error: CommanderError, argv: readonly string[]): FormctlError {
  const unknown = /unknown command '([^']*)'/.exec(error.message)?.[1];
  // What stands behind a word that is no command belongs to nothing.
  const path = typedPath(unknown === undefined ? argv : argv.slice(0, argv.indexOf(unknown)));
  const help = `See: ${["formctl", ...path, "--help"].join(" ")}`;
  if (error.code === "commander.help")
    return new FormctlError("USAGE", `which command of ${["formctl", ...path].join(" ")}?`, help);
  return new FormctlError("USAGE", withoutValues(error.message.replace(/^error: /, "").replace(/\n/g, " ")), help);
}

/** What was typed where nothing belongs is not repeated: it may be a token. */
function withoutValues(message: string): string {
  return message
    .replace(/(Expected \d+ arguments? but got \d+): .*/s, "$1.")
    .replace(/(unknown option '--[^'=]*)=.*/s, "$1'");
}

/** The words of the command line that name commands. */
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
