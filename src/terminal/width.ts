/** How many columns a text takes on a terminal, and how to cut it to fewer. */

import { eastAsianWidth } from "get-east-asian-width";
import { SURELY_VISIBLE } from "../schemas/hidden.ts";
import { whenNeeded } from "./when-needed.ts";

const zeroWidth = String.raw`\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}`;
/** Vowels and finals of Hangul, which are drawn into the syllable before them. */
const jamo = String.raw`\u1160-\u11FF\uD7B0-\uD7FF`;
const emoji = String.raw`\p{Regional_Indicator}{1,2}|\p{Emoji_Modifier_Base}\uFE0F?\p{Emoji_Modifier}|\p{Emoji}\uFE0F\u20E3?`;

// What a terminal draws as one: an emoji or a character, and the marks upon it. Written out instead of asking
// Intl.Segmenter, which takes half as long to make as Node takes to start. The marks are bounded: a text can hold a
// million of them. Joined emoji do not occur, as their joiner is shown escaped.
const cluster = whenNeeded(() => new RegExp(`(?:(${emoji})|([${zeroWidth}])|.)[${zeroWidth}${jamo}]{0,32}`, "gsu"));

/** The columns of `text`, which holds no control characters. */
export function textWidth(text: string): number {
  // Each of these characters takes one column and one code unit, the mark of `cut` among them.
  if (SURELY_VISIBLE.test(text)) return text.length;
  let width = 0;
  for (const match of text.matchAll(cluster())) width += clusterWidth(match);
  return width;
}

/** `text` in at most `width` columns; what is too long ends in `…`. */
export function cut(text: string, width: number): string {
  if (SURELY_VISIBLE.test(text))
    return text.length <= width ? text : withEllipsis(text.slice(0, Math.max(width - 1, 0)), width);
  let columns = 0;
  let fitting = 0;
  for (const match of text.matchAll(cluster())) {
    columns += clusterWidth(match);
    if (columns > width) return withEllipsis(text.slice(0, fitting), width);
    if (columns <= width - 1) fitting = match.index + match[0].length;
  }
  return text;
}

/** `text` in lines of at most `width` columns, broken between words; a word that is longer is cut into several. */
export function wrap(text: string, width: number): string[] {
  if (textWidth(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    for (; textWidth(word) > width; word = word.slice(lines.at(-1)!.length)) lines.push(startOf(word, width));
    line = word;
  }
  return line === "" ? lines : [...lines, line];
}

/** Paragraphs in lines of at most `width` columns. A line that begins with a space is an example, and stays as it is. */
export function reflow(text: string, width: number): string {
  const lines: string[] = [];
  const isProse = (line: string | undefined) => line !== undefined && /^\S/.test(line);
  for (const line of text.split("\n")) {
    if (isProse(line) && isProse(lines.at(-1))) lines.push(`${lines.pop()} ${line}`);
    else lines.push(line);
  }
  return lines.flatMap((line) => (isProse(line) ? wrap(line, width) : [line])).join("\n");
}

/** As much of `text` as `width` columns hold, and one character at least. */
function startOf(text: string, width: number): string {
  let columns = 0;
  let end = 0;
  for (const match of text.matchAll(cluster())) {
    columns += clusterWidth(match);
    if (columns > width && end > 0) break;
    end = match.index + match[0].length;
  }
  return text.slice(0, end);
}

/** `text` with spaces after it, or before it, up to `width` columns. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(width - textWidth(text), 0));
  return align === "left" ? text + space : space + text;
}

function withEllipsis(text: string, width: number): string {
  return width < 1 ? "" : `${text.trimEnd()}…`;
}

function clusterWidth([text, isEmoji, isZero]: RegExpExecArray): number {
  if (isEmoji) return 2;
  return isZero ? 0 : eastAsianWidth(text.codePointAt(0)!);
}
