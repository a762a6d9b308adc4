/** Prints a list whenever it changes (`--watch`). */

import { FormctlError } from "../base/error.ts";
import { isJsonObject } from "../schemas/json.ts";
import { jsonText } from "../terminal/escape.ts";
import type { Command, CommandContext } from "./command.ts";
import { type Output, printResult } from "./output.ts";
import { withStdinKept } from "./read-input.ts";

export type WatchedList = {
  command: Command;
  input: Record<string, unknown>;
  output: Output;
  /** The time between two reads, in seconds. */
  interval: number;
};

/**
 * Reads the list repeatedly, until the user presses Ctrl-C or stdout is closed. On a terminal, a changed list replaces
 * the previous list. With `-o jsonl`, prints each changed record as a line. Prints `{"id", "deleted": true}` for a
 * record that is no longer listed.
 *
 * @throws USAGE for `-o json`, `yaml` and `name`, because stdout would not be one document
 * @throws the reason of `ending` after a signal
 */
export async function watchList(
  { command, input, output, interval }: WatchedList,
  context: CommandContext,
): Promise<number> {
  const { terminal, ending } = context;
  const { format } = output;
  if (format !== "table" && format !== "jsonl") {
    const hint = "Use -o jsonl, which prints each changed record on a line, or a table.";
    throw new FormctlError("USAGE", `--watch and -o ${format} can't be combined`, hint);
  }
  const rereadable = withStdinKept(context);
  const changesOf = changedRecords();
  let shown: string | undefined;
  while (!terminal.closed) {
    const result = await command.run(rereadable, input);
    const document = command.document ? command.document(result) : result;
    const text = jsonText(document);
    if (text !== shown && format === "table") {
      terminal.clear();
      await printResult(command, result, { output, terminal, isDone: false });
    } else if (text !== shown) {
      const view = { ...command, document: () => changesOf(document) };
      await printResult(view, result, { output, terminal, isDone: false });
    }
    shown = text;
    terminal.status(`Reading every ${interval} s. Press Ctrl-C to end.`);
    await context.sleep(interval * 1000, ending);
    if (ending.aborted) throw ending.reason;
  }
  return 0;
}

/**
 * Returns a function that compares a document with the document of the previous call. The function returns the changed
 * records, and an entry for each deleted record.
 */
function changedRecords(): (document: unknown) => unknown[] {
  let known = new Map<unknown, string>();
  return (document) => {
    const records = (Array.isArray(document) ? document : [document]).filter(isJsonObject);
    const current = new Map(records.map((record) => [record["id"], jsonText(record)]));
    const changed = records.filter(({ id }) => known.get(id) !== current.get(id));
    const deleted = [...known.keys()].filter((id) => !current.has(id)).map((id) => ({ id, deleted: true }));
    known = current;
    return [...changed, ...deleted];
  };
}
