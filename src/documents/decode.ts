/** Decodes the bytes of a file as UTF-8. Defines the limits on the content of a file. */

import { MAX_FILE_BYTES } from "../base/file-limits.ts";
import type { Problem } from "./problems.ts";

// Each limit is far above the size of handwritten files. With these limits, reading a file takes less than a second.
export const MAX_DEPTH = 64;
export const MAX_KEYS = 10_000;
export const MAX_ALIASES = 100;
/** The maximum number of characters plus values in a file, with its aliases expanded. */
export const MAX_EXPANDED = 8 * 1024 * 1024;
/** The maximum number of problems in one file. Reading stops when it is reached. */
export const MAX_PROBLEMS = 100;
const MAX_MARKS = 800_000;

/** A decoded file. `text` excludes the byte order mark. If there is a `problem`, the file must not be parsed. */
export type Decoded = { text: string; problem?: Problem };

export function decode(source: Uint8Array | string): Decoded {
  const size = typeof source === "string" ? utf8Length(source) : source.byteLength;
  if (size > MAX_FILE_BYTES) return { text: "", problem: tooLarge(size) };
  if (typeof source !== "string") return decodeBytes(source);
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (text.isWellFormed()) return { text };
  const offset = text.search(/\p{Cs}/u);
  return {
    text,
    problem: { code: "FILE_ENCODING", message: "contains an unpaired surrogate, which UTF-8 can't encode", offset },
  };
}

export function tooLarge(size: number): Problem {
  const message = `is ${(size / 1024 / 1024).toFixed(1)} MiB, and the limit is 4 MiB. Split it into several files`;
  return { code: "FILE_TOO_LARGE", message, offset: 0 };
}

/**
 * Whether a text may have more values than the parser can read in a second. Each value is next to a comma, opening
 * bracket or brace, colon, dash or question mark. The function counts these characters instead of the values, even
 * inside scalars.
 */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= MAX_MARKS) return false;
  let marks = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 44 || code === 45 || code === 58 || code === 63 || code === 91 || code === 123) marks++;
  }
  return marks > MAX_MARKS;
}

/**
 * Returns the length of a text in bytes. Returns the number of characters instead if that number already shows whether
 * the text exceeds the limit. Encoding the text would take time.
 */
function utf8Length(text: string): number {
  if (text.length > MAX_FILE_BYTES || text.length * 3 <= MAX_FILE_BYTES) return text.length;
  return Buffer.byteLength(text);
}

function decodeBytes(bytes: Uint8Array): Decoded {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder().decode(bytes), problem: encodingProblem(bytes) };
  }
}

function encodingProblem(bytes: Uint8Array): Problem {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { code: "FILE_ENCODING", message: "is UTF-16. Save the file as UTF-8", offset: 0 };
  }
  const index = firstInvalidByte(bytes);
  // The decoder drops an incomplete character at the end. Therefore `before` ends at the start of the invalid
  // character.
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, index), { stream: true });
  const first = Buffer.byteLength(before);
  const what =
    index === bytes.length
      ? `the file ends inside a character at byte ${index}`
      : `byte ${first} (0x${bytes[first]!.toString(16).padStart(2, "0")}) is not UTF-8`;
  const offset = before.length - (before.startsWith("\uFEFF") ? 1 : 0);
  return { code: "FILE_ENCODING", message: `${what}. Save the file as UTF-8`, offset };
}

/** Returns the index of the first invalid byte. If the file ends inside a character, returns the number of bytes. */
function firstInvalidByte(bytes: Uint8Array): number {
  const canStart = (length: number) => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (canStart(middle)) good = middle;
    else bad = middle;
  }
  return Math.min(good, bytes.length);
}
