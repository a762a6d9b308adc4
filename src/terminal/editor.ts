/** Finds the editor of the user, and runs it in this terminal. */

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { endSignalOf } from "./interrupted.ts";

/** An editor as a command line, and the environment variable that sets it. */
export type Editor = { command: string; variable: "VISUAL" | "EDITOR" | undefined };

export type EditorEnd = { exitCode: number | null; signal: NodeJS.Signals | null };

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the editor in VISUAL or EDITOR, or else the editor of the system. Undefined if there is none. */
export function findEditor(env: Env, platform: NodeJS.Platform = process.platform): Editor | undefined {
  for (const variable of ["VISUAL", "EDITOR"] as const) {
    const command = env[variable]?.trim();
    if (command) return { command, variable };
  }
  if (platform === "win32") return { command: "notepad", variable: undefined };
  return isOnPath("vi", env) ? { command: "vi", variable: undefined } : undefined;
}

function isOnPath(program: string, env: Env): boolean {
  const folders = (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Opens a file in an editor and waits until the editor ends. The editor writes to stderr, because stdout is only for
 * the result of the command. Ctrl-C in the terminal reaches the editor directly. SIGTERM is forwarded.
 *
 * @param command a command line, such as `code --wait`
 * @param ending aborted by the first signal that formctl receives
 * @throws the system's own error if the editor can't be started
 */
export function runEditor(command: string, file: string, ending: AbortSignal): Promise<EditorEnd> {
  const [program, words, options] = startOf(command, file);
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { ...options, stdio: ["inherit", 2, 2] });
    const forward = () => {
      if (endSignalOf(ending) !== "SIGINT") child.kill("SIGTERM");
    };
    ending.addEventListener("abort", forward);
    child.on("error", reject);
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
    child.on("close", () => ending.removeEventListener("abort", forward));
  });
}

/**
 * Returns the arguments of `spawn`. A command line with quotes, variables or other syntax needs a shell. On Windows,
 * every command line needs a shell.
 */
function startOf(command: string, file: string): [program: string, words: string[], options: { shell?: boolean }] {
  // Some editors on Windows are scripts (`code.cmd`). Only a shell can start a script.
  if (process.platform === "win32") return [`${command} "${file}"`, [], { shell: true }];
  if (!/^[\w@%+=:,./ -]+$/.test(command)) return ["/bin/sh", ["-c", `${command} "$@"`, command, file], {}];
  const [program = "", ...words] = command.split(" ").filter(Boolean);
  return [program, [...words, file], {}];
}
