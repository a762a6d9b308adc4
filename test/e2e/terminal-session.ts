/** The installed program in a real terminal, as its user sees it. */

import { spawn } from "@lydell/node-pty";
import { environment, FORMCTL, ROOT } from "./program.ts";

export type Session = {
  /** All bytes that the program wrote to the terminal. */
  screen: string;
  exitCode: number;
};

export type SessionOptions = {
  home: string;
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** The keys that are typed when the screen matches, in order. */
  keys?: readonly (readonly [when: RegExp, keys: string])[];
};

/** Runs `formctl` with words in a terminal. */
export async function terminalSession(words: readonly string[], options: SessionOptions): Promise<Session> {
  const { home, columns = 80, rows = 24, env = {}, keys = [] } = options;
  const pty = spawn(process.execPath, [FORMCTL, ...words], {
    cols: columns,
    rows,
    cwd: ROOT,
    env: { TERM: "xterm", ...environment(home, env), CI: "" },
  });
  const left = [...keys];
  let screen = "";
  let seen = 0;
  pty.onData((data) => {
    screen += data;
    const [when, typed] = left[0] ?? [];
    if (!when?.test(screen.slice(seen)) || typed === undefined) return;
    left.shift();
    seen = screen.length;
    pty.write(typed);
  });
  const exitCode = await new Promise<number>((resolve) =>
    pty.onExit((exit) => resolve(exit.signal ? 128 + exit.signal : exit.exitCode)),
  );
  return { screen, exitCode };
}
