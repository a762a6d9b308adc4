/**
 * Suggests a command for words that name no command. Searches the whole tree for these matches, in this order:
 * - a phrase that users of other tools type
 * - a command for an address, such as `forms list` for `forms staffing/candidate`
 * - the same words in another order
 * - a synonym, such as `show` for `get`
 * - a similar name
 */

import { nearest } from "../base/nearest.ts";
import { findNode, type Group, isGroup, type Leaf, nameIn } from "./tree.ts";

/** The command for each phrase that users of other tools type after `formctl`. */
const HABITS: Readonly<Record<string, string>> = {
  // gh, npm, git
  login: "auth login",
  logout: "auth logout",
  whoami: "auth status",
  "auth token": "auth status",
  pull: "export",
  clone: "export",
  commit: "apply",
  deploy: "apply",
  sync: "apply",
  drift: "status",
  check: "validate",
  lint: "validate",
  test: "validate",
  start: "serve",
  run: "serve",
  "local serve": "serve",
  "local start": "serve",
  version: "--version",
  // terraform
  import: "export",
  refresh: "status",
  state: "status",
  // kubectl
  "cluster-info": "doctor",
  logs: "local log",
  "config view": "config list",
  "config show": "config list",
  "config edit": "config path",
  "config get-contexts": "profiles list",
  "config use-context": "profiles use",
  "config current-context": "config get profile",
  use: "profiles use",
  context: "profiles list",
  "context use": "profiles use",
  contexts: "profiles list",
  settings: "config list",
  "layouts assign": "layouts assignments set",
  "layouts unassign": "layouts assignments set",
  env: "help environment",
  // Records for which the API has no endpoint.
  objects: "local show",
  roles: "local show",
  members: "local show",
  organizations: "local show",
};

/**
 * Each row contains verbs with the same meaning. If several commands of a group match, the first of them in the row is
 * suggested.
 */
const RECORD_VERBS: readonly (readonly string[])[] = [
  ["get", "show", "describe", "view", "cat", "info", "inspect", "read", "display", "print"],
  ["list", "ls", "all", "index", "search", "find"],
  ["create", "add", "new", "make", "generate"],
  ["delete", "remove", "archive", "revoke", "clear", "rm", "del", "destroy", "drop"],
  ["update", "set", "edit", "change", "modify", "patch", "rename"],
];
const VERBS: readonly (readonly string[])[] = [
  ...RECORD_VERBS,
  ["push", "upload", "save", "put", "send", "write"],
  ["restore", "rollback", "revert", "undo"],
  ["diff", "compare"],
  ["publish", "release"],
  ["use", "switch", "select", "activate"],
  ["status", "whoami"],
  ["log", "logs", "history", "audit"],
  ["seed", "load"],
  ["scaffold", "template", "generate"],
  ["reset", "wipe", "clean"],
  ["preview", "open", "browse", "render", "draw"],
];

/**
 * The commands for verbs of records, for a group that has no command with the same meaning: `forms access list` is
 * `forms access show`. The first of them in the group is suggested.
 */
const RELATED: readonly { verbs: readonly string[]; commands: readonly string[] }[] = [
  { verbs: ["get", "list", "status"], commands: ["show", "get", "list", "status"] },
  { verbs: ["create", "update"], commands: ["grant", "set", "push", "add", "create", "update"] },
];

/** The names of commands from the root. */
type Path = readonly string[];

/**
 * Suggests a command.
 *
 * @param path the names from the root to the group without the command
 * @param words the unknown word and the arguments after it
 * @returns the complete command line without arguments. Undefined if no command is similar
 */
export function suggestCommand(path: Path, words: readonly string[]): string | undefined {
  const [word = ""] = words;
  const habit = habitOf([...path, ...words]);
  if (habit !== undefined) return `formctl ${habit}`;
  const group = findNode(path);
  if (!group || !isGroup(group)) return undefined;
  const found =
    byAddress(group, path, word) ?? byNoun(path, words) ?? inAncestors(path, words) ?? bySpelling(group, path, words);
  return found && ["formctl", ...found].join(" ");
}

/**
 * Finds the command in the group, or else in a group above it. A verb of records, such as `edit`, is not looked up
 * outside: another group has it for other records.
 */
