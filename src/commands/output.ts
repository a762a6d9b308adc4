/** The answer on stdout: a view for a person, or one document for a script. */

import type { Terminal } from "../terminal/terminal.ts";
import { type Command, UsageError } from "./command.ts";
import type { OutputFormat } from "./global-flags.ts";

/** Prints what a command returned. `query` is a JMESPath expression on the document. */
export async function printResult(
  command: Pick<Command, "view" | "document" | "names" | "lasts">,
  result: unknown,
  { format, query, terminal }: { format: OutputFormat; query: string | undefined; terminal: Terminal },
): Promise<void> {
  if (format === "table") {
    if (query !== undefined) throw new UsageError("--query needs -o json, jsonl or yaml");
    command.view(result, terminal);
    return;
  }
  const document: unknown = command.document ? command.document(result) : result;
  if (format === "name") {
    const names = command.names ? command.names(result) : idsOf(document);
    const { safeLine, visible } = await import("../terminal/escape.ts");
    // A name that can be used has nothing hidden in it.
    if (names.length > 0) terminal.out(`${names.map((name) => safeLine(visible(name))).join("\n")}\n`);
    return;
  }
  const picked = query === undefined ? document : await pick(document, query);
  const { jsonText } = await import("../terminal/escape.ts");
  if (format === "json") terminal.out(`${jsonText(picked, command.lasts ? undefined : 2)}\n`);
  else if (format === "jsonl") {
    const lines = Array.isArray(picked) ? picked : [picked];
    for (const line of lines) terminal.out(`${jsonText(line)}\n`);
  } else {
    const { toYaml } = await import("../documents/write-yaml.ts");
    terminal.out(toYaml(picked));
  }
}

/** @throws UsageError when the expression can't be read */
async function pick(document: unknown, query: string): Promise<unknown> {
  const { search } = await import("@jmespath-community/jmespath");
  try {
    return search(document as Parameters<typeof search>[0], query) ?? null;
  } catch (error) {
    throw new UsageError(`--query can't be read: ${(error as Error).message}`, "See jmespath.org for the language.");
  }
}

/** The id of a record, or of each record of a list. */
function idsOf(document: unknown): string[] {
  const records = Array.isArray(document) ? document : [document];
  return records.flatMap((record: { id?: unknown; code?: unknown; key?: unknown } | null) => {
    const id = record?.id ?? record?.code ?? record?.key;
    return typeof id === "string" ? [id] : [];
  });
}
