/** The streams of the installed program: a reader that closes the pipe, and a real terminal with NO_COLOR. */

import { symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runInPty } from "../pty.ts";
import { demoHome, folderOnPath, ROOT, shell } from "./program.ts";

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

/** Runs a line in the demo. @returns everything that the terminal receives */
async function bytesOf(line: string, env: Record<string, string>): Promise<string> {
  const home = await demoHome();
  symlinkSync(join(ROOT, "examples"), join(home, "examples"));
  const path = `${folderOnPath()}${delimiter}${process.env["PATH"]}`;
  const options = { home, rows: 50, env: { PATH: path, TERM: "xterm-256color", ...env } };
  const { exitCode, bytes } = await runInPty(["bash", "-c", line], options);
  expect({ exitCode, screen: exitCode === 0 ? "" : bytes }).toEqual({ exitCode: 0, screen: "" });
  return bytes;
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
    expect(await bytesOf(line, { NO_COLOR: "1" })).not.toContain(ESCAPE);
  });

  it("receives them without NO_COLOR (control)", async () => {
    expect(await bytesOf("formctl forms list staffing/candidate", {})).toContain(ESCAPE);
  });
});
