/** Prints help pages as man pages, in roff with the macros of the man package. */

import type { HelpEntry } from "../../src/commands/command.ts";
import { exampleLines } from "../../src/commands/help-text.ts";
import type { HelpPage } from "../../src/commands/help-page.ts";
import type { Topic } from "../../src/commands/help-topics.ts";
import { type Chapter, paragraphsOf } from "./chapter.ts";

/** The width of an example in a man page of 80 columns. Examples are indented. */
const EXAMPLE_WIDTH = 72;

/** Returns the man page of a command, or of a group with all its commands. */
export function manPage({ page, commands }: Chapter, version: string): string {
  return lines([
    ...header(page, version),
    ...(commands.length === 0 ? command(page, ".SH") : group(page, commands)),
    ...seeAlso(["formctl"]),
  ]);
}

/** Returns the man page of formctl itself: its commands, and the topics that apply to all of them. */
export function rootManPage(root: HelpPage, topics: Readonly<Record<string, Topic>>, version: string): string {
  const names = root.commands.flatMap(({ entries }) => entries.map(({ name }) => name));
  return lines([
    ...header(root, version),
    ".SH SYNOPSIS",
    text(root.usage),
    ".SH DESCRIPTION",
    text(root.about),
    ...root.commands.flatMap(({ title, entries }) => [`.SH ${quoted(title.toUpperCase())}`, ...tagged(entries)]),
    ".SH OPTIONS",
    text("Options of all commands."),
    ...tagged(topics["options"]!.entries()),
    ".SH ENVIRONMENT",
    ...tagged(topics["environment"]!.entries()),
    ".SH EXIT STATUS",
    ...tagged(topics["exit-codes"]!.entries()),
    ".SH EXAMPLES",
    ...verbatim(root.examples),
    ...seeAlso(names.map((name) => `formctl-${name}`)),
  ]);
}

function header(page: HelpPage, version: string): string[] {
  const name = ["formctl", ...page.path].join("-");
  return [
    '.\\" Generated from the commands by `npm run reference`.',
    `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`formctl ${version}`)} "formctl"`,
    ".SH NAME",
    `${text(name)} \\- ${text(page.about.replace(/\.$/, ""))}`,
  ];
}

function group(page: HelpPage, commands: readonly HelpPage[]): string[] {
  return [
    ".SH SYNOPSIS",
    text(page.usage),
    ".SH DESCRIPTION",
    text(page.about),
    ...paragraphs(page.details),
    ...commands.flatMap((each) => [
      `.SH ${quoted(["formctl", ...each.path].join(" ").toUpperCase())}`,
      ...command(each, ".SS"),
    ]),
  ];
}

/** @param heading the macro for headings: `.SH` in the page of one command, `.SS` in the page of a group */
function command(
  { usage, alias, about, details, args, options, examples }: HelpPage,
  heading: ".SH" | ".SS",
): string[] {
  const title = (word: string) => (heading === ".SH" ? word.toUpperCase() : word);
  return [
    ...(heading === ".SH" ? [".SH SYNOPSIS"] : []),
    text(usage),
    ...(alias === undefined ? [] : [".br", text(alias)]),
    ...(heading === ".SH" ? [".SH DESCRIPTION"] : [".PP"]),
    text(about),
    ...paragraphs(details),
    ...(args.length > 0 ? [`${heading} ${title("Arguments")}`, ...tagged(args)] : []),
    ...(options.length > 0 ? [`${heading} ${title("Options")}`, ...tagged(options)] : []),
    `${heading} ${title("Examples")}`,
    ...verbatim(examples.flatMap((line) => exampleLines(line, EXAMPLE_WIDTH))),
  ];
}

function paragraphs(details = ""): string[] {
  return paragraphsOf(details).flatMap((each) => {
    if (each.kind === "code") return [".PP", ...verbatim(each.lines)];
    return each.text === "" ? [] : [".PP", text(each.text)];
  });
}

const seeAlso = (names: readonly string[]) => [
  ".SH SEE ALSO",
  names.map((name) => `.BR ${text(name)} (1)`).join(",\n"),
];

const tagged = (entries: readonly HelpEntry[]) =>
  entries.flatMap(({ name, about }) => [".TP", `.B ${text(name)}`, text(about)]);

const verbatim = (content: readonly string[]) => [".nf", ...content.map(text), ".fi"];

const lines = (all: readonly string[]) => `${all.join("\n")}\n`;

/** Returns an argument of a macro. Quotes in the argument are doubled. */
const quoted = (value: string) => `"${text(value).replaceAll('"', '""')}"`;

/** Escapes backslashes, hyphens, a dot or quote at the start of the line, and characters that are not ASCII. */
function text(line: string): string {
  return line
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(
      /[^\n\x20-\x7E]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^[.']/, "\\&$&");
}
