/** A headless Chromium for the tests of pages. */

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { chromium as playwright, type Browser, type Page } from "playwright-core";

/** Screenshots are kept here, so that a developer can look at them. Git ignores the folder. */
const SHOTS = join(import.meta.dirname, "..", "..", "test-artifacts");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Starts Chromium; where it can't start, returns the reason, for the note of skipped tests. */
export async function startChromium(): Promise<{ browser: Browser } | { reason: string }> {
  try {
    const executablePath = await chromium.executablePath();
    // Not the arguments of the package: they turn off checks of the web that these tests rely on.
    const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];
    return { browser: await playwright.launch({ executablePath, args, headless: true }) };
  } catch (error) {
    const [first = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return { reason: `Chromium can't start: ${first}` };
  }
}

/** Saves a screenshot of the whole page. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Returns the violations that axe finds, each as the rule and the first element. */
export async function axeViolations(page: Page): Promise<string[]> {
  // The policy of the page forbids scripts, but not those of the debugger.
  await page.evaluate(AXE);
  return page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes[0].html.slice(0, 200)))`);
}
