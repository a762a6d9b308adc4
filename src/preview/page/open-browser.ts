/** Opens an address in the user's browser, with the program of the operating system that opens addresses. */

import { spawn } from "node:child_process";

/**
 * The program and its arguments, by platform; by default xdg-open. The address is an argument of its own, so that no
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

/** A program that still runs after this time is a browser, or has started one, so it counts as successful. */
const STARTED_MS = 3_000;

/** Opens a browser. @returns false if the program is missing or reports a failure */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    setTimeout(() => resolve(true), STARTED_MS).unref();
    // A browser may run until the user closes it. formctl must not wait for it.
    child.unref();
  });
}
