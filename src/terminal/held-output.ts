/** Holds the output of a command until the command ends. Then a pager can show the output. */

import { wrapped } from "./message.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Calls `print` with a terminal that holds its output: the result on stdout, and messages on stderr. Then prints the
 * held output in this order:
 *
 * 1. the messages before the result
 * 2. the result, in a pager if it is longer than the screen
 * 3. the messages after the result
 *
 * If stdout has no screen, holds nothing.
 */
export async function printPaged(terminal: Terminal, print: (screen: Terminal) => Promise<void> | void): Promise<void> {
  if (terminal.height === Infinity) return print(terminal);
  let result = "";
  let mayCommand = false;
  const before: (() => void)[] = [];
  const after: (() => void)[] = [];
  const hold = (message: () => void) => void (result === "" ? before : after).push(message);
  const held: Pick<Terminal, "out" | "line" | "err" | "hint" | "warn"> = {
    out(text, options = {}) {
      result += text;
      mayCommand ||= options.mayCommand === true;
    },
    line: (text) => held.out(wrapped(text, terminal.width)),
    err: (text) => hold(() => terminal.err(text)),
    hint: (text) => hold(() => terminal.hint(text)),
    warn: (text) => hold(() => terminal.warn(text)),
  };
  const screen: Terminal = Object.assign(Object.create(terminal) as Terminal, held);
  try {
    await print(screen);
  } finally {
    for (const message of before) message();
    await terminal.page(result, { mayCommand });
    for (const message of after) message();
  }
}
