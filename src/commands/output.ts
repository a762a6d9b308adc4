/** The answer on stdout: a view for a person, or one document for a script. */

import { FormctlError, hasCode } from "../error.ts";
import type { LoadedSettings } from "../config/settings.ts";
import { jsonText, safeLine, visible } from "../terminal/escape.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Command } from "./command.ts";
import { type GlobalFlags, parseOutput, type OutputFormat } from "./global-flags.ts";

/** How an answer is printed, with everything about it checked. */
export type Output = {
  format: OutputFormat;
  /** What `--query` picks of a document. @throws USAGE where the expression does not fit the document */
  pick: ((document: unknown) => unknown) | undefined;
};

/** The format that was asked for, or that the settings name. */
export function outputFormat(flags: GlobalFlags, settings: LoadedSettings): OutputFormat {
  const configured = settings.get("output");
  return flags.output ?? (configured === undefined ? "table" : parseOutput(configured));
}

/**
 * Reads what was asked of the output before a command runs, so that no mistake in it is found after a write.
 *
 * @throws USAGE for a format that takes no query, and for a query that can't be read
 */
export async function readOutput(flags: GlobalFlags, settings: LoadedSettings): Promise<Output> {
  const format = outputFormat(flags, settings);
  const { query } = flags;
  if (query === undefined) return { format, pick: undefined };
  if (format === "table" || format === "name") throw new FormctlError("USAGE", "--query needs -o json, jsonl or yaml");
  return { format, pick: await readQuery(query) };
}

/** Prints what a command returned. */
export async function printResult(
  command: Pick<Command, "view" | "document" | "names" | "lasts">,
  result: unknown,
  {
    output: { format, pick },
    terminal,
    isDone,
  }: {
    output: Output;
    terminal: Terminal;
    /** The command writes, and has run: a query that does not fit the document must not hide the document. */
    isDone: boolean;
  },
): Promise<void> {
  if (format === "table") {
    command.view(result, terminal);
    return;
  }
  const document: unknown = command.document ? command.document(result) : result;
  if (format === "name") {
    const names = command.names ? command.names(result) : idsOf(document);
    // A name that can be used has nothing hidden in it.
    if (names.length > 0) terminal.out(`${names.map((name) => safeLine(visible(name))).join("\n")}\n`);
    return;
  }
  const print = (value: unknown) => printDocument(value, format, { terminal, isOneLine: command.lasts !== undefined });
  let picked: unknown;
  try {
    picked = pick ? pick(document) : document;
  } catch (error) {
    if (!isDone || !hasCode(error, "USAGE")) throw error;
    await print(document);
    throw new FormctlError(
      "USAGE",
      error.message,
      "What the command was to do is done, and stdout has the whole document.",
    );
  }
  await print(picked);
}

async function printDocument(
  value: unknown,
  format: OutputFormat,
  { terminal, isOneLine }: { terminal: Terminal; isOneLine: boolean },
): Promise<void> {
  if (format === "json") terminal.out(`${jsonText(value, isOneLine ? undefined : 2)}\n`);
  else if (format === "jsonl") {
    const lines = Array.isArray(value) ? value : [value];
    for (const line of lines) terminal.out(`${jsonText(line)}\n`);
  } else {
    const { toYaml } = await import("../documents/write-yaml.ts");
    terminal.out(toYaml(value));
  }
}

const LANGUAGE = "See jmespath.org for the language.";

/** @throws USAGE when the expression can't be read, or calls a function that does not exist */
async function readQuery(query: string): Promise<(document: unknown) => unknown> {
  const { compile, isRegistered, TreeInterpreter } = await import("@jmespath-community/jmespath");
  type Data = Parameters<typeof TreeInterpreter.search>[1];
  let expression: ReturnType<typeof compile>;
  try {
    expression = compile(query);
  } catch (error) {
    throw new FormctlError("USAGE", `--query can't be read: ${(error as Error).message}`, LANGUAGE);
  }
  const unknown = functionsOf(expression).find((name) => !isRegistered(name));
  if (unknown !== undefined)
    throw new FormctlError("USAGE", `--query can't be read: unknown function ${unknown}()`, LANGUAGE);
  return (document) => {
    try {
      return TreeInterpreter.search(expression, document as Data) ?? null;
    } catch (error) {
      throw new FormctlError("USAGE", `--query does not fit the document: ${(error as Error).message}`, LANGUAGE);
    }
  };
}

/** The functions that an expression calls: without this look, an unknown one is found only where it is called. */
function functionsOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(functionsOf);
  if (typeof node !== "object" || node === null) return [];
  const { type, name } = node as { type?: unknown; name?: unknown };
  // A literal holds data, whatever that looks like.
  if (type === "Literal") return [];
  return [...(type === "Function" ? [String(name)] : []), ...Object.values(node).flatMap(functionsOf)];
}

/** The id of a record, or of each record of a list. */
function idsOf(document: unknown): string[] {
  const records = Array.isArray(document) ? document : [document];
  return records.flatMap((record: { id?: unknown; code?: unknown; key?: unknown } | null) => {
    const id = record?.id ?? record?.code ?? record?.key;
    return typeof id === "string" ? [id] : [];
  });
}
