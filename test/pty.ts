/** Runs programs in a pseudo-terminal: a test waits for text on the screen, types keys, and reads the outcome. */

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { searchOutput } from "./canary.ts";
import { perFile } from "./per-file.ts";

export const DOWN = "\u001B[B";
export const ENTER = "\r";
export const TAB = "\t";
/** Moves to the start of the line in a shell. */
export const CTRL_A = "\u0001";
export const CTRL_C = "\u0003";
/** Deletes the typed text. */
export const CTRL_U = "\u0015";

const CLEAR = "\u001B[2J";

/** Long enough for a busy machine, but shorter than the time limit of a test: the failure then shows the screen. */
export const LIMIT_MS = 240_000;

export type PtyOptions = {
  home: string;
  /** The working directory. Default: `home`. */
  cwd?: string;
  columns?: number;
  rows?: number;
  /** Further environment variables, besides PATH, HOME, FORMCTL_HOME and TERM. */
  env?: Readonly<Record<string, string>>;
  /** Whether stdout is a file, so that the terminal receives only stderr. */
  hasStdoutFile?: boolean;
};

export type PtyOutcome = {
  /** The exit code, or the negative number of the signal that ended the program. */
  exitCode: number;
  /** Everything that the terminal received, without escape sequences. */
  screen: string;
  /** Everything that the terminal received. */
  bytes: string;
  /** The content of the stdout file. Empty without `hasStdoutFile`. */
  stdout: string;
};

export type Pty = {
  /** The program's own process, also with `hasStdoutFile`. */
  readonly pid: number;
  /**
   * Waits for text that the terminal shows after the previous wait.
   *
   * @returns the text since the previous wait, or since the program cleared the screen
   * @throws Error if the program ends without the text
   */
  shows(text: RegExp): Promise<string>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  ended(): Promise<PtyOutcome>;
  /** Kills the program. */
  close(): Promise<void>;
};

/** When the terminal shows `shown`, the test types the keys or calls the function. */
export type Step = readonly [shown: RegExp, act: string | ((pty: Pty) => void)];

/** Runs a command, with steps in order. @throws if the terminal does not show the text of a step */
export async function runInPty(
  command: readonly string[],
  options: PtyOptions,
  steps: readonly Step[] = [],
): Promise<PtyOutcome> {
  const pty = openPty(command, options);
  for (const [shown, act] of steps) {
    await pty.shows(shown);
    if (typeof act === "string") pty.type(act);
    else act(pty);
  }
  return pty.ended();
}

const running = perFile(
  () => new Set<Pty>(),
  (ptys) => Promise.all([...ptys].map((pty) => pty.close())),
);

/** Starts a command. The command is killed after the tests of the file. */
export function openPty(command: readonly string[], options: PtyOptions): Pty {
  const { home, cwd = home, columns = 80, rows = 24, env, hasStdoutFile = false } = options;
  const stdoutFile = join(home, `stdout-${randomUUID()}`);
  // The program replaces the shell, so that the process of the terminal is the program.
  const line = hasStdoutFile ? ["sh", "-c", 'exec "$@" > "$STDOUT_FILE"', "sh", ...command] : command;
  const [file = "", ...words] = line;
  const program = spawn(file, words, {
    cols: columns,
    rows,
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      FORMCTL_HOME: home,
      TERM: "xterm",
      ...(hasStdoutFile && { STDOUT_FILE: stdoutFile }),
      ...env,
    },
  });

  let bytes = "";
  /** The length of the output at the end of the previous wait. */
  let seen = 0;
  let outcome: PtyOutcome | undefined;
  /** Checks whether the current wait is over. */
  let check: () => void = () => undefined;

  /** Calls `isOver` after each change until `isOver` returns true. */
  const until = (goal: string, isOver: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const finish = (problem?: string) => {
        clearTimeout(timer);
        check = () => undefined;
        if (problem === undefined) resolve();
        else reject(new Error(`${problem}: ${command.join(" ")}\nThe terminal received:\n${plain(bytes)}`));
      };
      const timer = setTimeout(() => {
        program.kill("SIGKILL");
        finish(`the terminal did not ${goal} in ${LIMIT_MS / 1000} seconds`);
      }, LIMIT_MS);
      check = () => {
        if (isOver()) finish();
        else if (outcome) finish(`the program ended with ${outcome.exitCode}, and the terminal did not ${goal}`);
      };
      check();
    });

  const pty: Pty = {
    pid: program.pid,
    async shows(text) {
      const shown = () => plain(bytes.slice(Math.max(seen, bytes.lastIndexOf(CLEAR))));
      await until(`show ${text}`, () => text.test(shown()));
      const result = shown();
      seen = bytes.length;
      return result;
    },
    type: (keys) => program.write(keys),
    resize: (...size) => program.resize(...size),
    async ended() {
      await until("close", () => outcome !== undefined);
      return outcome!;
    },
    async close() {
      if (!outcome) program.kill("SIGKILL");
      await pty.ended();
    },
  };
  const ptys = running();
  ptys.add(pty);
  program.onData((data) => {
    bytes += data;
    check();
  });
  program.onExit(({ exitCode, signal }) => {
    ptys.delete(pty);
    const screen = plain(bytes);
    const stdout = existsSync(stdoutFile) ? readFileSync(stdoutFile, "utf8") : "";
    searchOutput(command.join(" "), hasStdoutFile ? { stdout, stderr: screen } : { stdout: screen, stderr: "" });
    outcome = { exitCode: signal ? -signal : exitCode, screen, bytes, stdout };
    check();
  });
  return pty;
}

/** Removes escape sequences, and the carriage returns that a terminal adds. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll("\r\n", "\n");
}
