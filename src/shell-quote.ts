/** Quotes an argument for a shell, so that a printed command can be copied. */

/** A name of a form may come from a server: inside double quotes, `$` and backticks are escaped too. */
export function quoted(text: string): string {
  return /^[\w./@=:-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`;
}
