/** Prints a help page as text for a terminal. */

import { pad, proseWidth, reflow, textWidth, wrap } from "../terminal/width.ts";
import { commandLines } from "../terminal/command-lines.ts";
import type { HelpEntry } from "./command.ts";
import type { HelpPage } from "./help-page.ts";

/** The minimum width of descriptions next to the names. With less width, each description starts below its name. */
const MIN_ABOUT = 24;
const INDENT = "  ";

/** Returns the text of a page. @param columns the columns of the terminal; Infinity without a terminal */
export function helpText(page: HelpPage, columns: number): string {
  const width = proseWidth(columns);
  const { path, usage, alias, about, details, commands, args, options, examples } = page;
  const isRoot = path.length === 0;
  const names = [...commands.flatMap(({ entries }) => entries), ...args, ...options].map(({ name }) => textWidth(name));
  const widest = Math.max(0, ...names);
  const list = (title: string, entries: readonly HelpEntry[]) =>
    entries.length === 0 ? [] : [`${title}:\n${entryLines(entries, widest, width).join("\n")}`];
  const prose = details === undefined ? [] : [reflow(details.trim(), width)];
  const paragraphs = [
    [...indented(wrap(`Usage: ${usage}`, width - 4)), ...(alias === undefined ? [] : [`Alias: ${alias}`])].join("\n"),
    wrap(about, width).join("\n"),
    ...(commands.length === 0 ? prose : []),
    ...commands.flatMap(({ title, entries }) => list(title, entries)),
    ...(commands.length === 0 ? [] : prose),
    ...list("Arguments", args),
    ...list("Options", options),
    ...(examples.length === 0
      ? []
      : [
          `${isRoot ? "Getting started" : "Examples"}:\n${examples.flatMap((line) => exampleLines(line, width)).join("\n")}`,
        ]),
    footer(page)
      .map((line) => wrap(line, width).join("\n"))
      .join("\n"),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}

function footer({ path, commands }: HelpPage): string[] {
  const name = ["formctl", ...path].join(" ");
  const isRoot = path.length === 0;
  return [
    ...(commands.length > 0 ? [`Help for a command: ${name} COMMAND --help`] : []),
    ...(isRoot ? ["Topics: formctl help layouts, manifests, environment, exit-codes"] : []),
    "Options of all commands: formctl help options",
  ];
}

const indented = ([first = "", ...others]: readonly string[]) => [first, ...others.map((line) => `    ${line}`)];

/** @param widest the width of the widest name on the page. It aligns the descriptions of all lists */
function entryLines(entries: readonly HelpEntry[], widest: number, width: number): string[] {
  const indent = INDENT.length + Math.min(widest, Math.floor(width * 0.4)) + INDENT.length;
  const isStacked = width - indent < MIN_ABOUT;
  return entries.flatMap(({ name, about }) => {
    const start = isStacked ? 3 * INDENT.length : indent;
    const lines = wrap(about, width - start).map((line) => " ".repeat(start) + line);
    const label = `${INDENT}${name}`;
    const [first = "", ...others] = lines;
    if (isStacked || textWidth(label) + INDENT.length > indent) return [...wrapLabel(label, width), ...lines];
    return [pad(label, indent) + first.slice(indent), ...others];
  });
}

const wrapLabel = (label: string, width: number) =>
  wrap(label.trim(), width - 2 * INDENT.length).map((line, index) => INDENT.repeat(index === 0 ? 1 : 2) + line);

/** Returns the lines of an example command, indented. */
export function exampleLines(command: string, width: number): string[] {
  const [first = "", ...further] = commandLines(command, width - 2 * INDENT.length, width - INDENT.length);
  return [INDENT + first, ...further.map((line) => INDENT.repeat(2) + line)];
}
