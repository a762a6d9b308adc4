/** Runs a line of a shell in a real terminal of 80 columns. */

import { delimiter } from "node:path";
import { spawn } from "@lydell/node-pty";
import { searchOutput } from "../canary.ts";
import { environment, folderOnPath } from "./program.ts";

/** @returns the exit code, and everything that the terminal receives */
export async function atTerminal(
  line: string,
  { home, cwd, env }: { home: string; cwd: string; env?: Readonly<Record<string, string>> },
): Promise<{ code: number; screen: string }> {
  const more = { PATH: `${folderOnPath()}${delimiter}${process.env["PATH"]}`, TERM: "xterm-256color", ...env };
  const pty = spawn("bash", ["-c", line], { cols: 80, rows: 50, cwd, env: environment(home, more) });
  let screen = "";
  pty.onData((text) => (screen += text));
  const code = await new Promise<number>((done) => pty.onExit(({ exitCode }) => done(exitCode)));
  searchOutput(line, { stdout: screen, stderr: "" });
  return { code, screen };
}
