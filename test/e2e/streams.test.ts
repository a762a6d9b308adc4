/** The streams of the installed program: a reader that closes the pipe, and a real terminal with NO_COLOR. */

import { symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { describe, expect, it } from "vitest";
import { searchOutput } from "../canary.ts";
import { demoHome, environment, folderOnPath, ROOT, shell } from "./program.ts";

const ESCAPE = String.fromCharCode(27);

it.each([
  "formctl --help",
  "formctl help layouts",
  "formctl forms list staffing/candidate",
  "formctl layouts surfaces -o json",
  "formctl explain draft --recursive",
  "formctl schema Manifest",
  "formctl api GET /v1/currencies",
])("%s ends quietly if its reader takes one line", async (line) => {
  const home = await demoHome();
  const { code, stdout, stderr } = await shell(`${line} | head -1`, { home });
  expect({ code, lines: stdout.split("\n").length - 1, stderr }).toEqual({ code: 0, lines: 1, stderr: "" });
});

/** Runs a line of a shell in a real terminal. @returns the exit code, and everything that the terminal receives */
async function atTerminal(
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

/** Runs a line in the demo. @returns everything that the terminal receives */
async function screenOf(line: string, env: Record<string, string>): Promise<string> {
  const home = await demoHome();
  symlinkSync(join(ROOT, "examples"), join(home, "examples"));
  const { code, screen } = await atTerminal(line, { home, cwd: home, env });
  expect({ code, screen: code === 0 ? "" : screen }).toEqual({ code: 0, screen: "" });
  return screen;
}

describe("a real terminal with NO_COLOR", () => {
  it.each([
    "formctl forms list staffing/candidate",
    "formctl plan examples/northwind/manifests",
    "formctl explain layout.blocks.grid",
    "formctl help options",
    "formctl local check",
    'formctl layouts versions diff "staffing/placement/Placement desk" 1 draft',
  ])("receives no escape sequence from %s", async (line) => {
    expect(await screenOf(line, { NO_COLOR: "1" })).not.toContain(ESCAPE);
  });

  it("receives them without NO_COLOR (control)", async () => {
    expect(await screenOf("formctl forms list staffing/candidate", {})).toContain(ESCAPE);
  });
});
