/** The streams of the installed program: a reader that closes the pipe, and a real terminal with NO_COLOR. */

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import { describe, expect, it } from "vitest";
import { demoHome, environment, FORMCTL, ROOT, shell } from "./program.ts";

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

/** Runs the program in a terminal of 80 columns. @returns everything that the terminal receives */
async function atTerminal(words: readonly string[], env: Record<string, string>): Promise<string> {
  const home = await demoHome();
  symlinkSync(join(ROOT, "examples"), join(home, "examples"));
  const pty = spawn(process.execPath, [FORMCTL, ...words], {
    cols: 80,
    rows: 50,
    cwd: home,
    env: environment(home, { TERM: "xterm-256color", ...env }),
  });
  let screen = "";
  pty.onData((text) => (screen += text));
  const code = await new Promise((done) => pty.onExit(({ exitCode }) => done(exitCode)));
  expect(code).toBe(0);
  return screen;
}

describe("a real terminal with NO_COLOR", () => {
  it.each([
    "forms list staffing/candidate",
    "plan examples/northwind/manifests",
    "explain layout.blocks.grid",
    "help options",
    "local check",
    "layouts versions diff staffing/placement/Placement\\ desk 1 draft",
  ])("receives no escape sequence from formctl %s", async (line) => {
    const words = line.split(/(?<!\\) /).map((word) => word.replace("\\ ", " "));
    expect(await atTerminal(words, { NO_COLOR: "1" })).not.toContain(ESCAPE);
  });

  it("receives them without NO_COLOR (control)", async () => {
    expect(await atTerminal(["forms", "list", "staffing/candidate"], {})).toContain(ESCAPE);
  });
});
