/**
 * A command line without a mistake, read by Node's own parser: it costs a fraction of commander, which is loaded to
 * print help and to say what is wrong. Whatever is not plain is undefined here, and commander's to judge.
 */

import { parseArgs } from "node:util";
import type { Command, Option } from "./command.ts";
import { GLOBAL_OPTIONS, readGlobalFlags } from "./global-flags.ts";
import { attributeName, type Invocation, longFlag, readArguments, readOptions } from "./invocation.ts";
import { type Group, isGroup, type Leaf, tree } from "./tree.ts";

type Parsed = { values: Readonly<Record<string, unknown>>; positionals: readonly string[] };
type ParserOption = { type: "string" | "boolean"; multiple?: boolean; short?: string };

/** @throws UsageError when a value is refused by its parser */
export async function readPlainLine(argv: readonly string[]): Promise<Invocation | undefined> {
  const path: string[] = [];
  const leaf = findLeaf(argv, path);
  if (!leaf) return undefined;
  const { default: command } = await leaf.load();
  const parsed = tryParse(argv, command);
  if (!parsed) return undefined;
  const { values, positionals } = parsed;
  if (path.some((name, index) => positionals[index] !== name)) return undefined;
  const words = positionals.slice(path.length);
  if (!fits(words.length, command)) return undefined;
  const { "dry-run": dryRun, ...given } = values;
  const flags = readGlobalFlags(byAttribute(given));
  const input = { ...readArguments(command, words), ...readOptions(command, byAttribute(given)) };
  return { command, path, input, flags, dryRun: dryRun === true };
}

/** The leaf that the words name, if they do so from the first. Collects its path. */
function findLeaf(argv: readonly string[], path: string[]): Leaf | undefined {
  let node: Group | Leaf = tree;
  for (const word of argv) {
    if (!isGroup(node)) return node;
    if (word.startsWith("-")) return undefined;
    const next: Group | Leaf | undefined = Object.hasOwn(node.commands, word) ? node.commands[word] : undefined;
    if (!next) return undefined;
    path.push(word);
    node = next;
  }
  return isGroup(node) ? undefined : node;
}

function tryParse(argv: readonly string[], command: Command): Parsed | undefined {
  // Without options there is nothing to parse, and the parser need not be loaded.
  if (!argv.some((word) => word.startsWith("-"))) return { values: {}, positionals: [...argv] };
  // An option together with its negation: the parser would take the last one.
  const names = new Set(argv.map((word) => word.replace(/=.*/s, "")));
  if ([...names].some((name) => name.startsWith("--no-") && names.has(name.replace("--no-", "--")))) return undefined;
  const options: Record<string, ParserOption> = {};
  const declared = [
    ...GLOBAL_OPTIONS.map(([flags]) => ({ flags, kind: flags.includes("<") ? ("value" as const) : ("flag" as const) })),
    ...Object.values(command.options),
    ...(command.writes === true ? [{ flags: "--dry-run", kind: "flag" as const }] : []),
  ];
  for (const option of declared) Object.assign(options, parserOption(option));
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, allowNegative: true, strict: true });
  } catch {
    return undefined;
  }
}

/** `--no-x` is the negation of `--x`, which the parser knows by itself. */
function parserOption({ flags, kind }: Pick<Option<unknown>, "flags" | "kind">): Record<string, ParserOption> {
  const name = longFlag(flags).slice(2);
  const short = /^-(\w),/.exec(flags)?.[1];
  if (kind === "flag" && name.startsWith("no-")) return {};
  return {
    [name]: {
      type: kind === "flag" ? "boolean" : "string",
      ...(kind === "list" && { multiple: true }),
      ...(short !== undefined && { short }),
    },
  };
}

/** Whether there are as many words as the command takes. */
function fits(count: number, { args }: Command): boolean {
  const declared = Object.values(args);
  const least = declared.filter(({ optional }) => !optional).length;
  const most = declared.some(({ kind }) => kind === "rest") ? Infinity : declared.length;
  return count >= least && count <= most;
}

function byAttribute(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [attributeName(`--${name}`), value]));
}
