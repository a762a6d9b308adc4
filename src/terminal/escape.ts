/**
 * Makes text from servers and files safe to print. Safe text has no hidden characters, and no commands for a terminal
 * or a CI log.
 */

import { HIDDEN, SURELY_VISIBLE } from "../base/hidden-characters.ts";

// Compiled on first use, because most runs print nothing that needs it.
let hiddenPattern: RegExp | undefined;
const hidden = () => (hiddenPattern ??= new RegExp(HIDDEN, "gu"));
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Escapes text for one line. Replaces each hidden character by its escape sequence, such as `\u202e` or `\n`. */
export function visible(text: string): string {
  if (SURELY_VISIBLE.test(text)) return text;
  return text.replace(hidden(), (character) => SHORT[character] ?? escapeOf(character));
}

/** Like {@link visible}, for several lines: keeps line feeds, and replaces a tab by two spaces. */
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
 * Escapes text that a CI service would execute as a command:
 *
 * - GitHub executes a line that starts with `::`, after optional white space.
 * - GitHub and Azure execute `##[` and `##vso[` anywhere in a line.
 */
export function safeLine(line: string): string {
  return safeText(line);
}

/**
 * Like {@link safeLine}, for several lines.
 *
 * @param mayCommand keeps `::` at the start of a line: formctl itself writes such lines for GitHub
 */
export function safeLines(text: string, { mayCommand = false }: { mayCommand?: boolean | undefined } = {}): string {
  return safeText(text, mayCommand);
}

/**
 * Like {@link safeLines}, for text that continues an unfinished line.
 *
 * @param begun the start of the line, which is already printed
 */
export function safeContinuation(begun: string, text: string): string {
  const whole = safeText(begun + text);
  if (whole.startsWith(begun)) return whole.slice(begun.length);
  // The character that needs an escape is already printed, so the next character is escaped instead.
  const [first = ""] = text;
  return escapeOf(first) + safeText(text.slice(first.length));
}

/**
 * Matches `::` at the start of a line. For CI services, a carriage return also ends a line. They skip colours and the
 * character NEL (U+0085) like white space.
 */
const COMMAND_AT_START = new RegExp(String.raw`(^|[\r\n])((?:[^\S\r\n]|\u0085|\u001B\[[\d;]*m)*):(?=:)`, "g");
const COMMAND_ANYWHERE = /##(?=\[|vso\[)/gi;

function safeText(text: string, mayCommand = false): string {
  let safe = text;
  if (!mayCommand && safe.includes("::")) safe = safe.replace(COMMAND_AT_START, "$1$2\\u003a");
  return safe.includes("##") ? safe.replace(COMMAND_ANYWHERE, "#\\u0023") : safe;
}

/** Returns JSON text with hidden characters escaped as `\uXXXX`. Parsing the text returns exactly `value`. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  if (SURELY_VISIBLE.test(text.replaceAll("\n", "")) && !text.includes("##")) return text;
  // In JSON, `#` occurs only in strings. In a string, a parser reads `\u0023` as `#`.
  return text.replace(hiddenInJson(), codeUnitEscapes).replace(/##(?=\[|vso\[)/gi, "#\\u0023");
}

let hiddenInJsonPattern: RegExp | undefined;
const hiddenInJson = () => (hiddenInJsonPattern ??= new RegExp(String.raw`(?!\n)${HIDDEN}`, "gu"));

function codeUnitEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/**
 * Escapes hidden characters directly before a text is printed, but keeps the styles of formctl. This is a safeguard:
 * other modules should already have passed text from outside through {@link visible}.
 */
export function guard(text: string): string {
  if (SURELY_VISIBLE.test(text.replaceAll("\n", ""))) return text;
  return text.replace(styleOrHidden(), (match) =>
    match.length > 1 && match.startsWith("\u001B[") ? match : keep(match),
  );
}

let styleOrHiddenPattern: RegExp | undefined;
const styleOrHidden = () =>
  (styleOrHiddenPattern ??= new RegExp(String.raw`\u001B\[(?:1|2|22|31|32|33|36|39)m|${HIDDEN}`, "gu"));

function keep(character: string): string {
  return character === "\n" || character === "\t" ? character : escapeOf(character);
}
