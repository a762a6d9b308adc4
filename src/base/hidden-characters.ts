/** Characters that are invisible or change how other text is displayed. */

/**
 * Control characters (C0, DEL, C1), format characters (bidirectional marks, zero-width characters, tags), line and
 * paragraph separators, and unpaired surrogates. Printed unescaped, they could move the cursor, change colours, or make
 * two different names look the same.
 */
export const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]`;

/**
 * Matches only text without `HIDDEN` characters: printable ASCII, Latin, Greek and Cyrillic letters, dashes and
 * quotation marks. Used as a first check, because the Unicode tables of `HIDDEN` are large.
 */
export const SURELY_VISIBLE = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027]*$/;
