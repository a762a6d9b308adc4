/** Opens an address in the user's browser, with the standard program of the operating system. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { html } from "./html.ts";

/**
 * The program and its arguments, by platform. The default is xdg-open. The file is a separate argument, so that no
 * shell interprets it.
 */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Whether a browser may be opened: the user has not set `BROWSER=none`. */
export function mayOpenBrowser(env: Readonly<Record<string, string | undefined>>): boolean {
  return env["BROWSER"] !== "none";
}

/**
 * A program that still runs after this time is a browser, or has opened a browser. Then the call counts as successful.
 */
const STARTED_MS = 3_000;

export type OpenedBrowser = {
  /** False if the program is missing or reports a failure. */
  isOpen: Promise<boolean>;
  /** Removes the file that the browser opens. */
  remove: () => void;
};

/**
 * Opens a browser with a file that redirects to the address. The address is in no argument, because other users of the
 * machine can read the arguments of programs. They can't read the file.
 */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): OpenedBrowser {
  let folder: string | undefined;
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    folder = mkdtempSync(join(tmpdir(), "formctl-preview-"));
    const file = join(folder, "preview.html");
    writeFileSync(file, redirectTo(url), { flag: "wx", mode: 0o600 });
    return { isOpen: start(file, platform), remove };
  } catch {
    // No file can be written. The user opens the printed address.
    return { isOpen: Promise.resolve(false), remove };
  }
}

function redirectTo(url: string): string {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="referrer" content="no-referrer" />
      <meta http-equiv="refresh" content="0;url=${url}" />
      <title>formctl</title>
      <a href="${url}">Open the preview</a>
    </html> `.text;
}

function start(file: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, file], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    setTimeout(() => resolve(true), STARTED_MS).unref();
    // A browser may run for hours. formctl must not wait for the browser to exit.
    child.unref();
  });
}
