/** The installed program in a pseudo-terminal, with keys that are typed when a text appears. */

import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { onTestFinished } from "vitest";
import { searchOutput } from "../canary.ts";
import { emptyHome, environment, FORMCTL } from "./program.ts";

export const DOWN = "\u001B[B";
export const ENTER = "\r";
export const CTRL_C = "\u0003";

/** The keys to type when this text appears after the previous keys. */
export type Step = readonly [text: RegExp, keys: string];

export type Typed = {
  code: number;
  /** Everything that the terminal received, without control sequences. */
  screen: string;
  /** The steps whose text did not appear. */
  left: readonly Step[];
};

/** Runs `formctl` with words at a terminal of 80 columns. */
export async function typed(
  words: readonly string[],
  { home = emptyHome(), cwd, env }: { home?: string; cwd: string; env?: Record<string, string> },
  steps: readonly Step[],
): Promise<Typed> {
  const options = { cols: 80, rows: 40, cwd, env: environment(home, { TERM: "xterm", ...env }) };
  const program = spawn(process.execPath, [FORMCTL, ...words], options);
  const left = [...steps];
  let screen = "";
  let from = 0;
  let hasEnded = false;
  program.onData((data) => {
    screen += data;
    const [text, keys] = left[0] ?? [];
    if (!text?.test(stripVTControlCharacters(screen.slice(from))) || keys === undefined) return;
    left.shift();
    from = screen.length;
    program.write(keys);
  });
  onTestFinished(() => {
    if (!hasEnded) program.kill();
  });
  const code = await new Promise<number>((resolve) => program.onExit(({ exitCode }) => resolve(exitCode)));
  hasEnded = true;
  searchOutput(`formctl ${words.join(" ")}`, { stdout: screen, stderr: "" });
  return { code, screen: stripVTControlCharacters(screen), left };
}
