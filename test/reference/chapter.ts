/** The pages of a chapter of the reference, and the paragraphs of their texts. */

import type { HelpPage } from "../../src/commands/help-page.ts";

/** The page of a command or group. For a group, `commands` has the pages of all its commands. */
export type Chapter = { page: HelpPage; commands: readonly HelpPage[] };

/** A paragraph of a help text, or the lines of an example. */
export type Paragraph = { kind: "text"; text: string } | { kind: "code"; lines: string[] };

/** Splits a help text. An empty line separates paragraphs. A line with a space at its start belongs to an example. */
export function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  for (const part of text.trim().split(/\n\n+/)) {
    let last: Paragraph | undefined;
    for (const line of part.split("\n")) {
      const isCode = line.startsWith(" ");
      if (last?.kind === "code" && isCode) last.lines.push(line.replace(/^ {1,2}/, ""));
      else if (last?.kind === "text" && !isCode) last.text += ` ${line}`;
      else {
        last = isCode ? { kind: "code", lines: [line.replace(/^ {1,2}/, "")] } : { kind: "text", text: line };
        paragraphs.push(last);
      }
    }
  }
  return paragraphs;
}
