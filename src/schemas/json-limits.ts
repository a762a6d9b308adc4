/**
 * The limits of JSON that comes from a target. A server, or a user of the server, can send a small text that takes much
 * memory or ends in a stack overflow. Answers and the record of migrations are read within the same limits.
 */

import { gunzipSync } from "node:zlib";

const MAX_MIB = 32;
/** The maximum size of a JSON text in bytes, after decompression. */
export const MAX_JSON_BYTES = MAX_MIB * 1024 * 1024;
/** `MAX_JSON_BYTES` as text for messages. */
export const MAX_JSON_SIZE = `${MAX_MIB} MiB`;

/**
 * The maximum nesting of JSON. It is limited because reading and printing recurse once per level. A layout with 64
 * levels of blocks stays below this limit.
 */
export const MAX_NESTING = 256;

/**
 * The maximum number of values. An empty list takes two bytes of a text and much more memory. Other texts reach the
 * maximum size first: a member has more than eight bytes.
 */
export const MAX_VALUES = 4_000_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/**
 * Returns the limit that a JSON text exceeds, such as `more than 256 levels`. Does not parse the text. Returns undefined
 * for a text within the limits. A text that does not begin with a bracket or brace has only the limit of the size.
 */
export function exceededLimit(text: string): string | undefined {
  if (text.length * 3 > MAX_JSON_BYTES && Buffer.byteLength(text) > MAX_JSON_BYTES) return `more than ${MAX_JSON_SIZE}`;
  // Each level needs two brackets, so a shorter text can't be too deep.
  if (text.length <= 2 * MAX_NESTING || !/^\uFEFF?\s*[[{]/.test(text)) return undefined;
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    // Each value but the first of its list or object follows a comma.
    else if (code === COMMA) values++;
    // Setting one bit maps `[` to `{`, and `]` to `}`.
    else if ((code | 0x20) === 0x7b) {
      values++;
      if (++depth > MAX_NESTING) return `more than ${MAX_NESTING} levels`;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return values > MAX_VALUES ? `more than ${MAX_VALUES} values` : undefined;
}

/** Returns the index of the quote that ends the string, or the length of the text. @param start the opening quote */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escape = end;
    while (text.charCodeAt(escape - 1) === BACKSLASH) escape--;
    // After an even number of backslashes, the quote is not escaped: each pair is an escaped backslash.
    if ((end - escape) % 2 === 0) return end;
  }
  return text.length;
}

/** Parses a JSON text within the limits. @throws Error with the exceeded limit, SyntaxError if the text is not JSON */
export function parseLimited(text: string): unknown {
  const exceeded = exceededLimit(text);
  if (exceeded !== undefined) throw new Error(`it has ${exceeded}`);
  return JSON.parse(text);
}

/** Decompresses a JSON text up to the maximum size. @throws Error with the exceeded limit, or the error of zlib */
export function gunzipLimited(bytes: Uint8Array): string {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_JSON_BYTES }).toString("utf8");
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? new Error(`it has more than ${MAX_JSON_SIZE}`, { cause: error }) : error;
  }
}
