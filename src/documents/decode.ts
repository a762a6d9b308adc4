/** A file's bytes as text: UTF-8 and nothing else, at most 4 MiB. */

import type { Problem } from "./invalid-document.ts";

export const MAX_FILE_BYTES = 4 * 1024 * 1024;

export type Decoded = { text: string; problem?: Problem };

/** The text of `source` without its byte order mark, and what forbids to read on. */
export function decode(source: Uint8Array | string): Decoded {
  const size = typeof source === "string" ? utf8Length(source) : source.byteLength;
  if (size > MAX_FILE_BYTES) return { text: "", problem: tooLarge(size) };
  if (typeof source !== "string") return decodeBytes(source);
  const text = source.startsWith("\uFEFF") ? source.slice(1) : source;
  if (text.isWellFormed()) return { text };
  const offset = text.search(/\p{Cs}/u);
  return {
    text,
    problem: { code: "FILE_ENCODING", message: "half of a surrogate pair stands here, which no file can hold", offset },
  };
}

/** What is said of a file of so many bytes. */
export function tooLarge(size: number): Problem {
  const message = `is ${(size / 1024 / 1024).toFixed(1)} MiB, and the limit is 4 MiB. Split it into several files`;
  return { code: "FILE_TOO_LARGE", message, offset: 0 };
}

/** No encoder is asked about a text that is surely too long or surely short enough. */
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
  // A character that has begun and not ended is left out: the offset is where it begins, and the byte is its first.
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, index), { stream: true });
  const first = Buffer.byteLength(before);
  const what =
    index === bytes.length
      ? `breaks off inside a character at byte ${index}`
      : `byte ${first} (0x${bytes[first]!.toString(16).padStart(2, "0")}) is not UTF-8`;
  const offset = before.length - (before.startsWith("\uFEFF") ? 1 : 0);
  return { code: "FILE_ENCODING", message: `${what}. Save the file as UTF-8`, offset };
}

/** The first byte with which the bytes before it can no longer become UTF-8; their number when only the end is missing. */
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
