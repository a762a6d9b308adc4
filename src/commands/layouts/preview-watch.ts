/** Reads a preview again whenever one of its files changes. */

import { resolve } from "node:path";
import { watchFiles } from "../../disk/watch-files.ts";
import { LocatedError } from "../../documents/located-error.ts";
import { visible } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";
import { failureText } from "../print-failure.ts";
import type { Previewed, PreviewInput } from "./preview-source.ts";

/** The result of reading again. After a failure, `error` is set, and `last` is the last result without a failure. */
export type PreviewUpdate = { last: Previewed; error: unknown };

/**
 * Calls `onUpdate` after each change of a file, until the program ends.
 *
 * @param first what was read before
 */
export async function followPreview(
  { cwd, ending }: Pick<CommandContext, "cwd" | "ending">,
  input: PreviewInput,
  first: Previewed,
  onUpdate: (update: PreviewUpdate) => void | Promise<void>,
): Promise<void> {
  let last = first;
  let queue = Promise.resolve();
  const pathsOf = ({ files }: Previewed) => files.map((file) => resolve(cwd, file));
  const { path } = input;
  const given = path === undefined ? [] : [resolve(cwd, path)];
  const paths = [...given, ...pathsOf(first)];
  const watch = paths.length === 0 ? undefined : await watchFiles(paths, () => void (queue = queue.then(update)));
  async function update(): Promise<void> {
    if (ending.aborted) return;
    let error: unknown;
    try {
      last = await input.read();
      watch?.add(pathsOf(last));
    } catch (failure) {
      error = failure;
    }
    await onUpdate({ last, error });
  }
  if (!ending.aborted) await new Promise<void>((end) => ending.addEventListener("abort", () => end(), { once: true }));
  await watch?.close();
  await queue;
}

/**
 * Draws on the terminal after each change, until the program ends. If a file is broken, prints the failure above the
 * last drawing.
 *
 * @param print prints a drawing
 */
export async function watchOnTerminal(
  context: CommandContext,
  input: PreviewInput,
  first: Previewed,
  print: (previewed: Previewed) => void,
): Promise<void> {
  const { terminal } = context;
  const show = async ({ last, error }: PreviewUpdate) => {
    const failure = error === undefined ? "" : await describe(context, error);
    terminal.clear();
    terminal.out(failure === "" ? "" : `${failure}\n`);
    print(last);
    const note = error === undefined ? "" : " The drawing shows the last version without a failure.";
    terminal.hint(`Watching ${visible(input.path ?? "")}.${note} Stop with Ctrl-C.`);
  };
  await show({ last: first, error: undefined });
  await followPreview(context, input, first, show);
}

async function describe(context: CommandContext, error: unknown): Promise<string> {
  const sources = error instanceof LocatedError ? error.sources : new Map<string, string>();
  const { style } = context.terminal;
  return failureText(await context.describe(error), { style, sources, confirmation: (draftId) => draftId });
}
