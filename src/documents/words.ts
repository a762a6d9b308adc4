/** Plain words of one text: keys, and the few texts that most values are, come again and again and are read once. */

import { SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { type Read, readKey, readScalar } from "./nodes.ts";

export type Word = { source: string; scalar: Read<unknown>; key: Read<string> | undefined };

const SLOTS = 512;
const LONGEST = 40;

/**
 * A function from a scalar to what it says; undefined for one that is not a single plain word without a tag. Nothing is
 * cut out of the text for a word that is known: it is found by some of its letters and compared where it stands.
 */
export function wordsOf(text: string): (event: ScalarEvent) => Word | undefined {
  const words: (Word | undefined)[] = [];
  return (event) => {
    const { valueStart: start, valueEnd: end } = event;
    const length = end - start;
    if (!event.fast || event.style !== SCALAR_STYLE.PLAIN || event.tagStart >= 0) return undefined;
    if (start < 0 || length === 0 || length > LONGEST) return undefined;
    const letters =
      text.charCodeAt(start) * 7 + text.charCodeAt(start + (length >> 1)) * 17 + text.charCodeAt(end - 1) * 131;
    const slot = (letters + length * 31) % SLOTS;
    const known = words[slot];
    if (known?.source.length === length && text.startsWith(known.source, start)) return known;
    const source = text.slice(start, end);
    const word: Word = { source, scalar: readScalar(text, event, source), key: undefined };
    words[slot] = word;
    return word;
  };
}

/** What a word names as a key. */
export function keyOf(word: Word, text: string, event: ScalarEvent): Read<string> {
  return (word.key ??= readKey(text, event, word.source));
}
