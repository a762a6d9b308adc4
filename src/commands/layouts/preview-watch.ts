/** Reads a preview again whenever one of its files changes. */

import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { watchFiles } from "../../disk/watch-file.ts";
import { LocatedError } from "../../documents/located-error.ts";
import { visible } from "../../terminal/escape.ts";
import type { CommandContext } from "../command.ts";
import { failureText } from "../print-failure.ts";
import type { Previewed, PreviewInput } from "./preview-source.ts";

/** The result of another read. After a failure, `error` is set, and `last` is the last result without a failure. */
export type PreviewUpdate = { last: Previewed; error: unknown };

/**
 * Calls `onUpdate` for each save of a file until the program ends.
 *
 * @param first the preview that is shown already
 */
export async function followPreview(
  { cwd, ending }: Pick<CommandContext, "cwd" | "ending">,
  input: PreviewInput,
  first: Previewed,
  onUpdate: (update: PreviewUpdate) => void | Promise<void>,
): Promise<void> {
  let last = first;
  const pathsOf = ({ files }: Previewed) => files.map((file) => resolve(cwd, file));
  const given = input.path === undefined ? [] : [resolve(cwd, input.path)];
  const failed = (error: unknown) => onUpdate({ last, error });
  let updates = Promise.resolve();
  /**
   * Starts an update after the end of all earlier updates. Otherwise an older content could replace a newer content. If
   * `isNew` returns false, the read content is not shown.
   */
  const enqueue = (isNew: (read: Previewed) => boolean = () => true) =>
    (updates = updates.catch(() => undefined).then(() => update(isNew)));
  const update = async (isNew: (read: Previewed) => boolean) => {
    let read: Previewed;
    try {
      read = await input.read();
    } catch (error) {
      return failed(error);
    }
    if (!isNew(read)) return;
    last = read;
    // A manifest may reference another layout file now.
    watch.add(pathsOf(read));
    await onUpdate({ last, error: undefined });
  };
  const watch = await watchFiles([...given, ...pathsOf(first)], {
    saved: () => enqueue(),
    failed: (error) => void failed(error),
  });
  try {
    // A file may have been saved between the first read and the start of the watch.
    if (input.path !== undefined) await enqueue(({ sources }) => !isDeepStrictEqual(sources, first.sources));
    if (!ending.aborted) await new Promise((end) => ending.addEventListener("abort", end, { once: true }));
  } finally {
    await watch.close();
  }
}

/**
 * Draws on the terminal until the program ends: for each save, and for each new size of the terminal. Prints the
 * failure of a read above the last drawing.
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
  let shown = { last: first, failure: "" };
  const draw = () => {
    terminal.clear();
    if (shown.failure !== "") terminal.out(`${shown.failure}\n`);
    print(shown.last);
    const note = shown.failure === "" ? "" : " The drawing shows the last readable content.";
    terminal.hint(`Watching ${visible(input.path ?? "")}.${note} Stop with Ctrl-C.`);
  };
  draw();
  const ignoreResize = terminal.onResize(draw);
  try {
    await followPreview(context, input, first, async ({ last, error }) => {
      shown = { last, failure: error === undefined ? "" : await describe(context, error) };
      draw();
    });
  } finally {
    ignoreResize();
  }
}

async function describe(context: CommandContext, error: unknown): Promise<string> {
  const sources = error instanceof LocatedError ? error.sources : new Map<string, string>();
  const { style, width } = context.terminal;
  return failureText(await context.describe(error), { style, width, sources, confirmation: (draftId) => draftId });
}
