/**
 * Describes a command or a group as data, from the command tree. The help of the program, the man pages and the pages
 * in docs/reference are printed from this description.
 */

import type { Argument, Command, HelpEntry } from "./command.ts";
import { aliasOf, type Group, isGroup, type Leaf, tree } from "./tree.ts";

export type HelpPage = {
  /** The words of the command, such as `["forms", "list"]`. Empty for formctl itself. */
  path: readonly string[];
  /** The command line, such as `formctl forms list [OBJECT] [options]`. */
  usage: string;
  /** A shorter command line, such as `formctl forms ls`. */
  alias?: string;
  /** A sentence that states what the command does. */
  about: string;
  /** Further paragraphs. Lines that start with a space are examples. */
  details: string | undefined;
  /** The commands of a group, in sections. Empty for a command. */
  commands: readonly { title: string; entries: readonly HelpEntry[] }[];
  args: readonly HelpEntry[];
  /** The options of the command itself. Options that all commands have are not included. */
  options: readonly HelpEntry[];
  examples: readonly string[];
};

/** The sections of the start page. Commands in no section are added to the last section. */
const SECTIONS: readonly { title: string; names: readonly string[] }[] = [
  { title: "Forms and layouts", names: ["forms", "layouts", "currencies"] },
  {
    title: "Layouts as code",
    names: ["validate", "plan", "apply", "status", "export", "schema", "explain"],
  },
  { title: "Migrations and promotion", names: ["migrate", "codemod", "diff", "promote", "rehearse"] },
  { title: "Local store", names: ["local", "serve"] },
  { title: "Setup", names: ["init", "auth", "profiles", "config", "doctor", "completion"] },
  { title: "Other commands", names: ["api", "help"] },
];

const START = ["formctl init", "formctl forms list staffing/candidate"];

/** Returns the page of a command or a group. @throws if the tree has no such command */
export async function loadHelpPage(path: readonly string[]): Promise<HelpPage> {
  const node = path.reduce<Leaf | Group>(childOf, tree);
  return isGroup(node) ? groupPage(path, node) : leafPage(path, node.about, (await node.load()).default);
}

function childOf(node: Leaf | Group, name: string): Leaf | Group {
  const child = isGroup(node) ? node.commands[name] : undefined;
  if (child === undefined) throw new Error(`the command tree has no ${name}`);
  return child;
}

function groupPage(path: readonly string[], group: Group): HelpPage {
  const entriesOf = (names: readonly string[]) =>
    names.flatMap((name) => {
      const node = group.commands[name];
      return node ? [{ name, about: node.about }] : [];
    });
  const names = Object.keys(group.commands);
  const unlisted = names.filter((name) => !SECTIONS.some((section) => section.names.includes(name)));
  const commands =
    path.length > 0
      ? [{ title: "Commands", entries: entriesOf(names) }]
      : SECTIONS.map((section, index) => ({
          title: section.title,
          entries: entriesOf(index === SECTIONS.length - 1 ? [...section.names, ...unlisted] : section.names),
        }));
  return {
    path,
    usage: `${["formctl", ...path].join(" ")} COMMAND [options]`,
    about: sentence(group.about),
    details: group.details,
    commands,
    args: [],
    options: [],
    examples: path.length > 0 ? [] : START,
  };
}

function leafPage(path: readonly string[], about: string, command: Command): HelpPage {
  const args = Object.values(command.args);
  const options = Object.values(command.options).map(({ flags, about: text }) => ({ name: flags, about: text }));
  if (command.writes === true) options.push({ name: "--dry-run", about: aboutDryRun(command) });
  const needed = Object.values(command.options).filter(({ required }) => required);
  const syntax = [...args.map(argumentSyntax), ...needed.map(({ flags }) => flags.replace(/^-\w, /, ""))];
  const alias = aliasOf(path.at(-1) ?? "");
  return {
    path,
    ...(alias !== undefined && { alias: ["formctl", ...path.slice(0, -1), alias].join(" ") }),
    usage: ["formctl", ...path, ...syntax, ...(options.length > needed.length ? ["[options]"] : [])].join(" "),
    about: sentence(about),
    details: command.details,
    commands: [],
    args: args.map(({ name, about: text }) => ({ name, about: text })),
    options,
    examples: command.examples,
  };
}

const sentence = (about: string) => (about.endsWith(".") ? about : `${about}.`);

function argumentSyntax({ kind, name, optional, fallback }: Argument<unknown>): string {
  const words = kind === "rest" ? `${name}...` : name;
  return optional || fallback ? `[${words}]` : words;
}

const aboutDryRun = ({ describesDryRun }: { describesDryRun?: true }) =>
  describesDryRun
    ? "Print the changes without making them"
    : "Check the input and print the requests without sending them";
