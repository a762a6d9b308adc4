/** The topics of `formctl help TOPIC`. */

import { SETTINGS } from "../config/setting-rows.ts";
import { EXIT_CODES } from "../base/exit-codes.ts";
import { GLOBAL_OPTIONS } from "./global-flags.ts";
import type { HelpEntry } from "./command.ts";
import { LAYOUT_TERMS, LAYOUTS_AFTER } from "./help-layouts.ts";
import { longFlag } from "./invocation.ts";

export type Topic = {
  /** The description of the topic in a list of topics. */
  about: string;
  /** The title of the first column. */
  title: string;
  entries(): HelpEntry[];
  /** Text after the table. Lines that start with a space are examples. */
  after?: string;
};

/** Environment variables that are not settings. */
const VARIABLES: HelpEntry[] = [
  { name: "FORMCTL_TOKEN", about: "Token for the server of an option, the environment or your user file" },
  { name: "HTTPS_PROXY, NO_PROXY", about: "Proxy for requests to other machines, and its exceptions" },
  { name: "NODE_EXTRA_CA_CERTS", about: "File with the certificates of additional trusted authorities" },
  { name: "FORMCTL_HOME", about: "Folder for settings, tokens and the store" },
  { name: "XDG_CONFIG_HOME, XDG_DATA_HOME", about: "Folders for settings and the store without FORMCTL_HOME" },
  { name: "XDG_CACHE_HOME", about: "Folder for compiled code, with which commands start sooner" },
  { name: "NODE_DISABLE_COMPILE_CACHE", about: "If set, no compiled code is kept" },
  { name: "NO_COLOR, FORCE_COLOR, CLICOLOR, CLICOLOR_FORCE", about: "Whether the output is colored" },
  { name: "FORMCTL_PAGER, PAGER", about: "Pager for output that is longer than the screen; empty or cat for none" },
  { name: "CI", about: "If set, formctl never prompts" },
  {
    name: "TRACEPARENT",
    about: "Trace of the pipeline (W3C Trace Context), sent to servers as the header traceparent",
  },
  {
    name: "FORMCTL_REF, GITHUB_SHA, CI_COMMIT_SHA",
    about: "Commit that apply records in published layouts; the first one that is set is used",
  },
];

/** The overview of the manifest format. `formctl explain` describes each member. */
const MANIFESTS: HelpEntry[] = [
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

const variableOf = (flags: string) =>
  Object.values<{ env: string; flag?: string }>(SETTINGS).find(
    ({ flag }) => flag !== undefined && (flag === longFlag(flags) || flags.startsWith(`${flag},`)),
  )?.env;

export const TOPICS: Readonly<Record<string, Topic>> = {
  layouts: {
    about: "Regions, blocks, sources, nesting, grid, tabs, modes, drafts and publishing",
    title: "In a layout",
    entries: () => LAYOUT_TERMS,
    after: LAYOUTS_AFTER,
  },
  manifests: {
    about: "The members of a manifest",
    title: "In a manifest",
    entries: () => MANIFESTS,
    after: `Members that a manifest omits are not changed. A file may contain several manifests, separated by ---; a folder is read with
all its files. A value that consists of one \${…} is parsed as YAML where a number, true, false or null is expected; elsewhere it is text.

Each member: formctl explain form, formctl explain layout

Commands: formctl validate, plan, apply, status, export, schema`,
  },
  options: {
    about: "The options of all commands, with their environment variables",
    title: "Option",
    entries: () => [
      ...GLOBAL_OPTIONS.map(([flags, about]) => {
        const variable = variableOf(flags);
        return { name: flags, about: variable === undefined ? about : `${about} (variable: ${variable})` };
      }),
      { name: "-h, --help", about: "Show the help of the command" },
      { name: "-V, --version", about: "Print the version" },
    ],
    after: "All variables: formctl help environment",
  },
  environment: {
    about: "The environment variables",
    title: "Variable",
    entries: () => [...Object.values(SETTINGS).map(({ env, about }) => ({ name: env, about })), ...VARIABLES],
  },
  "exit-codes": {
    about: "The exit codes of formctl",
    title: "Code",
    entries: () => Object.entries(EXIT_CODES).map(([name, about]) => ({ name, about })),
  },
};