function inAncestors(path: Path, words: readonly string[]): Path | undefined {
  const group = findNode(path) as Group;
  const isOfRecords = RECORD_VERBS.some((row) => row.includes(words[0] ?? ""));
  return (
    within(group, path, words) ?? (path.length === 0 || isOfRecords ? undefined : inAncestors(path.slice(0, -1), words))
  );
}

const rootGroup = () => findNode([]) as Group;

function habitOf(words: readonly string[]): string | undefined {
  for (const count of [2, 1]) {
    const phrase = words.slice(0, count).join(" ");
    if (words.length >= count && Object.hasOwn(HABITS, phrase)) return HABITS[phrase];
  }
  return undefined;
}

/** Suggests `forms list` for `forms staffing/candidate`, and `forms get` for a form's address. */
function byAddress({ commands }: Group, path: Path, word: string): Path | undefined {
  const slashes = word.split("/").length - 1;
  const verb = slashes === 1 ? "list" : "get";
  return slashes > 0 && Object.hasOwn(commands, verb) ? [...path, verb] : undefined;
}

/** Suggests `forms list` for `list forms` and `get forms`, and `forms get` for `get form`. */
function byNoun(path: Path, [verb = "", noun]: readonly string[]): Path | undefined {
  if (path.length > 0 || noun === undefined) return undefined;
  const place = nodesBelow(rootGroup(), []).find(([each, node]) => isGroup(node) && isSameNoun(each.at(-1)!, noun));
  if (!place) return undefined;
  const [groupPath, group] = place;
  const isPlural = noun.endsWith("s");
  return within(group as Group, groupPath, [isPlural && verb === "get" ? "list" : verb]);
}

const isSameNoun = (name: string, word: string) =>
  name === word || name === `${word}s` || word === `${name}s` || name === word.replace(/y$/, "ies");

/**
 * Finds the command that the words name in the group or below it. Also accepts the plural of a group and a synonym of a
 * verb.
 */
function within(group: Group, path: Path, [word = "", ...following]: readonly string[]): Path | undefined {
  const names = Object.keys(group.commands);
  const synonyms = VERBS.filter((row) => row.includes(word)).flat();
  const direct =
    nameIn(group, word) ??
    names.find((name) => isGroup(group.commands[name]!) && isSameNoun(name, word)) ??
    synonyms.find((verb) => names.includes(verb));
  if (direct !== undefined) return descend(group.commands[direct]!, [...path, direct], following);
  const related = RELATED.filter(({ verbs }) => verbs.some((verb) => synonyms.includes(verb)));
  const other = related.flatMap(({ commands }) => commands).find((verb) => names.includes(verb));
  if (other !== undefined && path.length > 0) return [...path, other];
  const nested = nodesBelow(group, path).find(([each]) => [word, ...synonyms].includes(each.at(-1)!));
  return nested && descend(nested[1], nested[0], following);
}

/** Finds the command with the most similar name: first in the group, then below it. */
function bySpelling(group: Group, path: Path, [word = "", ...following]: readonly string[]): Path | undefined {
  const direct = nearest(word, Object.keys(group.commands));
  if (direct !== undefined) return descend(group.commands[direct]!, [...path, direct], following);
  const below = nodesBelow(group, path);
  const name = nearest(
    word,
    below.map(([each]) => each.at(-1)!),
  );
  const found = below.find(([each]) => each.at(-1) === name);
  return found && descend(found[1], found[0], following);
}

/** Follows the remaining words into a group. Words that name none of its commands are arguments. */
function descend(node: Leaf | Group, path: Path, words: readonly string[]): Path {
  if (!isGroup(node) || words.length === 0) return path;
  return within(node, path, words) ?? bySpelling(node, path, words) ?? path;
}

/** Returns all commands and groups below a group. Nodes of a higher level come first. */
function nodesBelow(group: Group, path: Path): [Path, Leaf | Group][] {
  const own = Object.entries(group.commands).map(([name, node]): [Path, Leaf | Group] => [[...path, name], node]);
  return [...own, ...own.flatMap(([each, node]) => (isGroup(node) ? nodesBelow(node, each) : []))];
}
