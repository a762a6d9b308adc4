/** `formctl help TOPIC`: prints a help topic. */

import { FormctlError } from "../error.ts";
import { SETTINGS } from "../config/setting-rows.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { nearest } from "../nearest.ts";
import { printTable } from "../terminal/table.ts";
import { wrap } from "../terminal/width.ts";
import { argument, defineCommand } from "./command.ts";

type Entry = { name: string; about: string };

/** Environment variables that are not settings. */
const VARIABLES: Entry[] = [
  { name: "FORMCTL_TOKEN", about: "Token for the server of an option, the environment or your user file" },
  { name: "HTTPS_PROXY, NO_PROXY", about: "Proxy for requests to other machines, and its exceptions" },
  { name: "NODE_EXTRA_CA_CERTS", about: "File with the certificates of additional trusted authorities" },
  { name: "FORMCTL_HOME", about: "Folder for all files of formctl: settings, tokens and store" },
  { name: "XDG_CONFIG_HOME, XDG_DATA_HOME", about: "Folders for settings and the store without FORMCTL_HOME" },
  { name: "NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", about: "Whether the output is colored" },
  { name: "FORMCTL_PAGER, PAGER", about: "Pager for output that is longer than the screen; empty or cat for none" },
  { name: "CI", about: "If set, formctl never prompts" },
  {
    name: "FORMCTL_REF, GITHUB_SHA, CI_COMMIT_SHA",
    about: "Commit that apply records in published layouts; the first one that is set is used",
  },
];

const MANIFESTS: Entry[] = [
  { name: "kind: Form", about: "A form of an object, identified by object and name. Required: object, name, types" },
  {
    name: "kind: Layout",
    about:
      "A layout that no form owns, identified by surface, target and name. Required: name, surface, supportedModes",
  },
  { name: "renamedFrom", about: "Previous name: the existing record is renamed instead of created again" },
  { name: "layout", about: "Path of a NAME.layout.yaml relative to this file, or the draft itself" },
  { name: "publish", about: "false: save the draft without publishing it" },
  {
    name: "confirmFieldChanges",
    about: "Draft ids of staged changes whose effects are confirmed",
  },
  { name: "isActive, isPublic, config", about: "State and config of a form" },
  { name: "defaultFor", about: "Modes for which the form is the default of its object; [] for none" },
  { name: "access", about: "Access matrix of a form: users and roles, each with types" },
  { name: "metadata", about: "Custom metadata of a layout, an object" },
  { name: "assignments", about: "Assignments of a layout: organizationDefault, and roles with priority" },
  {
    name: "role, member",
    about: "Names, resolved by the local store or by references in formctl.yaml. Alternatives: roleId, membershipId",
  },
  {
    name: "${NAME}",
    about:
      "In a value: an environment variable, which must be set. Quote it inside [ ] and { }. Plans show its value and the service stores it, so don't use it for secrets. Names that start with FORMCTL_ are refused. If formctl.yaml has variables: [NAME, …], only these names are accepted",
  },
  { name: "${NAME:-default}", about: "The same with a default value for a variable that is not set or empty" },
  { name: "$${", about: "The literal characters ${" },
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
    after: `Members that a manifest omits are not changed. A file may contain several manifests, separated by ---; a folder is read with
all its files. A value that consists of one \${…} is parsed as YAML where a number, true, false or null is expected; elsewhere it is text.
Commands: formctl validate, plan, apply, status, export, schema`,
  },
};

export default defineCommand({
  examples: [
    "formctl help exit-codes",
    "formctl help environment",
    "formctl help manifests",
    "formctl help forms list",
  ],
  args: { topic: argument("TOPIC", Object.keys(topics).join(", "), parseTopic, Object.keys(topics)) },
  options: {},
  run: (_context, { topic }) => Promise.resolve({ topic, entries: topics[topic]!.entries() }),
  view({ topic, entries }, terminal) {
    printTable(
      terminal,
      [
        { title: topics[topic]!.title, value: ({ name }) => name, essential: true },
        { title: "Meaning", value: ({ about }) => about, essential: true },
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
    `must be a command or a topic, not "${text}"`,
    near ? `Did you mean ${near}?` : "See the commands: formctl --help",
  );
}
