/** `formctl layouts preview --open` opens a browser only for a user at a terminal. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openBrowser } from "../../src/preview/page/open-browser.ts";
import { ordinaryUser } from "../ordinary-user.ts";
import { CTRL_C, LIMIT_MS, openPty } from "../pty.ts";
import { reasonElsewhereThanLinux, skipTests } from "../skip.ts";
import { temporaryFolders } from "../temporary.ts";
import { NORTHWIND } from "./northwind.ts";

const emptyFolder = temporaryFolders("on disk");
const PROGRAM = join(import.meta.dirname, "..", "commands", "scripts", "typed.ts");
const MANIFESTS = join(NORTHWIND, "manifests");

/**
 * Creates a folder with a program named `xdg-open`, which is the opener of Linux. The program records its argument, and
 * the addresses in the file of this name.
 */
function recordingOpener(exitCode: number, seconds: number) {
  const path = emptyFolder();
  const [record, files] = [join(path, "opened"), join(path, "files")];
  const script = `#!/bin/sh
sed -n 's/.*href="\\([^"]*\\)".*/\\1/p' "$1" > '${record}'
{ printf '%s\\n' "$1"; stat -c %a "$1" "\${1%/*}"; } > '${files}.new'
mv '${files}.new' '${files}'
sleep ${seconds}
exit ${exitCode}
`;
  writeFileSync(join(path, "xdg-open"), script, { mode: 0o755 });
  const linesOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : []);
  return { path, opened: () => linesOf(record), files: () => linesOf(files) };
}

type Options = {
  words?: string[];
  env?: Record<string, string>;
  exitCode?: number;
  /** How long the opener runs. */
  seconds?: number;
  opens: boolean;
};

/** Runs the command in a terminal until its output contains `text`, then presses Ctrl-C. */
async function run(text: RegExp, { words = [], env = {}, exitCode = 0, seconds = 0, opens }: Options) {
  const opener = recordingOpener(exitCode, seconds);
  const home = emptyFolder();
  const path = `${opener.path}${delimiter}${process.env["PATH"]}`;
  const command = [process.execPath, PROGRAM, "layouts", "preview", MANIFESTS, "--open", ...words];
  const pty = openPty(command, { home, columns: 100, rows: 20, env: { PATH: path, FORCE_COLOR: "0", ...env } });
  await pty.shows(text);
  // The opener starts after the address is printed.
  await expect.poll(() => !opens || opener.files().length > 0, { timeout: LIMIT_MS }).toBe(true);
  pty.type(CTRL_C);
  const { screen, exitCode: code } = await pty.ended();
  return { output: screen, opened: opener.opened(), files: opener.files(), code };
}

/** Reads the arguments of all processes again and again, as another user if this user is root. */
function watchArguments() {
  const script = "while :; do cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; echo; done";
  const watcher = spawn("sh", ["-c", script], { ...ordinaryUser(), cwd: "/", stdio: ["ignore", "pipe", "ignore"] });
  let seen = "";
  watcher.stdout.setEncoding("utf8").on("data", (text: string) => (seen += text));
  onTestFinished(() => void watcher.kill("SIGKILL"));
  return () => seen;
}

describe("the browser", () => {
  skipTests(reasonElsewhereThanLinux);

  it("is opened with an address of the same server that is not the printed one", async () => {
    const { output, opened, files, code } = await run(/Preview at http/, { opens: true });
    const [, printed = ""] = /Preview at (\S+)/.exec(output) ?? [];
    expect(opened.map((address) => new URL(address).origin)).toEqual([new URL(printed).origin]);
    expect(opened).not.toContain(printed);
    const [file = "", ...modes] = files;
    expect([modes, existsSync(dirname(file)), code]).toEqual([["600", "700"], false, 130]);
  });

  it("is opened without an address in the arguments of a process, which other users can read", async () => {
    const seen = watchArguments();
    const { output, files } = await run(/Preview at http/, { seconds: 10, opens: true });
    const [, printed = ""] = /Preview at (\S+)/.exec(output) ?? [];
    // The control: the watcher saw the program that opens the browser.
    await expect.poll(seen, { timeout: LIMIT_MS }).toContain(`xdg-open ${files[0]}`);
    const { origin } = new URL(printed);
    expect(
      seen()
        .split("\n")
        .filter((line) => line.includes(`${origin}/`)),
    ).toEqual([]);
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
    const { isOpen, remove } = openBrowser("http://127.0.0.1:1/", "win32");
    expect(await isOpen).toBe(false);
    remove();
  });
});
