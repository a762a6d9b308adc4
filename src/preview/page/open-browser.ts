/** Opens an address in the user's browser, with the standard program of the operating system. */

import { spawn } from "node:child_process";

/**
 * The program and its arguments, by platform. The default is xdg-open. The address is a separate argument, so that no
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

/** Opens a browser. @returns false if the program is missing or reports a failure */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    setTimeout(() => resolve(true), STARTED_MS).unref();
    // A browser may run for hours. formctl must not wait for the browser to exit.
    child.unref();
  });
}
