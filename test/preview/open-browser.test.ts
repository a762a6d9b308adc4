/** `formctl layouts preview --open` opens a browser only for a user at a terminal. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBrowser } from "../../src/preview/page/open-browser.ts";
import { CTRL_C, LIMIT_MS, openPty } from "../pty.ts";
import { reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";
import { NORTHWIND } from "./northwind.ts";

const emptyFolder = temporaryFolders("on disk");
const PROGRAM = join(import.meta.dirname, "..", "commands", "scripts", "typed.ts");
const MANIFESTS = join(NORTHWIND, "manifests");

/**
 * Creates a folder with a program named `xdg-open`, which is the opener of Linux. The program records its arguments.
 */
function recordingOpener(exitCode: number): { path: string; opened: () => string[] } {
  const path = emptyFolder();
  const record = join(path, "opened");
  writeFileSync(join(path, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${record}'\nexit ${exitCode}\n`, {
    mode: 0o755,
  });
  return { path, opened: () => (existsSync(record) ? readFileSync(record, "utf8").trimEnd().split("\n") : []) };
}

type Options = { words?: string[]; env?: Record<string, string>; exitCode?: number; opens: boolean };

/** Runs the command in a terminal until its output contains `text`, then presses Ctrl-C. */
async function run(text: RegExp, { words = [], env = {}, exitCode = 0, opens }: Options) {
  const opener = recordingOpener(exitCode);
  const home = emptyFolder();
  const path = `${opener.path}${delimiter}${process.env["PATH"]}`;
  const command = [process.execPath, PROGRAM, "layouts", "preview", MANIFESTS, "--open", ...words];
  const pty = openPty(command, { home, columns: 100, rows: 20, env: { PATH: path, FORCE_COLOR: "0", ...env } });
  await pty.shows(text);
  // The opener starts after the address is printed.
  await expect.poll(() => !opens || opener.opened().length > 0, { timeout: LIMIT_MS }).toBe(true);
  pty.type(CTRL_C);
  const { screen, exitCode: code } = await pty.ended();
  return { output: screen, opened: opener.opened(), code };
}

describe("the browser", () => {
  skipTests(reasonElsewhereThanLinux);

  it("is opened with an address of the same server that is not the printed one", async () => {
    const { output, opened, code } = await run(/Preview at http/, { opens: true });
    const [, printed = ""] = /Preview at (\S+)/.exec(output) ?? [];
    expect(opened.map((address) => new URL(address).origin)).toEqual([new URL(printed).origin]);
    expect(opened).not.toContain(printed);
    expect(code).toBe(130);
  });

  it.each([{ words: ["--no-browser"] }, { env: { BROWSER: "none" } }])("is not opened with %o", async (options) => {
    const { opened, code } = await run(/Stop with Ctrl-C/, { ...options, opens: false });
    expect([opened, code]).toEqual([[], 130]);
  });

  it("is left to the user if it can't be opened", async () => {
    const { output, code } = await run(/No browser was opened/, { exitCode: 3, opens: true });
    expect(output).toContain("Preview at http");
    expect(code).toBe(130);
  });

  it("reports that the program to open one is missing", async () => {
    expect(await openBrowser("http://127.0.0.1:1/", "win32")).toBe(false);
  });
});
