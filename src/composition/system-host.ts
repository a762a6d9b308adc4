/** Provides the host of the executable: this process with its terminal, files, clock and signals. */

import { MAX_NAMED_BYTES } from "../base/file-limits.ts";
import { readWithin } from "../disk/read-file.ts";
import { FormctlError } from "../base/error.ts";
import { type EndSignal, EXIT_OF_SIGNAL } from "../base/exit-codes.ts";
import type { Host } from "../base/host.ts";
import { keychainOf, sleep, systemProcesses } from "./system-process.ts";
import { Interrupted } from "../terminal/interrupted.ts";
import type { EditorEnd } from "../terminal/editor.ts";
import type { Prompter } from "../terminal/prompter.ts";
import { systemTerminal, type Terminal } from "../terminal/terminal.ts";

/** The host of a command line: adds a terminal, prompts and the handling of signals. */
export type ProgramHost = Host & {
  terminal(flags: { color?: boolean; quiet: boolean; pager?: boolean }): Terminal;
  /** Undefined if the user can't be prompted. */
  prompter(terminal: Terminal, flags: { input: boolean }): Promise<Prompter | undefined>;
  /**
   * Opens a file in an editor and waits until the editor ends.
   *
   * @throws the system error if the editor can't be started
   */
  runEditor(command: string, path: string): Promise<EditorEnd>;
  /**
   * Runs work that a signal must not interrupt, such as a write. After SIGINT or SIGTERM, the work can finish its
   * current step (`Host.ending`). Then this function returns the exit code of the signal. A second signal ends the
   * process. For work outside this function, the first signal ends the process.
   *
   * @param options.endsOnSignal whether a signal is the normal end of the work. Then the exit code of the work is
   *   returned
   */
  finish(work: () => Promise<number>, options?: { endsOnSignal: boolean }): Promise<number>;
  /** Calls `handle` at each SIGHUP. Without a handler, SIGHUP ends the process. */
  onHangup(handle: () => void): void;
};

export function systemHost(): ProgramHost {
  // `library` deletes the token from `process.env`, so `env` is a copy if there is a token. Otherwise `env` is
  // `process.env` itself: on Windows, only this object ignores the case of names.
  const env = process.env["FORMCTL_TOKEN"] === undefined ? process.env : { ...process.env };
  let ending: AbortController | undefined;
  let cwd: string | undefined;
  return {
    terminal: (flags) => systemTerminal({ ...flags, env }),
    async prompter(terminal, { input }) {
      if (!terminal.inIsTTY || !terminal.errIsTTY) return undefined;
      const { canPrompt, systemPrompter } = await import("../terminal/prompter.ts");
      return canPrompt(terminal, { noInput: !input, env })
        ? systemPrompter((ending ??= new AbortController()).signal)
        : undefined;
    },
    env,
    get cwd() {
      return (cwd ??= workingDirectory());
    },
    readFile: async (path) => (path === "-" ? readStdin() : readWithin(path, MAX_NAMED_BYTES)),
    now: () => new Date(),
    sleep,
    keychain: () => keychainOf(env),
    processes: async () => systemProcesses(),
    library() {
      // Migrations are programs of the user in this process. They call the service and must not read the token.
      delete process.env["FORMCTL_TOKEN"];
      return import("../index.ts");
    },
    get ending() {
      return (ending ??= new AbortController()).signal;
    },
    async runEditor(command, path) {
      const { runEditor } = await import("../terminal/editor.ts");
      return runEditor(command, path, (ending ??= new AbortController()).signal);
    },
    finish: (work, options) => finish(work, (reason) => (ending ??= new AbortController()).abort(reason), options),
    onHangup: (handle) => void process.on("SIGHUP", handle),
  };
}

/** @throws NO_WORKING_DIRECTORY */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new FormctlError(
      "NO_WORKING_DIRECTORY",
      "the working directory can't be read: it was deleted, or permission is denied",
      "Change to an existing folder and run the command again.",
      error,
    );
  }
}

/**
 * Reads standard input as a stream. A synchronous read fails if another process has made the pipe non-blocking. A
 * signal ends the read.
 *
 * @throws Interrupted
 */
async function readStdin(): Promise<Uint8Array> {
  const { buffer } = await import("node:stream/consumers");
  const stop = (signal: NodeJS.Signals) => {
    process.stdin.destroy(new Interrupted(signal === "SIGTERM" ? signal : "SIGINT"));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await buffer(process.stdin);
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

/**
 * Ctrl-C sends a signal to this process and to its parent. A parent such as npm forwards the signal, so this process
 * may receive two signals. Two signals within this time count as one.
 */
const ONE_SIGNAL_MS = 200;

/**
 * The first signal ends the work after its current step. The second signal ends the process.
 *
 * @param end aborts `Host.ending`
 */
async function finish(
  work: () => Promise<number>,
  end: (reason: Interrupted) => void,
  { endsOnSignal = false } = {},
): Promise<number> {
  let first: EndSignal | undefined;
  let since = 0;
  const handlers = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const handler = () => {
      const now = Date.now();
      if (first === undefined) since = now;
      else if (now - since > ONE_SIGNAL_MS) process.exit(EXIT_OF_SIGNAL[signal]);
      first ??= signal;
      end(new Interrupted(first));
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  try {
    const own = await work();
    // If a signal arrived during the last step, its handler runs here.
    await new Promise(setImmediate);
    return endsOnSignal || first === undefined ? own : EXIT_OF_SIGNAL[first];
  } finally {
    for (const { signal, handler } of handlers) process.removeListener(signal, handler);
  }
}
