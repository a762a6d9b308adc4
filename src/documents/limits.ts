/** How much one file may hold. Each limit is far above what people write, and keeps any file's reading under a second. */

export const MAX_DEPTH = 64;
export const MAX_KEYS = 10_000;
export const MAX_ALIASES = 100;
/** What a file may come to with its aliases written out, in characters and values. */
export const MAX_EXPANDED = 8 * 1024 * 1024;
/** After so many problems the rest of a file is not looked at. */
export const MAX_PROBLEMS = 100;

const MAX_MARKS = 800_000;

/**
 * Whether a text has more values than the parser could take in a second. Each value has one of `, [ { : - ?` beside it
 * (a comma or colon inside a text counts too); a short text is not counted.
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
