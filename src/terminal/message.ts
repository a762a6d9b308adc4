/** Breaks the lines of messages between words, and indents all lines of a message but the first. */

import { commandLines, shellWords } from "./command-lines.ts";
import type { Paint } from "./style.ts";
import { textWidth } from "./width.ts";

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

/** Breaks each line of a text like {@link messageLines}. @returns lines that end with a line feed */
export function wrapped(text: string, width: number): string {
  const lines = text.split("\n").flatMap((line) => messageLines(line, width));
  return `${lines.join("\n")}\n`;
}

/**
 * Breaks a line of a message between words. Further lines are indented. A command that does not fit in the line starts
 * the next line, and is broken so that the user can still copy it.
 *
 * @param taken the columns of the first line that a label takes
 */
export function messageLines(line: string, width: number, taken = 0): string[] {
  if (textWidth(line) <= width - taken) return [line];
  const [base] = /^ */.exec(line)!;
  const columns = Math.max(width - base.length, MIN_WIDTH);
  const further = Math.max(columns - INDENT.length, MIN_WIDTH);
  const lines = [""];
  for (const word of messageWords(line.slice(base.length))) {
    const last = lines.at(-1)!;
    const room = lines.length === 1 ? columns - taken : further;
    const longer = last === "" ? word : `${last} ${word}`;
    const isCommand = COMMAND_START.test(word);
    // A wide word that is not a command, such as a URL, gets the whole line.
    const startsHere = last === "" && (isCommand || taken === 0);
    const parts = isCommand ? commandLines(word, further, startsHere ? room : further) : [word];
    if (textWidth(longer) <= room) lines[lines.length - 1] = longer;
    else if (startsHere) lines.splice(-1, 1, ...parts);
    else lines.push(...parts);
  }
  const [first = "", ...others] = lines;
  return [base + first, ...others.map((each) => base + INDENT + each)].map((each) => each.trimEnd());
}

/** Commands that a user is to run, unlike the name of the program in a sentence about it. */
const COMMAND_START = /(?<=^|: |\b(?:or|and|run|then|use|with|see) )`?formctl /;
/** The last word of a command within a sentence. A path such as `..` does not end a command. */
const COMMAND_END = /[^\s.][.,;:`]$|^[^(]*\)$/;

/** Changes each command in a text. */
export function mapCommands(text: string, change: (command: string) => string): string {
  const mapLine = (line: string): string => {
    const parts = splitAtCommand(line);
    return parts ? parts.before + change(parts.command) + mapLine(parts.after) : line;
  };
  return text.split("\n").map(mapLine).join("\n");
}

/** Splits a line at spaces. A command is one word. */
function messageWords(line: string): string[] {
  const parts = splitAtCommand(line);
  if (!parts) return line.split(" ");
  const before = parts.before.split(" ").slice(0, -1);
  const after = parts.after.slice(1);
  return [...before, parts.command, ...(after === "" ? [] : messageWords(after))];
}

/** Splits a line at its first command. Returns undefined if the line has no command. */
function splitAtCommand(line: string): { before: string; command: string; after: string } | undefined {
  const start = COMMAND_START.exec(line)?.index;
  if (start === undefined) return undefined;
  const rest = line.slice(start);
  let length = 0;
  for (const word of shellWords(rest)) {
    // A note about the command.
    if (word.startsWith("(")) break;
    // A comment belongs to its command.
    length = word === "#" ? rest.length : rest.indexOf(word, length) + word.length;
    if (word === "#" || COMMAND_END.test(word)) break;
  }
  return { before: line.slice(0, start), command: rest.slice(0, length), after: rest.slice(length) };
}
