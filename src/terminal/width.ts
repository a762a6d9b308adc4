/** Measures text in columns of a terminal, and cuts, wraps and pads it. */

import { eastAsianWidth } from "get-east-asian-width";
import { SURELY_VISIBLE } from "../base/hidden-characters.ts";

const zeroWidth = String.raw`\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}`;
/** Hangul vowels and final consonants, which join the syllable before them. */
const jamo = String.raw`\u1160-\u11FF\uD7B0-\uD7FF`;
const emoji = String.raw`\p{Regional_Indicator}{1,2}|\p{Emoji_Modifier_Base}\uFE0F?\p{Emoji_Modifier}|\p{Emoji}\uFE0F\u20E3?`;

// Matches what a terminal draws as one character: a character or an emoji with its marks. An Intl.Segmenter would do
// the same, but its creation takes half as much time as the start of Node. The number of marks is limited, because a
// text may have a million marks. Joined emoji do not occur, because `visible` escapes their joiner.
let clusterPattern: RegExp | undefined;
const cluster = () =>
  (clusterPattern ??= new RegExp(`(?:(${emoji})|([${zeroWidth}])|.)[${zeroWidth}${jamo}]{0,32}`, "gsu"));

// oxlint-disable-next-line no-control-regex
const STYLE = /\u001B\[[\d;]*m/g;

/** Returns the number of columns of a text without control characters. Styles take no columns. */
export function textWidth(text: string): number {
  // Each of these characters has one column and one code unit.
  if (SURELY_VISIBLE.test(text)) return text.length;
  let width = 0;
  for (const match of text.replace(STYLE, "").matchAll(cluster())) width += clusterWidth(match);
  return width;
}

/** Cuts a text to `width` columns. A cut text ends in `…`. */
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

export type WrapOptions = {
  /** The room in the first line, if it already contains another text. A longer word starts in the second line. */
  first?: number;
  /** Whether a word that is longer than a line is split. True by default. */
  splits?: boolean;
};

/** Wraps a text between words into lines of at most `width` columns. */
export function wrap(text: string, width: number, { first = width, splits = true }: WrapOptions = {}): string[] {
  if (textWidth(text) <= first) return [text];
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (textWidth(longer) <= (lines.length === 0 ? first : width)) {
      line = longer;
      continue;
    }
    if (line !== "" || (lines.length === 0 && first < width)) lines.push(line);
    if (splits)
      for (; textWidth(word) > width; word = word.slice(lines.at(-1)!.length)) lines.push(startOf(word, width));
    line = word;
  }
  return line === "" ? lines : [...lines, line];
}

/** Longer lines of prose are hard to read. */
const MAX_PROSE = 100;
/** The width of prose that is not printed on a terminal. */
const DEFAULT_PROSE = 80;
const MIN_PROSE = 20;

/** Returns the width for prose. @param columns the columns of the terminal; Infinity without a terminal */
export function proseWidth(columns: number): number {
  return columns === Infinity ? DEFAULT_PROSE : Math.max(Math.min(columns, MAX_PROSE), MIN_PROSE);
}

/** Wraps paragraphs. A line that starts with a space is an example, so it is not wrapped. */
export function reflow(text: string, width: number): string {
  const lines: string[] = [];
  const isProse = (line: string | undefined) => line !== undefined && /^\S/.test(line);
  for (const line of text.split("\n")) {
    if (isProse(line) && isProse(lines.at(-1))) lines.push(`${lines.pop()} ${line}`);
    else lines.push(line);
  }
  return lines.flatMap((line) => (isProse(line) ? wrap(line, width) : [line])).join("\n");
}

/** Returns the start of a text that fits in `width` columns; at least one character. */
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

/** Returns the number of lines of a text on a screen. Long lines wrap. */
export function screenLines(text: string, width: number): number {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0);
}

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
