/** A terminal for tests, which records the output. */

import { createTerminal, type Terminal } from "../../src/terminal/terminal.ts";

export type TestTerminal = Terminal & { readonly stdout: string; readonly stderr: string };

export type TestTerminalOptions = {
  color?: boolean;
  quiet?: boolean;
  env?: Record<string, string | undefined>;
  inIsTTY?: boolean;
  outIsTTY?: boolean;
  errIsTTY?: boolean;
  columns?: number;
  rows?: number;
  /** The current time; the start of 2026 by default. */
  now?: () => Date;
  /** Receives the texts for the pager. By default, there is no pager. */
  showInPager?: (text: string) => Promise<boolean>;
  /** The number of writes to stdout before its reader closes the pipe. */
  closeAfter?: number;
  outFails?: Error;
  errFails?: Error;
};

/** Creates the terminal. By default, no stream is a terminal. */
export function testTerminal(options: TestTerminalOptions = {}): TestTerminal {
  const text = { 1: "", 2: "" };
  let writes = 0;
  const terminal = createTerminal({
    color: options.color,
    quiet: options.quiet,
    env: options.env ?? {},
    isTTY: (fd) => [options.inIsTTY, options.outIsTTY, options.errIsTTY][fd] ?? false,
    columns: () => options.columns,
    rows: () => options.rows,
    now: options.now ?? (() => new Date("2026-01-01T00:00:00Z")),
    ...(options.showInPager && { showInPager: options.showInPager }),
    write(fd, more) {
      if (fd === 1 && options.outFails) throw options.outFails;
      if (fd === 2 && options.errFails) throw options.errFails;
      if (fd === 1 && writes++ >= (options.closeAfter ?? Infinity)) return false;
      text[fd] += more;
      return true;
    },
  });
  // Defines properties, because spreading the terminal would evaluate its getters.
  return Object.defineProperties(terminal, {
    stdout: { get: () => text[1] },
    stderr: { get: () => text[2] },
  }) as TestTerminal;
}
