/** `formctl help TOPIC`: prints a help topic. */

import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import { type Column, table } from "../terminal/table.ts";
import { proseWidth, reflow } from "../terminal/width.ts";
import { argument, defineCommand, type HelpEntry } from "./command.ts";
import { TOPICS } from "./help-topics.ts";

export default defineCommand({
  examples: ["formctl help layouts", "formctl help options", "formctl help exit-codes", "formctl help forms list"],
  args: { topic: argument("TOPIC", Object.keys(TOPICS).join(", "), parseTopic, Object.keys(TOPICS)) },
  options: {},
  run: (_context, { topic }) => Promise.resolve({ topic, entries: TOPICS[topic]!.entries() }),
  view({ topic, entries }, terminal) {
    const { title, after } = TOPICS[topic]!;
    const width = proseWidth(terminal.width);
    const columns: Column<HelpEntry>[] = [
      { title, value: ({ name }) => name, essential: true },
      { title: "Meaning", value: ({ about }) => about, essential: true },
    ];
    terminal.out(table(columns, entries, { width, style: terminal.style }));
    if (after !== undefined) terminal.out(`\n${reflow(after, width)}\n`);
  },
  document: ({ entries }) => entries,
  names: ({ entries }) => entries.map(({ name }) => name),
});

function parseTopic(text: string): string {
  if (Object.hasOwn(TOPICS, text)) return text;
  const near = nearest(text, Object.keys(TOPICS));
  throw new FormctlError(
    "USAGE",
    `must be a command or a topic, not "${text}"`,
    near ? `Did you mean ${near}?` : "See the commands: formctl --help",
  );
}
