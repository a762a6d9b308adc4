/** Prints a result on stdout: as a view for users, or as one document for scripts. No other module imports JMESPath. */

import { FormctlError, hasCode } from "../base/error.ts";
import type { LoadedSettings } from "../config/settings.ts";
import { isJsonObject } from "../schemas/json.ts";
import { jsonText, safeLine, visible } from "../terminal/escape.ts";
import { type Terminal, withoutWidth } from "../terminal/terminal.ts";
import type { Command } from "./command.ts";
import { type GlobalFlags, parseOutput, type OutputFormat } from "./global-flags.ts";

export type Output = {
  format: Exclude<OutputFormat, "wide">;
  /** Whether a table shows all columns and complete values (`-o wide`). */
  isWide: boolean;
  /** Whether the result of the query is printed without quotes (`--raw`). */
  isRaw: boolean;
  /** Evaluates `--query`. Undefined if there is no query. @throws USAGE if the evaluation fails */
  pick: ((document: unknown) => unknown) | undefined;
};

/** Returns the format that the command line or the settings specify. */
export function outputFormat(flags: GlobalFlags, settings: LoadedSettings): OutputFormat {
  const configured = settings.get("output");
  return flags.output ?? (configured === undefined ? "table" : parseOutput(configured));
}

/** Whether the settings specify a table. */
export function isTable(settings: LoadedSettings): boolean {
  return ["table", "wide"].includes(settings.get("output") ?? "table");
}

/**
 * Reads the output options before the command runs. Therefore the command writes nothing if an output option is
 * invalid.
 *
 * @throws USAGE if the query is invalid, or the options can't be combined
 */
export async function readOutput(flags: GlobalFlags, settings: LoadedSettings): Promise<Output> {
  const chosen = outputFormat(flags, settings);
  const format = chosen === "wide" ? "table" : chosen;
  const { query, raw: isRaw } = flags;
  const output = { format, isWide: chosen === "wide", isRaw, pick: undefined };
  if (query === undefined) {
    if (!isRaw) return output;
    throw new FormctlError("USAGE", "--raw requires --query", "Add --query EXPRESSION.");
  }
  if (isRaw && (format === "jsonl" || format === "yaml" || format === "name"))
    throw new FormctlError("USAGE", `--raw and -o ${format} can't be combined`, "Remove one of them.");
  if (!isRaw && (format === "table" || format === "name"))
    throw new FormctlError(
      "USAGE",
      `--query and -o ${chosen} can't be combined`,
      "Remove -o, or specify -o json, jsonl or yaml.",
    );
  return { ...output, format: isRaw ? "json" : format, pick: await readQuery(query) };
}

/** Prints the result of a command in the format of the output options. */
export async function printResult(
  command: Pick<Command, "view" | "document" | "names">,
  result: unknown,
  {
    output: { format, isRaw, isWide, pick },
    terminal,
    isDone,
    isOneLine = false,
  }: {
    output: Output;
    terminal: Terminal;
    /** Whether the command changed the target. After a change, a failed query prints the whole document. */
    isDone: boolean;
    /** Whether a JSON document is a single line. */
    isOneLine?: boolean;
  },
): Promise<void> {
  if (format === "table") {
    command.view(result, isWide ? withoutWidth(terminal) : terminal);
    return;
  }
  const document: unknown = command.document ? command.document(result) : result;
  if (format === "name") {
    const names = command.names ? command.names(result) : idsOf(document);
    // Escapes invisible characters. A name that scripts can use contains none, so such a name stays unchanged.
    if (names.length > 0) terminal.out(`${names.map((name) => safeLine(visible(name))).join("\n")}\n`);
    return;
  }
  const print = (value: unknown) => printDocument(value, format, { terminal, isOneLine });
  let picked: unknown;
  let raw: string | undefined;
  try {
    picked = pick ? pick(document) : document;
    raw = isRaw ? rawText(picked) : undefined;
  } catch (error) {
    if (!isDone || !hasCode(error, "USAGE")) throw error;
    await print(document);
    throw new FormctlError("USAGE", error.message, "The command is done, and stdout has the whole document.");
  }
  if (raw === undefined) await print(picked);
  else terminal.out(raw);
}

/**
 * Returns a text, number or boolean without quotes, and null as an empty line. Returns a list of such values as lines.
 *
 * @throws USAGE for an object, and for a list that contains an object or list
 */
function rawText(value: unknown): string {
  const lines = (Array.isArray(value) ? (value as unknown[]) : [value]).map(scalarText);
  if (lines.every((line) => line !== undefined)) return lines.map((line) => `${line}\n`).join("");
  throw new FormctlError(
    "USAGE",
    `--raw can't print ${Array.isArray(value) ? "a list of objects or lists" : "an object"}`,
    "Remove --raw, or select a text, a number or a list of them with --query.",
  );
}

