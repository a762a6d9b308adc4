/** Which characters of a text a reader cannot see, or would see in a wrong place. */

/**
 * Everything that Unicode calls a control (C0, DEL, C1), a format character (bidirectional marks, zero widths, tags),
 * a line or paragraph separator or half of a surrogate pair. Shown raw, such a character could move the cursor, recolour
 * the screen, or make a name look like another one.
 */
export const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`;

const hiddenButNewline = new RegExp(String.raw`(?!\n)${HIDDEN}`, "gu");

/** `text` with each hidden character but the line feed as `\uXXXX`: the same text inside JSON or a double-quoted YAML scalar. */
export function escapeHidden(text: string): string {
  return text.replace(hiddenButNewline, codeUnitEscapes);
}

function codeUnitEscapes(character: string): string {
  let escaped = "";
  for (let index = 0; index < character.length; index++) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
