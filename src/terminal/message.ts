/** Breaks the lines of messages between words, and indents all lines of a message but the first. */

import { commandLines, shellWords } from "./command-lines.ts";
import type { Paint } from "./style.ts";
import { textWidth, wrap } from "./width.ts";

const INDENT = "  ";
const MIN_WIDTH = 20;

/**
 * Returns a message with a label, such as `hint: …`. Further lines are indented, so that they are read as one message,
 * unless they are a block to copy.
 *
 * @param width the columns of the terminal; Infinity without a terminal
 */
export function labelled(label: string, text: string, { paint, width }: { paint: Paint; width: number }): string {
  const [first = "", ...others] = text.split("\n");
  const [start = "", ...rest] = messageLines(first, width, textWidth(label) + 1);
  // The user can copy a block, such as YAML, only if it keeps its columns.
  if (others.some((line) => /^\s/.test(line))) return [`${paint(label)} ${start}`, ...rest, ...others].join("\n");
  const further = others.flatMap((line) => messageLines(line, width - INDENT.length));
  return [`${paint(label)} ${start}`, ...rest, ...further.map((line) => INDENT + line)].join("\n");
}

/**
 * Breaks a line of a message between words. Further lines are indented. A command at the end of the line is broken so
 * that the user can still copy it.
 *
 * @param taken the columns of the first line that a label takes
 */
export function messageLines(line: string, width: number, taken = 0): string[] {
  // A text with styles is already wrapped.
  if (textWidth(line) <= width - taken || line.includes("\u001B")) return [line];
  const further = Math.max(width - INDENT.length, MIN_WIDTH);
  const [prose, command] = splitCommand(line);
  const lines = prose === "" ? [] : wrap(prose, further, { first: width - taken, splits: false });
  if (command !== "") {
    const last = lines.at(-1) ?? "";
    const used = lines.length > 1 ? INDENT.length : taken;
    const room = width - used - textWidth(last) - 1;
    const [first = "", ...others] = commandLines(command, further, last === "" ? width - taken : room);
    // A command that would leave its name alone on the line starts on the next line.
    if (last !== "" && textWidth(first) > room) lines.push(...commandLines(command, further));
    else lines.splice(-1, 1, [last, first].filter(Boolean).join(" "), ...others);
  }
  const [first = "", ...others] = lines;
  return [first, ...others.map((each) => INDENT + each)];
}

/** Splits a line into its prose and the one command that follows it: `To confirm: formctl … --yes`. */
function splitCommand(line: string): [prose: string, command: string] {
  const start = /(?:^|: )formctl /.exec(line);
  if (!start) return [line, ""];
  const at = start.index + (start[0].startsWith(":") ? 2 : 0);
  const command = line.slice(at);
  // Text follows the command, or another command.
  const words = shellWords(command);
  const end = words.includes("#") ? words.indexOf("#") : words.length;
  if (words.slice(0, end).some((word) => /[.,;]$/.test(word))) return [line, ""];
  return [line.slice(0, at).trimEnd(), command];
}
