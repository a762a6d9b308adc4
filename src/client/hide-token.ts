/**
 * Replaces the token in answers. A gateway may echo the request with its token in one of these forms:
 * - unchanged
 * - escaped for JSON, a URL or HTML
 * - encoded in base64
 *
 * The search therefore normalizes the token and the text before the comparison.
 */

import { isJsonObject, type JsonObject } from "../schemas/json.ts";
import { HIDDEN_TEXT } from "../base/secret.ts";

export type TokenHider = {
  text(text: string): string;
  /**
   * Replaces the token in all strings and member names of `value`, which was parsed from `text`. Changes `value` in
   * place.
   */
  json(value: unknown, text: string): unknown;
};

/**
 * The minimum length of a token that is hidden. A shorter token is not a secret, and its text occurs in many answers.
 */
const SHORTEST = 8;

export function tokenHider(token: string): TokenHider {
  if (token.length < SHORTEST) return { text: (text) => text, json: (value) => value };
  const find = finder(token);
  const text = (each: string) => replaced(each, find(each));
  const number = /^[0-9]+$/.test(token) ? Number(token) : undefined;
  return {
    text,
    json(value, source) {
      // JSON parsing turns `\u005cu002b` into `\u002b`, which is an escape of `+`. The search in the source decodes
      // only `\u005c`, so it could miss the token. A source with `\u` is therefore searched after parsing.
      const mayHide = source.includes(String.raw`\u`);
      if (!mayHide && number === undefined && find(source).length === 0) return value;
      return hideIn(value, (each) => (each === number && each !== undefined ? HIDDEN_TEXT : each), text);
    },
  };
}

/** A range of a text. `end` is exclusive. */
type Range = readonly [start: number, end: number];

/** Returns a function that finds the token in a text, in every spelling. */
function finder(token: string): (text: string) => Range[] {
  const plainWords = distinct([...normalized([token, inJson(token)]), unescaped(token)]);
  const encodedWords = normalized(inBase64(token));
  const parts = [...plainWords, ...encodedWords].map(longestPart);
  return (text) => {
    if (text.length < SHORTEST || !mayContain(text, parts)) return [];
    const spelling = normalize(text);
    const { text: read } = spelling;
    const plain = plainWords.flatMap((word) => rangesOf(word, read));
    const encoded = encodedWords.flatMap((word) => rangesOf(word, read)).map((range) => withRest(range, read));
    return [...plain, ...encoded].map(([start, end]) => [spelling.originOf(start), spelling.originOf(end)]);
  };
}

/**
 * Whether a text may contain one of the normalized words. Most texts have no escapes. For these texts, `includes`
 * replaces the slower `normalize`.
 *
 * @param parts the longest part of each word
 */
function mayContain(text: string, parts: readonly string[]): boolean {
  if (/[\\%]|&#/.test(text)) return true;
  const overlap = Math.max(...parts.map(({ length }) => length));
  for (let start = 0; start < text.length; start += WINDOW) {
    const lower = text.slice(start, start + WINDOW + overlap).toLowerCase();
    if (parts.some((part) => lower.includes(part))) return true;
  }
  return false;
}

/** The number of characters that are searched at once. A copy of a whole answer would need megabytes. */
const WINDOW = 65_536;

/**
 * Returns the longest part of a normalized word without `+` and `/`. The two alphabets of base64 differ in these
 * characters.
 */
function longestPart(word: string): string {
  return word.split(/[+/]/).reduce((longest, part) => (part.length > longest.length ? part : longest));
}

function normalized(words: readonly string[]): string[] {
  return distinct(words.map((word) => normalize(word).text));
}

function distinct(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word !== "");
}

/**
 * Returns the text that a JSON parser reads if the token is not escaped. A gateway may put the token between quotes
 * without escapes. For example, the parser reads `\b` in a token as a control character.
 */
function inJson(token: string): string {
  try {
    return String(JSON.parse(`"${token}"`));
  } catch {
    return token;
  }
}

/**
 * Returns the result of `normalize` for a text in which every character of the token is escaped. For the token `\x2b`,
 * this result is `x2b`, but the normalized token is `+`.
 */
function unescaped(token: string): string {
  const codes = Array.from(token.replaceAll("\\", ""), (character) => folded(character.charCodeAt(0)));
  return String.fromCharCode(...codes);
}

function rangesOf(word: string, text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    ranges.push([at, at + word.length]);
  return ranges;
}

function replaced(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start >= done) parts.push(text.slice(done, start), HIDDEN_TEXT);
    done = Math.max(done, end);
  }
  return parts.join("") + text.slice(done);
}

/**
 * Returns the base64 texts to search for. Base64 encodes groups of three bytes. The token can start at each of the
 * three positions in a group. Each text has only the characters that depend on the token alone.
 */
function inBase64(token: string): string[] {
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.from(`${"\0".repeat(before)}${token}`, "latin1");
    const whole = Math.floor((bytes.length * 8) / 6);
    return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
  });
}

