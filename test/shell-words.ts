/** Splits a line into words as a shell does, without the start of a shell. */

/** Text that a shell changes only by removing quotes. */
const PLAIN = /^(?:[\w\s./:=,@%+[\]-]|"[^"\\$`!]*"|'[^']*')*$/;

/** Returns the words. Undefined if the line has text that only a shell can evaluate. */
export function shellWords(line: string): string[] | undefined {
  if (!PLAIN.test(line)) return undefined;
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
