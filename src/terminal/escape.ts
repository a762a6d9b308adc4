/** What servers and files say, made safe to print: nothing invisible, nothing that a terminal or a CI log would obey. */

import { HIDDEN, SURELY_VISIBLE } from "../schemas/hidden.ts";
import { whenNeeded } from "./when-needed.ts";

// Expressions with tables of Unicode take milliseconds to make, and most runs never meet the characters they look for.
const hidden = whenNeeded(() => new RegExp(HIDDEN, "gu"));
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `text` for one line: each hidden character is shown by its escape (`\u202e`, `\n`), so that no sequence of them works. */
export function visible(text: string): string {
  if (SURELY_VISIBLE.test(text)) return text;
  return text.replace(hidden(), (character) => SHORT[character] ?? escapeOf(character));
}

/** {@link visible} for text of several lines: line feeds stay, and a tab becomes two spaces. */
export function visibleLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => visible(line.replaceAll("\t", "  ")))
    .join("\n");
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}

/**
 * `line` as no CI service takes it for a command: GitHub obeys a line that begins with `::` after white space, GitHub
 * and Azure obey `##[` and `##vso[` anywhere in a line.
 */
export function safeLine(line: string): string {
  return safeText(line);
}

/** {@link safeLine} for text of several lines. `mayCommand`: its lines are commands that this program makes for GitHub. */
export function safeLines(text: string, { mayCommand = false }: { mayCommand?: boolean | undefined } = {}): string {
  return safeText(text, mayCommand);
}

/**
 * {@link safeLines} of text that goes on with a line: what has been written of that line counts as its beginning.
 *
 * @param begun the unfinished line before `text`
 */
export function safeContinuation(begun: string, text: string): string {
  const whole = safeText(begun + text);
  if (whole.startsWith(begun)) return whole.slice(begun.length);
  // What would be escaped has been written already: the command is cut in two here.
  const [first = ""] = text;
  return escapeOf(first) + safeText(text.slice(first.length));
}

/** Readers of logs end a line at a carriage return too, and skip NEL and colours like white space. */
const COMMAND_AT_START = new RegExp(String.raw`(^|[\r\n])((?:[^\S\r\n]|\u0085|\u001B\[[\d;]*m)*):(?=:)`, "g");
const COMMAND_ANYWHERE = /##(?=\[|vso\[)/gi;

function safeText(text: string, mayCommand = false): string {
  let safe = text;
  if (!mayCommand && safe.includes("::")) safe = safe.replace(COMMAND_AT_START, "$1$2\\u003a");
  return safe.includes("##") ? safe.replace(COMMAND_ANYWHERE, "#\\u0023") : safe;
}

/** `value` as JSON text with the same characters escaped as `\uXXXX`: a JSON reader gets exactly `value` back. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  if (SURELY_VISIBLE.test(text.replaceAll("\n", "")) && !text.includes("##")) return text;
  // JSON has no `#` outside its strings, where the escape means the same.
  return text.replace(hiddenInJson(), codeUnitEscapes).replace(/##(?=\[|vso\[)/gi, "#\\u0023");
}

const hiddenInJson = whenNeeded(() => new RegExp(String.raw`(?!\n)${HIDDEN}`, "gu"));

function codeUnitEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * The last guard before a screen: whatever is left of hidden characters after the styles of this program is shown
 * escaped. Text from outside has been through {@link visible} already; this keeps one forgotten place from mattering.
 */
export function guard(text: string): string {
  if (SURELY_VISIBLE.test(text.replaceAll("\n", ""))) return text;
  return text.replace(styleOrHidden(), (match) =>
    match.length > 1 && match.startsWith("\u001B[") ? match : keep(match),
  );
}

const styleOrHidden = whenNeeded(() => new RegExp(String.raw`\u001B\[(?:1|2|22|31|32|33|36|39)m|${HIDDEN}`, "gu"));

function keep(character: string): string {
  return character === "\n" || character === "\t" ? character : escapeOf(character);
}
