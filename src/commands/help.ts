/** `formctl help TOPIC` */

import { FormctlError } from "../error.ts";
import { SETTINGS } from "../config/setting-rows.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { nearest } from "../schemas/nearest.ts";
import { printTable } from "../terminal/table.ts";
import { wrap } from "../terminal/width.ts";
import { argument, defineCommand } from "./command.ts";

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
  {
    name: "FORMCTL_REF, GITHUB_SHA, CI_COMMIT_SHA",
    about: "Commit that apply notes in the layouts it publishes; the first counts",
  },
];

/** What a repository keeps, on one page. */
const MANIFESTS: Entry[] = [
  { name: "kind: Form", about: "A form of an object; object and name tell it apart. Needs object, name and types" },
  {
    name: "kind: Layout",
    about: "A layout that no form owns; surface, target and name tell it apart. Needs name, surface and supportedModes",
  },
  { name: "renamedFrom", about: "The name that it had: the record is kept, with everything that hangs on it" },
  { name: "layout", about: "The path of a NAME.layout.yaml beside this file, or the draft itself in place" },
  { name: "publish", about: "false: the draft is saved, and nobody sees it" },
  {
    name: "confirmFieldChanges",
    about: "Draft ids of staged changes whose loss of values somebody has read and accepts",
  },
  { name: "isActive, isPublic, config", about: "Of a form" },
  { name: "defaultFor", about: "The modes that a form is the default of its object for; [] for none" },
  { name: "access", about: "The whole matrix of a form: users and roles, each with types" },
  { name: "metadata", about: "Of a layout: an object of your own" },
  { name: "assignments", about: "All of a layout: organizationDefault, and roles with priority" },
  {
    name: "role, member",
    about: "Names, resolved by the local store or by references in formctl.yaml; or roleId, membershipId",
  },
  {
    name: "${NAME}",
    about:
      "In a value: the environment variable, which must be set. Quote it inside of [ ] and { }. What it says is shown in plans and stored: no place for secrets. Names that begin with FORMCTL_ are refused; with variables: [NAME, …] in formctl.yaml, all others but those are too",
  },
  { name: "${NAME:-default}", about: "The default where it is not set, or empty" },
  { name: "$${", about: "The two characters ${ themselves" },
];

const topics: Record<string, { title: string; entries(): Entry[]; after?: string }> = {
  "exit-codes": {
    title: "Code",
    entries: () => Object.entries(EXIT_CODES).map(([name, about]) => ({ name, about })),
  },
  environment: {
    title: "Variable",
    entries: () => [...Object.values(SETTINGS).map(({ env, about }) => ({ name: env, about })), ...VARIABLES],
  },
  manifests: {
    title: "In a manifest",
    entries: () => MANIFESTS,
    after: `What a manifest leaves out is left as it is. A file may hold several, with --- between them; a folder is read whole.
A value that is one \${…} alone is read as YAML where a number, true, false or null is wanted, and is text elsewhere.
Commands: formctl validate, plan, apply, status, export, schema`,
  },
};

export default defineCommand({
  about: "Explain a topic: exit-codes, environment, manifests",
  examples: [
    "formctl help exit-codes",
    "formctl help environment",
    "formctl help manifests",
    "formctl help forms list",
  ],
  args: { topic: argument("TOPIC", Object.keys(topics).join(", "), parseTopic) },
  options: {},
  run: (_context, { topic }) => Promise.resolve({ topic, entries: topics[topic]!.entries() }),
  view({ topic, entries }, terminal) {
    printTable(
      terminal,
      [
        { title: topics[topic]!.title, value: ({ name }) => name, wraps: true },
        { title: "Meaning", value: ({ about }) => about, wraps: true },
      ],
      entries,
      "",
    );
    const { after } = topics[topic]!;
    const lines = after?.split("\n").flatMap((line) => wrap(line, terminal.width));
    if (lines) terminal.out(`\n${lines.join("\n")}\n`);
  },
  document: ({ entries }) => entries,
  names: ({ entries }) => entries.map(({ name }) => name),
});

function parseTopic(text: string): string {
  if (Object.hasOwn(topics, text)) return text;
  const near = nearest(text, Object.keys(topics));
  throw new FormctlError(
    "USAGE",
    `"${text}" is neither a command nor a topic`,
    near ? `Did you mean ${near}?` : "See: formctl --help",
  );
}
