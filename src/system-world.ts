/** The world that the executable runs in: this process, its terminal, its files, its clock, its signals. */

import { readFileSync } from "node:fs";
import { FormctlError } from "./error.ts";
import type { Keychain } from "./config/credentials.ts";
import type { Processes } from "./disk/hold.ts";
import type { Prompter } from "./terminal/prompter.ts";
import { sleep } from "./system-sleep.ts";
import { Interrupted } from "./terminal/interrupted.ts";
import { systemTerminal, type Terminal } from "./terminal/terminal.ts";

/** What a run touches of the world. Tests bring their own. */
export type World = {
  terminal(flags: { color?: boolean; quiet: boolean }): Terminal;
  /** Undefined where nobody can be asked. */
  prompter(terminal: Terminal, flags: { input: boolean }): Promise<Prompter | undefined>;
  env: Readonly<Record<string, string | undefined>>;
  /** @throws NO_WORKING_DIRECTORY */
  readonly cwd: string;
  readFile(path: string): Promise<Uint8Array>;
  now(): Date;
  /** Ends sooner when `until` is aborted. */
  sleep(milliseconds: number, until?: AbortSignal): Promise<void>;
  /** Undefined where the system has none. */
  keychain(): Promise<Keychain | undefined>;
  /** This process, and how to ask after others. */
  processes(): Promise<Processes>;
  /** Aborted when the program is told to end, with `Interrupted`: what lasts or waits then comes to its end. */
  readonly ending: AbortSignal;
  /**
   * Lets work that writes or lasts come to its end after Ctrl-C or SIGTERM, and answers with the signal's exit code then. What
   * only reads just stops.
   */
  finish(work: () => Promise<number>): Promise<number>;
};

export function systemWorld(): World {
  const { env } = process;
  let ending: AbortController | undefined;
  let cwd: string | undefined;
  return {
    terminal: (flags) => systemTerminal({ ...flags, env }),
    async prompter(terminal, { input }) {
      if (!terminal.inIsTTY || !terminal.errIsTTY) return undefined;
      const { canPrompt, systemPrompter } = await import("./terminal/prompter.ts");
      return canPrompt(terminal, { noInput: !input, env }) ? systemPrompter() : undefined;
    },
    env,
    get cwd() {
      return (cwd ??= workingDirectory());
    },
    readFile: async (path) => (path === "-" ? readStdin() : readFileSync(path)),
    now: () => new Date(),
    sleep,
    // A home of its own keeps everything, tokens too: two of them share nothing.
    keychain: async () => (env["FORMCTL_HOME"] ? undefined : (await import("./config/keychain.ts")).systemKeychain()),
    processes: async () => (await import("./system-processes.ts")).systemProcesses(),
    get ending() {
      return (ending ??= new AbortController()).signal;
    },
    finish: (work) => finish(work, (reason) => (ending ??= new AbortController()).abort(reason)),
  };
}

/** @throws NO_WORKING_DIRECTORY */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new FormctlError(
      "NO_WORKING_DIRECTORY",
      "the working directory can't be read: it was deleted, or access to it is denied",
      "Change to a folder that exists, and run the command again.",
      error,
    );
  }
}

/**
 * As a stream: it waits where somebody has made the pipe non-blocking. Nothing has been done yet while it waits, so that
 * a signal ends it.
 *
 * @throws Interrupted
 */
async function readStdin(): Promise<Uint8Array> {
  const { buffer } = await import("node:stream/consumers");
  const stop = (signal: NodeJS.Signals) => {
    process.stdin.destroy(new Interrupted(signal === "SIGTERM" ? EXIT_OF_SIGNAL.SIGTERM : EXIT_OF_SIGNAL.SIGINT));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await buffer(process.stdin);
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

/** Within this time two signals are one: a terminal's Ctrl-C reaches this process and its parent, which passes it on. */
const ONE_SIGNAL_MS = 200;

/**
 * A second signal stops at once.
 *
 * @param end tells work that lasts, waits or goes in steps, as a server's, to come to its end
 */
async function finish(work: () => Promise<number>, end: (reason: Interrupted) => void): Promise<number> {
  let interrupted: 130 | 143 | undefined;
  let since = 0;
  const handlers = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const handler = () => {
      const now = Date.now();
      if (interrupted === undefined) since = now;
      else if (now - since > ONE_SIGNAL_MS) process.exit(EXIT_OF_SIGNAL[signal]);
      interrupted ??= EXIT_OF_SIGNAL[signal];
      end(new Interrupted(interrupted));
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  try {
    const exitCode = await work();
    // A signal that came during the last step is heard only now.
    await new Promise(setImmediate);
    return interrupted ?? exitCode;
  } finally {
    for (const { signal, handler } of handlers) process.removeListener(signal, handler);
  }
}
