/** `formctl help TOPIC` */

import { SETTINGS } from "../config/setting-rows.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { nearest } from "../schemas/nearest.ts";
import { printTable } from "../terminal/table.ts";
import { argument, defineCommand, UsageError } from "./command.ts";

type Entry = { name: string; about: string };

/** Variables that are no settings. */
const VARIABLES: Entry[] = [
  { name: "FORMCTL_TOKEN", about: "Token for the server that a flag, the environment or your own file names" },
  { name: "HTTPS_PROXY, NO_PROXY", about: "A proxy for requests to servers elsewhere, and where none is to be used" },
  { name: "NODE_EXTRA_CA_CERTS", about: "File with certificates of further authorities to trust" },
  { name: "FORMCTL_HOME", about: "One folder for everything that formctl keeps: settings and store" },
  { name: "XDG_CONFIG_HOME, XDG_DATA_HOME", about: "Where settings and the store are kept otherwise" },
  { name: "NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", about: "Whether the output is coloured" },
  { name: "CI", about: "Where it is set, nothing is ever asked" },
];

const topics: Record<string, { title: string; entries(): Entry[] }> = {
  "exit-codes": {
    title: "Code",
    entries: () => Object.entries(EXIT_CODES).map(([name, about]) => ({ name, about })),
  },
  environment: {
    title: "Variable",
    entries: () => [...Object.values(SETTINGS).map(({ env, about }) => ({ name: env, about })), ...VARIABLES],
  },
};

export default defineCommand({
  about: "Explain a topic: exit-codes, environment",
  examples: ["formctl help exit-codes", "formctl help environment", "formctl help forms list"],
  args: { topic: argument("TOPIC", Object.keys(topics).join(" or "), parseTopic) },
  options: {},
  run: (_context, { topic }) => Promise.resolve({ topic, entries: topics[topic]!.entries() }),
  view({ topic, entries }, terminal) {
    printTable(
      terminal,
      [
        { title: topics[topic]!.title, value: ({ name }) => name },
        { title: "Meaning", value: ({ about }) => about, shrink: true },
      ],
      entries,
      "",
    );
  },
  document: ({ entries }) => entries,
  names: ({ entries }) => entries.map(({ name }) => name),
});

function parseTopic(text: string): string {
  if (Object.hasOwn(topics, text)) return text;
  const near = nearest(text, Object.keys(topics));
  throw new UsageError(
    `"${text}" is neither a command nor a topic`,
    near ? `Did you mean ${near}?` : "See: formctl --help",
  );
}
