/**
 * The limits of JSON that comes from a target or a repository. The server, or the author of the repository, can supply
 * a small text that takes much memory or ends in a stack overflow. Answers, the record of migrations, the lock and the
 * journals are read within these limits.
 */

import { nodeZlib } from "../base/node-modules.ts";

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

const MAX_MEMORY_MIB = 128;
/** The maximum memory of the values of a JSON text in bytes, as `measureJson` estimates it. */
const MAX_JSON_MEMORY = MAX_MEMORY_MIB * 1024 * 1024;

/** The memory of a value without its text, in bytes, by measurements of Node 24. */
const BYTES = { container: 56, value: 16, string: 24, member: 24, newMember: 240 } as const;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The number of remembered sequences of member names, a power of two. Answers of the API have some hundreds. */
const SEQUENCES = 2 ** 14;

/** Hashes of known sequences. V8 keeps a description of each sequence, and shares it between texts. */
const known = new Uint32Array(SEQUENCES);

/** The number of characters of a member name that distinguish it from others of the same length. */
const NAME_LENGTH = 64;

/** `exceeded` is a limit that the text exceeds, such as `more than 256 levels`. `memory` is in bytes. */
export type JsonMeasure = { exceeded?: string; memory: number };

/**
 * Estimates the memory of a JSON text after it is parsed, and compares the text with the limits. Does not parse the
 * text. 30 MiB of JSON can need gigabytes, because V8 keeps a description of each sequence of member names. A text that
 * does not begin with a bracket or brace has only the limit of the size.
 *
 * @param maxBytes the limit of the size
 */
export function measureJson(text: string, maxBytes = MAX_JSON_BYTES): JsonMeasure {
  const size = Buffer.byteLength(text);
  // V8 stores two bytes for each character of a string with a character such as €, which JSON may escape.
  const width = text.length < size || text.includes(String.raw`\u`) ? 2 : 1;
  let memory = text.length * width;
  if (size > maxBytes) return { exceeded: `more than ${maxBytes / 1024 / 1024} MiB`, memory };
  if (!/^\uFEFF?\s*[[{]/.test(text)) return { memory };
  /** The hash of the member names so far, for each open object. */
  const names = new Uint32Array(MAX_NESTING + 1);
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const start = index;
      index = endOfString(text, start);
      if (text.charCodeAt(afterSpace(text, index + 1)) !== COLON) {
        memory += BYTES.string;
        continue;
      }
      const hash = nameHash(text, start, index, names[depth]!);
      names[depth] = hash;
      const slot = hash & (SEQUENCES - 1);
      memory += known[slot] === hash ? BYTES.member : BYTES.newMember;
      known[slot] = hash;
    } else if (code === COMMA) memory += BYTES.value;
    // Setting one bit maps `[` to `{`, and `]` to `}`.
    else if ((code | 0x20) === OPEN) {
      if (++depth > MAX_NESTING) return { exceeded: `more than ${MAX_NESTING} levels`, memory };
      names[depth] = 0;
      memory += BYTES.container;
    } else if ((code | 0x20) === CLOSE && depth > 0) depth--;
  }
  if (memory <= MAX_JSON_MEMORY) return { memory };
  return { exceeded: `values that need more than ${MAX_MEMORY_MIB} MiB of memory`, memory };
}

function nameHash(text: string, start: number, end: number, before: number): number {
  let hash = Math.imul(before ^ (end - start), 0x9e3779b1);
  const last = Math.min(end, start + NAME_LENGTH);
  for (let index = start + 1; index < last; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  // Small differences must reach the lowest bits, which choose the slot. Zero marks an unused slot.
  return ((hash ^ (hash >>> 15)) | 1) >>> 0;
}

function afterSpace(text: string, start: number): number {
  let index = start;
  while (text.charCodeAt(index) <= 0x20) index++;
  return index;
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
  const { exceeded } = measureJson(text);
  if (exceeded !== undefined) throw new Error(`it has ${exceeded}`);
  return JSON.parse(text);
}

/** Decompresses a JSON text up to the maximum size. @throws Error with the exceeded limit, or the error of zlib */
export function gunzipLimited(bytes: Uint8Array): string {
  try {
    return nodeZlib().gunzipSync(bytes, { maxOutputLength: MAX_JSON_BYTES }).toString("utf8");
  } catch (error) {
    const isTooLarge = error instanceof RangeError && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge ? new Error(`it has more than ${MAX_JSON_SIZE}`, { cause: error }) : error;
  }
}
