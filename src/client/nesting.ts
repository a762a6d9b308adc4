/** How deep an answer is nested, seen before it is parsed: what reads and prints values calls itself for each level. */

/** A layout of 64 levels of blocks, the most that any server is understood with, takes fewer. */
export const MAX_NESTING = 256;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether `text`, if it is JSON, is nested deeper than {@link MAX_NESTING}. What is no JSON is not too deep. */
export function isTooDeep(text: string): boolean {
  // Each level needs two brackets. A text that is not JSON is reported as such elsewhere.
  if (text.length <= 2 * MAX_NESTING || !/^\uFEFF?\s*[[{]/.test(text)) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    // `[` and `{` differ in one bit, `]` and `}` in the same.
    else if ((code | 0x20) === 0x7b) {
      if (++depth > MAX_NESTING) return true;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return false;
}
