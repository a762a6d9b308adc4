/** The installed program: real processes of `bin/formctl.js`, each with an empty home. */

import { spawn } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { quoted } from "../../src/base/shell-quote.ts";
import { buildProgram } from "../built-program.ts";
import { searchOutput } from "../canary.ts";
import { perFile } from "../per-file.ts";
import { temporaryFolders } from "../temporary.ts";

export const ROOT = join(import.meta.dirname, "..", "..");
export const FORMCTL = join(ROOT, "bin", "formctl.js");
/** The command line of the program, without words. */
export const COMMAND = [process.execPath, FORMCTL];
/** The command line of the program for a shell. */
export const SHELL_COMMAND = COMMAND.map((word) => quoted(word)).join(" ");

buildProgram();

export type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type Circumstances = {
  home?: string;
  cwd?: string;
  env?: Record<string, string>;
  input?: string | Uint8Array;
};

/** A new, empty folder. */
export const emptyHome = temporaryFolders("on disk");

const demo = perFile(async () => {
  const home = emptyHome();
  const { code, stderr } = await formctl(["local", "init", "--demo"], { home });
  if (code !== 0) throw new Error(`local init --demo failed:\n${stderr}`);
  return home;
});

/** A new folder with the store of `local init --demo`. */
export async function demoHome(): Promise<string> {
  const home = emptyHome();
  cpSync(await demo(), home, { recursive: true });
  return home;
}

export function formctl(words: readonly string[], circumstances: Circumstances = {}): Promise<Ended> {
  return finished(process.execPath, [FORMCTL, ...words], circumstances);
}

/** Runs a line in a shell that finds `formctl`. A pipe fails if any of its commands fails. */
export function shell(line: string, circumstances: Circumstances = {}): Promise<Ended> {
  const env = { PATH: `${folderOnPath()}${delimiter}${process.env["PATH"]}`, ...circumstances.env };
  return finished("bash", ["-o", "pipefail", "-c", line], { ...circumstances, env });
}

/** Returns a folder with an executable `formctl`. */
export const folderOnPath = perFile(() => {
  const folder = emptyHome();
  const script = `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`;
  writeFileSync(join(folder, "formctl"), script, { mode: 0o755 });
  return folder;
});

export async function finished(program: string, words: readonly string[], where: Circumstances = {}): Promise<Ended> {
  const child = start(program, words, where);
  child.stdin.on("error", () => undefined);
  child.stdin.end(where.input ?? "");
  return ending(child);
}

export type Started = ReturnType<typeof start>;

/** Starts a process. Its standard input stays open. */
export function start(program: string, words: readonly string[], { home, cwd, env }: Circumstances = {}) {
  return spawn(program, words, { cwd: cwd ?? ROOT, env: environment(home ?? emptyHome(), env), stdio: "pipe" });
}

export function ending(child: Started): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      searchOutput(child.spawnargs.slice(1).join(" "), { stdout, stderr });
      resolve({ code, signal, stdout, stderr });
    });
  });
}

/** Returns an environment with its own home folder, without the variables of vitest. */
export function environment(home: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const foreign = /^(NODE_|VITEST|FORCE_TTY$)/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(own), HOME: home, FORMCTL_HOME: home, ...more };
}
