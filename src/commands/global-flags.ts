/** The options that every command has. */

import { FormctlError } from "../error.ts";

export const OUTPUT_FORMATS = ["table", "json", "jsonl", "yaml", "name"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export type GlobalFlags = {
  output?: OutputFormat;
  query?: string;
  color?: boolean;
  quiet: boolean;
  verbose: boolean;
  /** False with `--no-input`: nobody is asked anything. */
  input: boolean;
  yes: boolean;
  profile?: string;
  tokenFile?: string;
  /** Seconds, as they were typed. */
  timeout?: string;
  local: boolean;
  store?: string;
  organization?: string;
};

/** Flags and their help, in the order of the help page. */
export const GLOBAL_OPTIONS: readonly (readonly [flags: string, about: string])[] = [
  ["-o, --output <format>", `How the answer is printed: ${OUTPUT_FORMATS.join(", ")}`],
  ["--json", "Short for -o json"],
  ["--query <expression>", "Pick from the JSON document (JMESPath)"],
  ["--profile <name>", "Work where this profile says"],
  ["--token-file <file>", "Read the token from this file; - is standard input"],
  ["--timeout <seconds>", "How long a server may take to answer"],
  ["--local", "Use the local store"],
  ["--store <path>", "Use the local store in this file"],
  ["--organization <key>", "Work in this organization of a local store"],
  ["-y, --yes", "Confirm what the command asks, but for what has a flag of its own"],
  ["--no-input", "Never ask anything"],
  ["--color", "Colour even where the output is no terminal"],
  ["--no-color", "No colour"],
  ["-q, --quiet", "No hints and no progress"],
  ["-v, --verbose", "Log each request to stderr"],
];

/** @param raw commander's values by attribute name */
export function readGlobalFlags(raw: Readonly<Record<string, unknown>>): GlobalFlags {
  const {
    output,
    json,
    query,
    color,
    quiet,
    verbose,
    input,
    yes,
    local,
    store,
    organization,
    profile,
    tokenFile,
    timeout,
  } = raw as {
    [K in keyof GlobalFlags]?: GlobalFlags[K];
  } & { output?: string; json?: boolean };
  if (json === true && output !== undefined && output !== "json") {
    throw new FormctlError("USAGE", `--json and -o ${output} contradict each other`, "Leave one of them out.");
  }
  return {
    ...definedMembers({ query, color, store, organization, profile, tokenFile, timeout }),
    ...(json === true ? { output: "json" } : output === undefined ? {} : { output: parseOutput(output) }),
    quiet: quiet === true,
    verbose: verbose === true,
    input: input !== false,
    yes: yes === true,
    local: local === true || store !== undefined,
  };
}

export function parseOutput(text: string): OutputFormat {
  const found = OUTPUT_FORMATS.find((format) => format === text);
  if (found) return found;
  throw new FormctlError("USAGE", `the output format must be one of ${OUTPUT_FORMATS.join(", ")}, not "${text}"`);
}

/** The members that have a value: with exact optional types, absent and undefined are different words. */
function definedMembers<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
