/** A terminal that keeps what is printed: for tests, and for whoever embeds the commands. */

import { createTerminal, type Terminal } from "./terminal.ts";

export type TestTerminal = Terminal & { readonly stdout: string; readonly stderr: string };

export type TestTerminalOptions = {
  color?: boolean;
  quiet?: boolean;
  env?: Record<string, string | undefined>;
  inIsTTY?: boolean;
  outIsTTY?: boolean;
  errIsTTY?: boolean;
  columns?: number;
  /** How many writes to stdout are taken before its reader goes away. */
  closeAfter?: number;
  /** What writing to stdout throws, as on a full disk. */
  outFails?: Error;
  /** The same of stderr. */
  errFails?: Error;
};

/** Without options: no terminal anywhere, as in a pipeline. */
export function testTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const text = { 1: "", 2: "" };
  let writes = 0;
  const terminal = createTerminal({
    color: options.color,
    quiet: options.quiet,
    env: options.env ?? {},
    isTTY: (fd) => [options.inIsTTY, options.outIsTTY, options.errIsTTY][fd] ?? false,
    columns: () => options.columns,
    write(fd, more) {
      if (fd === 1 && options.outFails) throw options.outFails;
      if (fd === 2 && options.errFails) throw options.errFails;
      if (fd === 1 && writes++ >= (options.closeAfter ?? Infinity)) return false;
      text[fd] += more;
      return true;
    },
  });
  // Defined on the object itself: spreading it would freeze what its getters say.
  return Object.defineProperties(terminal, {
    stdout: { get: () => text[1] },
    stderr: { get: () => text[2] },
  }) as TestTerminal;
}
