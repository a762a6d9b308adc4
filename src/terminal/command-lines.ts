/** Breaks a command line into several lines that a user can still copy. */

import { textWidth, wrap } from "./width.ts";

const CONTINUATION = " \\";

/**
 * Breaks a command line between words. Each line but the last ends in a backslash. A comment at the end gets its own
 * lines. A word that is longer than a line is not broken.
 *
 * @param first the columns of the first line
 */
export function commandLines(command: string, width: number, first = width): string[] {
  if (textWidth(command) <= first) return [command];
  const words = shellWords(command);
  const end = words.includes("#") ? words.indexOf("#") : words.length;
  const lines: string[] = [];
  let line = "";
  for (const word of joinOptions(words.slice(0, end), width)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || textWidth(longer) + CONTINUATION.length <= (lines.length === 0 ? first : width)) line = longer;
    else {
      lines.push(line + CONTINUATION);
      line = word;
    }
  }
  const comment = words.slice(end + 1).join(" ");
  return [...lines, line, ...(comment === "" ? [] : wrap(comment, width - 2).map((each) => `# ${each}`))];
}

/** Splits a command line at spaces outside of quotes and `$(…)`. */
export function shellWords(command: string): string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  let depth = 0;
  for (const character of command) {
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    if (character === " " && quote === "" && depth === 0) {
      words.push(word);
      word = "";
    } else word += character;
  }
  return [...words, word].filter((each) => each !== "");
}

/**
 * Joins an option with the next word, and a `|` with the next command. A pair that is longer than a line of `width`
 * columns is not joined.
 */
function joinOptions(words: readonly string[], width: number): string[] {
  const parts: string[] = [];
  for (const word of words) {
    const last = parts.at(-1) ?? "";
    const isPair = !/^[-|]./.test(word) && (last === "|" || /^-\S+$/.test(last));
    if (isPair && textWidth(`${last} ${word}`) + CONTINUATION.length <= width) parts.push(`${parts.pop()} ${word}`);
    else parts.push(word);
  }
  return parts;
}
