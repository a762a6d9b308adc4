/** Runs the program in a real terminal. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { searchOutput } from "../canary.ts";

const PROGRAM = fileURLToPath(new URL("scripts/program.ts", import.meta.url));
const FAILS_AFTER_MS = 30_000;

/** The keys of a user. */
export const DOWN = "\u001B[B";
export const ENTER = "\r";
export const TAB = "\t";
export const CTRL_C = "\u0003";

/** When the screen shows the text, the user types the keys. */
export type Reaction = [shown: RegExp, keys: string];

export type PtyOutcome = {
  exitCode: number;
  /** Everything that the terminal received, without escape sequences. */
  screen: string;
  stdout: string;
};

/** Runs a command line with stdin and stderr at a terminal of 80 columns, and stdout in a file. */
export async function atTerminal(
  where: { home: string; cwd: string; env?: Readonly<Record<string, string>> },
  words: readonly string[],
  reactions: readonly Reaction[],
): Promise<PtyOutcome> {
  const left = [...reactions];
  const file = join(where.home, `stdout-${Math.random()}`);
  const pty = spawn("sh", ["-c", `"$NODE" "$PROGRAM" "$@" > "$OUT"`, "sh", ...words], {
    cols: 80,
    rows: 24,
    cwd: where.cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      TERM: "xterm",
      FORMCTL_HOME: where.home,
      NODE: process.execPath,
      PROGRAM,
      OUT: file,
      ...where.env,
    },
  });
  let all = "";
  let unread = "";
  pty.onData((data) => {
    all += data;
    unread += data;
    const [shown, keys] = left[0] ?? [];
    if (!shown?.test(plain(unread)) || keys === undefined) return;
    left.shift();
    unread = "";
    pty.write(keys);
  });
  const timer = setTimeout(() => pty.kill("SIGKILL"), FAILS_AFTER_MS);
  const exitCode = await new Promise<number>((resolve) => pty.onExit((exit) => resolve(exit.exitCode)));
  clearTimeout(timer);
  const screen = plain(all);
  const stdout = readFileSync(file, "utf8");
  searchOutput(`formctl ${words.join(" ")}`, { stdout, stderr: screen });
  if (left.length > 0) throw new Error(`the terminal did not show ${left[0]![0]}:\n${screen}`);
  return { exitCode, screen, stdout };
}

/** Removes escape sequences. */
function plain(text: string): string {
  return stripVTControlCharacters(text);
}
