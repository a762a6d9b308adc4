/** The options that every command has. */

import { parseRequestRate } from "../config/request-rate.ts";
import { parseTimeout } from "../config/setting-rows.ts";
import { FormctlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";

export const OUTPUT_FORMATS = ["table", "wide", "json", "jsonl", "yaml", "name"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export type GlobalFlags = {
  output?: OutputFormat;
  query?: string;
  /** Print the result of the query without quotes. */
  raw: boolean;
  color?: boolean;
  quiet: boolean;
  verbose: boolean;
  /** False with `--no-input`, which disables prompts. */
  input: boolean;
  /** False with `--no-pager`. */
  pager: boolean;
  yes: boolean;
  profile?: string;
  tokenFile?: string;
  /** The checked text of a number of seconds. */
  timeout?: string;
  /** The checked text of the maximum number of requests per second. */
  maxRps?: string;
  local: boolean;
  store?: string;
  organization?: string;
  /** The file in which the exchanges with servers are recorded. */
  har?: string;
  harValues?: boolean;
};

/** The flags with their help texts, in the order of the help page. */
export const GLOBAL_OPTIONS: readonly (readonly [flags: string, about: string])[] = [
  ["-o, --output <format>", `Output format: ${OUTPUT_FORMATS.join(", ")}`],
  ["--json", "Short for -o json"],
  ["--query <expression>", "Select part of the JSON document (JMESPath)"],
  ["--raw", "With --query: print a text, number or list of them without quotes"],
  ["--profile <name>", "Use this profile"],
  ["--token-file <file>", "Read the token from this file; - is standard input"],
  ["--timeout <seconds>", "Timeout for each operation on a server"],
  ["--max-rps <number>", "Maximum number of requests per second to a server, such as 10 or 0.5"],
  ["--local", "Use the local store as the target"],
  ["--store <path>", "Use the store in this file, or in the PostgreSQL database at this URL"],
  ["--organization <key>", "Use this organization of a local store"],
  ["-y, --yes", "Confirm, except what requires its own flag"],
  ["--no-input", "Never prompt"],
  ["--no-pager", "Don't show long output in a pager"],
  ["--color", "Color the output even if it is not a terminal"],
  ["--no-color", "Don't color the output"],
  ["-q, --quiet", "Print no hints and no progress"],
  ["-v, --verbose", "Log each request to stderr"],
  [
    "--har <file>",
    "Record requests to servers and their answers in this file (HAR 1.2), without secrets and values; a local store has none",
  ],
  ["--har-values", "With --har: also record the values of config, metadata and defaults"],
];

/**
 * Reads the global flags.
 *
 * @param values the values from commander, by attribute name
 * @throws USAGE or SETTING_INVALID for a wrong value
 */
export function readGlobalFlags(values: Readonly<Record<string, unknown>>): GlobalFlags {
  const {
    output,
    json,
    query,
    raw,
    color,
    quiet,
    verbose,
    input,
    pager,
    yes,
    local,
    store,
    organization,
    profile,
    tokenFile,
    timeout,
    maxRps,
    har,
    harValues,
  } = values as {
    [K in keyof GlobalFlags]?: GlobalFlags[K];
  } & { output?: string; json?: boolean };
  if (json === true && output !== undefined && output !== "json") {
    throw new FormctlError("USAGE", `--json and -o ${output} can't be combined`, "Remove one of them.");
  }
  if (harValues === true && har === undefined)
    throw new FormctlError("USAGE", "--har-values requires --har", "Add --har FILE.");
  // A target on this machine uses neither. A wrong value is refused for each target.
  if (timeout !== undefined) parseTimeout(timeout);
  if (maxRps !== undefined) parseRequestRate(maxRps);
  return {
    ...definedMembers({ query, color, store, organization, profile, tokenFile, timeout, maxRps, har, harValues }),
    ...(json === true ? { output: "json" } : output === undefined ? {} : { output: parseOutput(output) }),
    raw: raw === true,
    quiet: quiet === true,
    verbose: verbose === true,
    input: input !== false,
    pager: pager !== false,
    yes: yes === true,
    local: local === true || store !== undefined,
  };
}

export function parseOutput(text: string): OutputFormat {
  const found = OUTPUT_FORMATS.find((format) => format === text);
  if (found) return found;
  const near = nearest(text, OUTPUT_FORMATS);
  throw new FormctlError(
    "USAGE",
    `the output format must be one of ${OUTPUT_FORMATS.join(", ")}, not "${text}"`,
    near && `Did you mean ${near}?`,
  );
}

/**
 * Omits undefined members. With the TypeScript option `exactOptionalPropertyTypes`, an optional member can't be
 * undefined.
 */
function definedMembers<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
