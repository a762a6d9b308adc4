/** The pages of a chapter of the reference, and the paragraphs of their texts. */

import type { HelpPage } from "../../src/commands/help-page.ts";

/** The pages of a command or group, with those of all commands in it. */
export type Chapter = { page: HelpPage; commands: readonly HelpPage[] };

/** A paragraph of a help text, or the lines of an example in it. */
export type Paragraph = { kind: "text"; text: string } | { kind: "code"; lines: string[] };

/** Splits a help text: lines that start with a space are examples, and empty lines separate paragraphs. */
export function paragraphsOf(text: string): Paragraph[] {
  return text
    .trim()
    .split(/\n\n+/)
    .map((part) => {
      const lines = part.split("\n");
      return lines.every((line) => line.startsWith(" "))
        ? { kind: "code", lines: lines.map((line) => line.replace(/^ {1,2}/, "")) }
        : { kind: "text", text: lines.map((line) => line.trim()).join(" ") };
    });
}
