/** Prints help pages as Markdown. */

import type { HelpEntry } from "../../src/commands/command.ts";
import type { HelpPage } from "../../src/commands/help-page.ts";
import type { Topic } from "../../src/commands/help-topics.ts";
import { type Chapter, paragraphsOf } from "./chapter.ts";

const NOTE = "<!-- Generated from the commands by `npm run reference`. -->\n";
const ALL_OPTIONS = "Each command also has the [options of all commands](README.md#options).";

/** Returns the page of a command, or of a group with all its commands. */
export function markdownPage({ page, commands }: Chapter): string {
  const title = `# ${nameOf(page)}\n`;
  if (commands.length === 0) return join([NOTE, title, ...section(page), ALL_OPTIONS]);
  const rows = commands.map((each) => ({ name: nameOf(each), about: each.about }));
  const links = rows.map(({ name, about }) => `| [\`${name}\`](#${anchorOf(name)}) | ${cell(about)} |`);
  return join([
    NOTE,
    title,
    `${page.about} ${ALL_OPTIONS}\n`,
    ...paragraphs(page.details),
    ["| command | |", "|---|---|", ...links, ""].join("\n"),
    ...commands.flatMap((each) => [`## ${nameOf(each)}\n`, ...section(each)]),
  ]);
}

/** Returns the first page: all commands, and the topics that apply to all of them. */
export function indexPage(root: HelpPage, topics: Readonly<Record<string, Topic>>): string {
  const sections = root.commands.flatMap(({ title, entries }) => [
    `## ${title}\n`,
    [
      "| command | |",
      "|---|---|",
      ...entries.map(({ name, about }) => `| [\`formctl ${name}\`](${name}.md) | ${cell(about)} |`),
      "",
    ].join("\n"),
  ]);
  const ofTopic = (name: string, title: string) => [
    `## ${title}\n`,
    entryTable(topics[name]!.title.toLowerCase(), topics[name]!.entries()),
  ];
  return join([
    NOTE,
    "# Commands of formctl\n",
    `${root.about} \`formctl COMMAND --help\` prints the same text, and \`man formctl\` if formctl is installed globally.\n`,
    ...sections,
    ...ofTopic("options", "Options"),
    ...ofTopic("environment", "Environment"),
    ...ofTopic("exit-codes", "Exit codes"),
  ]);
}

function section({ usage, alias, about, details, args, options, examples }: HelpPage): string[] {
  return [
    fenced([usage, ...(alias === undefined ? [] : [alias])]),
    `${escaped(about)}\n`,
    ...paragraphs(details),
    ...(args.length > 0 ? [entryTable("argument", args)] : []),
    ...(options.length > 0 ? [entryTable("option", options)] : []),
    fenced(examples),
  ];
}

function paragraphs(details = ""): string[] {
  return paragraphsOf(details).flatMap((each) => {
    if (each.kind === "code") return [fenced(each.lines, "text")];
    return each.text === "" ? [] : [`${escaped(each.text)}\n`];
  });
}

const nameOf = ({ path }: HelpPage) => ["formctl", ...path].join(" ");
const anchorOf = (name: string) => name.replaceAll(" ", "-");
const fenced = (lines: readonly string[], language = "sh") => `\`\`\`${language}\n${lines.join("\n")}\n\`\`\`\n`;
const join = (parts: readonly string[]) => `${parts.join("\n").trimEnd()}\n`;

function entryTable(title: string, entries: readonly HelpEntry[]): string {
  const rows = entries.map(({ name, about }) => `| \`${name.replaceAll("|", "\\|")}\` | ${cell(about)} |`);
  return [`| ${title} | |`, "|---|---|", ...rows, ""].join("\n");
}

const cell = (text: string) => escaped(text).replaceAll("|", "\\|");

/** Escapes the characters that Markdown reads as markup, except in code. */
const escaped = (text: string) =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll(/[<>*[]/g, "\\$&")))
    .join("");
