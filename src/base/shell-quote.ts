/** Quotes an argument for the shell of the platform. A user can then paste a printed command. */

/** A word that a POSIX shell passes on unchanged. */
const PLAIN = /^[\w./:@-][\w./:@=-]*$/;
/** A word that PowerShell passes on unchanged. It can't contain @, which is an operator of PowerShell. */
const PLAIN_IN_POWERSHELL = /^[\w./][\w./:=-]*$/;
/** PowerShell accepts typographic quotes as single quotes. */
const POWERSHELL_QUOTE = /['\u2018-\u201B]/g;

/**
 * Returns the text as one argument, in single quotes if necessary. A shell does not expand `$(…)` or `!` in single
 * quotes. So text from a server, such as the name of a form, can't run a command.
 */
export function quoted(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32")
    return PLAIN_IN_POWERSHELL.test(text) ? text : `'${text.replace(POWERSHELL_QUOTE, "$&$&")}'`;
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
