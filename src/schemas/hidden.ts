/** Which characters of a text a reader cannot see, or would see in a wrong place. */

/**
 * Everything that Unicode calls a control (C0, DEL, C1), a format character (bidirectional marks, zero widths, tags),
 * a line or paragraph separator or half of a surrogate pair. Shown raw, such a character could move the cursor, recolour
 * the screen, or make a name look like another one.
 */
export const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`;
