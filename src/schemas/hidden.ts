/** Which characters of a text a reader cannot see, or would see in a wrong place. */

/**
 * Everything that Unicode calls a control (C0, DEL, C1), a format character (bidirectional marks, zero widths, tags),
 * a line or paragraph separator or half of a surrogate pair. Shown raw, such a character could move the cursor, recolour
 * the screen, or make a name look like another one.
 */
export const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`;

/**
 * Text without any of {@link HIDDEN}, recognised without their tables, which take milliseconds to build: printable ASCII,
 * the letters of Latin, Greek and Cyrillic, dashes and quotation marks. Other text may be as visible; this one surely is.
 */
export const SURELY_VISIBLE = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027]*$/;
