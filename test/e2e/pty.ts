/** Runs the installed program in a real terminal, with an editor that follows a list of steps. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { searchOutput } from "../canary.ts";
import { environment, FORMCTL } from "./program.ts";

/** What the editor does: `run` is a command of node that it waits for, `waits` keeps it open. */
export type EditorStep = {
  replace?: [from: string, to: string];
  run?: string[];
  remove?: boolean;
  exitCode?: number;
  waits?: boolean;
};

export const DOWN = "\u001B[B";
export const ENTER = "\r";
export const CTRL_C = "\u0003";

/** When the screen shows the text, the user types the keys, or the test acts. */
export type Reaction = [shown: RegExp, keys: string | ((pid: number) => void)];

const EDITOR = `${process.execPath} ${fileURLToPath(new URL("scripts/editor.ts", import.meta.url))}`;
const FAILS_AFTER_MS = 60_000;

export type PtyOutcome = {
  exitCode: number;
  /** Everything that the terminal received, without escape sequences. */
  screen: string;
  stdout: string;
  /** The texts that the editor opened. */
  opened: string[];
  /** The paths of the edited files that still exist. */
  kept: string[];
};

/** Runs a command line with stdin and stderr at a terminal of 80 columns, and stdout in a file. */
export async function inTerminal(
  { home, env = {} }: { home: string; env?: Record<string, string> },
  words: readonly string[],
  { steps, reactions = [], editor = EDITOR }: { steps: EditorStep[]; reactions?: Reaction[]; editor?: string },
): Promise<PtyOutcome> {
  const plan = join(home, `steps-${Math.random()}.json`);
  const out = `${plan}.stdout`;
  writeFileSync(plan, JSON.stringify(steps));
  const more = { EDITOR: editor, EDITOR_STEPS: plan, TERM: "xterm", NODE: process.execPath, FORMCTL, OUT: out, ...env };
  // The program replaces the shell, so that the process of the terminal is the program.
  const pty = spawn("sh", ["-c", `exec "$NODE" "$FORMCTL" "$@" > "$OUT"`, "sh", ...words], {
    cols: 80,
    rows: 24,
    cwd: home,
    env: environment(home, more),
  });
  const left = [...reactions];
  let all = "";
  let unread = "";
  pty.onData((data) => {
    all += data;
    unread += data;
    const [shown, react] = left[0] ?? [];
    if (!shown?.test(stripVTControlCharacters(unread)) || react === undefined) return;
    left.shift();
    unread = "";
    if (typeof react === "string") pty.write(react);
    else react(pty.pid);
  });
  const timer = setTimeout(() => pty.kill("SIGKILL"), FAILS_AFTER_MS);
  const exitCode = await new Promise<number>((resolve) =>
    // The program itself ends with an exit code: a signal of the system is reported as a negative number.
    pty.onExit(({ exitCode: code, signal }) => resolve(signal ? -signal : code)),
  );
  clearTimeout(timer);
  const screen = stripVTControlCharacters(all).replaceAll("\r\n", "\n");
  const stdout = readFileSync(out, "utf8");
  searchOutput(`formctl ${words.join(" ")}`, { stdout, stderr: screen });
  if (left.length > 0) throw new Error(`the terminal did not show ${left[0]![0]}:\n${screen}`);
  const lines = existsSync(`${plan}.opened`) ? readFileSync(`${plan}.opened`, "utf8").trim().split("\n") : [];
  return { exitCode, screen, stdout, opened: lines.map((line) => JSON.parse(line) as string), kept: keptIn(home) };
}

function keptIn(home: string): string[] {
  const folder = join(home, "edits");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((one) =>
    readdirSync(join(folder, one))
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => join(folder, one, name)),
  );
}
