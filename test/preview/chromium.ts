/** A headless Chromium for the tests of pages. */

import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import axe from "axe-core";
import { chromium as playwright, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { waitForLock } from "../../src/disk/process-lock.ts";
import { sleep, systemProcesses } from "../../src/composition/system-process.ts";

/** The folder of screenshots, which are kept for developers. Git ignores this folder. */
const SHOTS = join(import.meta.dirname, "..", "..", "test-artifacts");

/**
 * Starts one Chromium for the tests of a file. If Chromium can't start, the tests are skipped, with the
 * reason.
 *
 * @returns a function that returns the browser
 */
export function useChromium(): () => Browser {
  let browser: Browser | undefined;
  let reason = "";
  beforeAll(async () => {
    try {
      browser = await startChromium();
    } catch (error) {
      const [first = ""] = String(error instanceof Error ? error.message : error).split("\n");
      reason = `Chromium can't start: ${first}`;
    }
  });
  beforeEach((context) => context.skip(browser === undefined, reason));
  afterAll(() => browser?.close());
  return () => browser!;
}

/** Starts a headless Chromium. The caller closes it. */
export async function startChromium(): Promise<Browser> {
  // Without the arguments of the package: they turn off checks of the browser that these tests need.
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
  return playwright.launch({ executablePath: await unpackChromium(), args, headless: true });
}

/**
 * Unpacks Chromium on first use, into the folder of the run. Test files run concurrently, and each must find the whole
 * program.
 */
async function unpackChromium(): Promise<string> {
  const folder = join(tmpdir(), "formctl-chromium");
  mkdirSync(folder, { recursive: true });
  // On a busy machine, another test file may unpack for longer than the ten seconds for which formctl waits for a lock.
  const host = { processes: async () => systemProcesses(), sleep: (pause: number) => sleep(10 * pause) };
  const lock = await waitForLock(folder, { name: "lock", file: "chromium" }, host);
  try {
    return await chromium.executablePath();
  } finally {
    await lock.release();
  }
}

/** Records the errors of a page: errors of its script, and requests that its policy forbids. */
export function errorsOf(page: Page): string[] {
  const errors: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
  page.on("pageerror", (error) => void errors.push(String(error)));
  return errors;
}

/** Saves a screenshot of the whole page. On a busy machine, Chromium sometimes can't take one. No test depends on it. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true }).catch((error: unknown) => {
    if (!String(error).includes("Unable to capture screenshot")) throw error;
  });
}

/** Returns the violations that axe finds, each as the rule and the first element. */
export async function axeViolations(page: Page): Promise<string[]> {
  // The policy of the page forbids scripts, except scripts of the debugger.
  await page.evaluate(axe.source);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200)))`);
}
