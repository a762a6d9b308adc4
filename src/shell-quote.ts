/** Quotes an argument for a shell, so that a printed command can be copied. */

/** Escapes `$` and backticks inside double quotes too, because the name of a form may come from a server. */
export function quoted(text: string): string {
  return /^[\w./@=:-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`;
}
