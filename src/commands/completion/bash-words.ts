/** Reads the words of a bash command line. Quotes candidates for the last word. Expands nothing. */

import type { Candidate } from "./candidates.ts";

export type BashLine = {
  /** The words after the command, without their quotes. The last word ends at the cursor. */
  words: string[];
  /** The part of the last word that bash keeps, without quotes. Bash replaces the rest with a candidate. */
  kept: string;
  /** The quote that is open at the cursor. */
  quote: "" | "'" | '"';
};

/**
 * @param line the command line before the cursor
 * @param breaks the characters at which bash splits a word, from COMP_WORDBREAKS
 */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word: string | undefined;
  let kept = "";
  let quote: BashLine["quote"] = "";
  for (let index = 0; index < line.length; index++) {
    const char = line[index]!;
    if (quote !== "") {
      if (char === quote) quote = "";
      else if (char === "\\" && quote === '"' && /["\\$`]/.test(line[index + 1] ?? "")) word += line[++index]!;
      else word += char;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      kept = "";
    } else if (char === "'" || char === '"') {
      word ??= "";
      quote = char;
      kept = word;
    } else if (char === "\\") word = (word ?? "") + (line[++index] ?? "");
    else {
      word = (word ?? "") + char;
      if (breaks.includes(char)) kept = word;
    }
  }
  words.push(word ?? "");
  // Variables such as FORMCTL_PROFILE=prod precede the command.
  const command = words.findIndex((each) => !/^\w+=/.test(each));
  return { words: words.slice(command + 1), kept, quote };
}

/**
 * Returns the candidates as bash inserts them. If one candidate needs quotes, all candidates are quoted. Otherwise bash
 * would find no common start of the candidates.
 */
export function bashReplies(candidates: readonly Candidate[], { kept, quote }: BashLine): Candidate[] {
  const rests = candidates.flatMap(({ value, ...more }) =>
    value.startsWith(kept) ? [{ ...more, value: value.slice(kept.length) }] : [],
  );
  if (quote === '"') return rests.map((each) => ({ ...each, value: inDoubleQuotes(each.value) }));
  const isPlain = quote === "" && rests.every(({ value }) => /^[\w./@=:,-]*$/.test(value));
  if (isPlain) return rests;
  const open = quote === "" ? "'" : "";
  return rests.map((each) => {
    const text = each.value.replaceAll("'", String.raw`'\''`);
    // Bash itself closes a quote that the user has opened.
    const close = quote === "" && each.continues !== true ? "'" : "";
    return { ...each, value: `${open}${text}${close}` };
  });
}

/**
 * Puts each `!` in single quotes. Inside double quotes, bash expands a plain `!`, and keeps the backslash of an escaped
 * `!`.
 */
function inDoubleQuotes(text: string): string {
  return text.replace(/["\\$`]/g, String.raw`\$&`).replaceAll("!", `"'!'"`);
}
