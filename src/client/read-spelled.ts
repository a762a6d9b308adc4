/** A text as it is read, whatever it is written like: unescaped, in small letters, with one alphabet of base64. For searches alone. */

export type ReadText = {
  text: string;
  /** Where a character of it begins in the text that was given; of its end, the end. */
  originOf(index: number): number;
};

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;

/**
 * Reads `\u002B` and `\x2b` as in JSON and programs, `%2B` and `%252B` as in URLs, `&#43;` and `&#x2b;` as in pages. Other backslashes
 * are left out: how many there are depends on how often a text was escaped. In one pass, so that no text takes long.
 */
export function readSpelled(text: string): ReadText {
  const codes = new Uint16Array(text.length);
  const length = read(text, (index, code) => (codes[index] = code));
  let origins: Uint32Array | undefined;
  return {
    text: Buffer.from(codes.buffer, 0, length * 2).toString("utf16le"),
    originOf(index) {
      if (!origins) {
        const made = new Uint32Array(text.length + 1);
        made[read(text, (each, _code, at) => (made[each] = at))] = text.length;
        origins = made;
      }
      return origins[index]!;
    },
  };
}

/** @returns how many characters there are */
function read(text: string, found: (index: number, code: number, at: number) => void): number {
  let index = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    const escape = ESCAPES[code]?.(text, at);
    if (!escape || escape.code !== BACKSLASH) found(index++, folded(escape?.code ?? code), at);
    at = escape?.end ?? at + 1;
  }
  return index;
}

function folded(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code === 0x2d) return 0x2b;
  return code === 0x5f ? 0x2f : code;
}

/** What an escape stands for, and where it ends. */
type Escape = { code: number; end: number };

const ESCAPES: Readonly<Record<number, (text: string, at: number) => Escape | undefined>> = {
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