/** Undefined for an object or list. */
function scalarText(value: unknown): string | undefined {
  if (value === null) return "";
  if (typeof value === "string") return value;
  return typeof value === "object" ? undefined : JSON.stringify(value);
}

async function printDocument(
  value: unknown,
  format: Output["format"],
  { terminal, isOneLine }: { terminal: Terminal; isOneLine: boolean },
): Promise<void> {
  if (format === "json" && isOneLine) terminal.out(`${jsonText(value)}\n`);
  else if (format === "json") printInParts(jsonParts(value), terminal);
  else if (format === "jsonl") {
    const lines = Array.isArray(value) ? value : [value];
    for (const line of lines) terminal.out(`${jsonText(line)}\n`);
  } else {
    const { toYaml } = await import("../documents/write-yaml.ts");
    if (Array.isArray(value) && value.length > 0) printInParts(yamlParts(value, toYaml), terminal);
    else terminal.out(toYaml(value));
  }
}

/** The number of characters that are printed at once. The whole text of a long document would need much memory. */
const PRINTED_AT_ONCE = 100_000;

function printInParts(parts: Iterable<string>, terminal: Terminal): void {
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length < PRINTED_AT_ONCE) continue;
    terminal.out(text);
    text = "";
  }
  terminal.out(text);
}

/**
 * Yields the text `jsonText(value, 2)` and a line feed in parts: one for each item of a list. The list is the document
 * or one of its members.
 */
function* jsonParts(document: unknown): Generator<string> {
  if (Array.isArray(document)) yield* items(document, "\n");
  else if (isJsonObject(document)) {
    let separator = "{";
    for (const [key, value] of Object.entries(document)) {
      if (value === undefined) continue;
      yield `${separator}\n  ${jsonText(key)}: `;
      separator = ",";
      if (Array.isArray(value)) yield* items(value, "\n  ");
      else yield indented(value, "\n  ");
    }
    yield separator === "{" ? "{}" : "\n}";
  } else yield jsonText(document);
  yield "\n";
}

function* items(list: readonly unknown[], lineFeed: string): Generator<string> {
  if (list.length === 0) {
    yield "[]";
    return;
  }
  for (const [index, item] of list.entries())
    yield `${index === 0 ? "[" : ","}${lineFeed}  ${indented(item, `${lineFeed}  `)}`;
  yield `${lineFeed}]`;
}

function indented(value: unknown, lineFeed: string): string {
  return jsonText(value, 2).replaceAll("\n", lineFeed);
}

/** Yields the YAML text of a list in parts, one for each item. */
function* yamlParts(list: readonly unknown[], toYaml: (value: unknown) => string): Generator<string> {
  for (const item of list) yield toYaml([item]);
}

const LANGUAGE = "The language is JMESPath: jmespath.org";

/** Compiles a query. @throws USAGE for a syntax error or an unknown function */
async function readQuery(query: string): Promise<(document: unknown) => unknown> {
  const { compile, isRegistered, TreeInterpreter } = await import("@jmespath-community/jmespath");
  type Data = Parameters<typeof TreeInterpreter.search>[1];
  let expression: ReturnType<typeof compile>;
  try {
    expression = compile(query);
  } catch (error) {
    throw new FormctlError("USAGE", `--query is invalid: ${(error as Error).message}`, LANGUAGE);
  }
  const unknown = functionsOf(expression).find((name) => !isRegistered(name));
  if (unknown !== undefined)
    throw new FormctlError("USAGE", `--query is invalid: unknown function ${unknown}()`, LANGUAGE);
  return (document) => {
    try {
      return TreeInterpreter.search(expression, document as Data) ?? null;
    } catch (error) {
      throw new FormctlError("USAGE", `--query can't be evaluated: ${(error as Error).message}`, LANGUAGE);
    }
  };
}

/**
 * Returns the names of the functions in an expression. JMESPath reports an unknown function only when the function is
 * called. With these names, `readQuery` reports an unknown function before the command runs.
 */
function functionsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(functionsOf);
  if (typeof node !== "object" || node === null) return [];
  const { type, name } = node as { type?: unknown; name?: unknown };
  // A literal may contain data that looks like a node.
  if (type === "Literal") return [];
  return [...(type === "Function" ? [String(name)] : []), ...Object.values(node).flatMap(functionsOf)];
}

/** Returns the id, code or key of a record, or of each record in a list. */
function idsOf(document: unknown): string[] {
  const records = Array.isArray(document) ? document : [document];
  return records.flatMap((record: { id?: unknown; code?: unknown; key?: unknown } | null) => {
    const id = record?.id ?? record?.code ?? record?.key;
    return typeof id === "string" ? [id] : [];
  });
}