/** Extends a range of base64 text by the characters with the last bits of the token, and by the padding. */
function withRest([start, end]: Range, text: string): Range {
  return [start, end + /^[a-z0-9+/]{0,2}={0,2}/.exec(text.slice(end, end + 4))![0].length];
}

/**
 * Replaces the token in a JSON value. Applies `ofText` to strings and member names, and `ofOther` to other scalars.
 * Uses no recursion: an answer may be nested deeper than the stack allows.
 */
function hideIn(root: unknown, ofOther: (value: unknown) => unknown, ofText: (text: string) => string): unknown {
  const open: (unknown[] | JsonObject)[] = [];
  const hidden = (value: unknown) => {
    if (typeof value === "string") return ofText(value);
    if (Array.isArray(value)) open.push(value);
    else if (isJsonObject(value)) open.push(value);
    else return ofOther(value);
    return value;
  };
  const result = hidden(root);
  for (let holder = open.pop(); holder; holder = open.pop()) {
    if (Array.isArray(holder)) {
      for (const [index, value] of holder.entries()) holder[index] = hidden(value);
      continue;
    }
    const names = Object.keys(holder);
    const shown = names.map(ofText);
    const isRenamed = shown.some((name, index) => name !== names[index]);
    for (const [index, name] of names.entries()) {
      const value = holder[name];
      const now = hidden(value);
      if (!isRenamed && now === value) continue;
      if (isRenamed) delete holder[name];
      // An assignment would not create a member named `__proto__`.
      Object.defineProperty(holder, shown[index]!, {
        value: now,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
  return result;
}

type NormalizedText = {
  text: string;
  /** Returns the index in the original text for an index in `text`. */
  originOf(index: number): number;
};

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;

/**
 * Normalizes a text:
 * - Converts letters to lower case, and base64 to one of its two alphabets.
 * - Decodes the escapes of JSON and programs (`\u002B`, `\x2b`), of URLs (`%2B`, `%252B`) and of HTML (`&#43;`,
 *   `&#x2b;`).
 * - Drops other backslashes. Their number depends on how often the text was escaped.
 */
function normalize(text: string): NormalizedText {
  const codes = new Uint16Array(text.length);
  const length = scan(text, codes);
  let origins: Uint32Array | undefined;
  return {
    text: Buffer.from(codes.buffer, 0, length * 2).toString("utf16le"),
    originOf(index) {
      if (!origins) {
        origins = new Uint32Array(text.length + 1);
        origins[scan(text, codes, origins)] = text.length;
      }
      return origins[index]!;
    },
  };
}

/**
 * Writes the codes of the normalized text to `codes`. Writes the index of each code in the original text to `origins`,
 * if given.
 *
 * @returns the number of characters
 */
function scan(text: string, codes: Uint16Array, origins?: Uint32Array): number {
  let index = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const isPlain = code !== BACKSLASH && code !== PERCENT && code !== AMPERSAND;
    const escape = isPlain ? undefined : ESCAPES[code](text, at);
    if (escape?.code !== BACKSLASH) {
      if (origins) origins[index] = at;
      codes[index++] = folded(escape?.code ?? code);
    }
    at = escape?.end ?? at + 1;
  }
  return index;
}

function folded(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

/** The code of the escaped character, and the index after the escape. */
type Escape = { code: number; end: number };

const ESCAPES: Readonly<
  Record<typeof BACKSLASH | typeof PERCENT | typeof AMPERSAND, (text: string, at: number) => Escape | undefined>
> = {
  [BACKSLASH](text, at) {
    let end = at + 1;
    while (text.charCodeAt(end) === BACKSLASH) end++;
    const letter = text[end]?.toLowerCase();
    const isLong = letter === "u" && text.startsWith("00", end + 1);
    const code = isLong ? hexAt(text, end + 3) : letter === "x" ? hexAt(text, end + 1) : undefined;
    return code === undefined ? { code: BACKSLASH, end } : { code, end: end + (isLong ? 5 : 3) };
  },
  [PERCENT](text, at) {
    let end = at + 1;
    while (text.charCodeAt(end) === 0x32 && text.charCodeAt(end + 1) === 0x35) end += 2;
    const code = hexAt(text, end);
    if (code !== undefined) return { code, end: end + 2 };
    return end === at + 1 ? undefined : { code: PERCENT, end };
  },
  [AMPERSAND](text, at) {
    if (text.charCodeAt(at + 1) !== 0x23) return undefined;
    const isHex = text[at + 2]?.toLowerCase() === "x";
    const from = at + (isHex ? 3 : 2);
    let end = from;
    let code = 0;
    const base = isHex ? 16 : 10;
    for (let digit = digitAt(text, end); digit !== undefined && digit < base; digit = digitAt(text, ++end))
      code = Math.min(code * base + digit, 0xffff);
    if (end === from) return undefined;
    return { code, end: text[end] === ";" ? end + 1 : end };
  },
};

function hexAt(text: string, at: number): number | undefined {
  const [high, low] = [digitAt(text, at), digitAt(text, at + 1)];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function digitAt(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}
