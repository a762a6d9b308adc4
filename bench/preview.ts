/**
 * Measures the time from the save of a layout file to the change of its page:
 * `npm run bench:preview [-- --saves 40] [-- --check]`.
 *
 * Runs `layouts preview --open` and a headless Chromium. A script in the page records when the page changes. The
 * control saves a file 200 ms late: the run fails if the measured time is not longer than 200 ms.
 */

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import chromium from "@sparticuz/chromium";
import { chromium as playwright } from "playwright-core";
import { median, missedTargets, report } from "./figures.ts";

// A change within 100 ms looks immediate.
const LIMIT_MS = 100;
const { values } = parseArgs({
  options: { saves: { type: "string", default: "40" }, check: { type: "boolean", default: false } },
});

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "formctl-bench-"));
// Chromium is unpacked into the folder for temporary files, and a program that is there already would be run.
process.env["TMPDIR"] = folder;
cpSync(join(root, "examples", "northwind"), folder, { recursive: true });
const file = join(folder, "manifests", "candidate-profile.layout.yaml");

const argv = [join(root, "bin", "formctl.js"), "layouts", "preview", file, "--open", "-o", "json"];
const env = { ...process.env, FORMCTL_HOME: folder, BROWSER: "none" };
const program = spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
const answer = await new Promise<string>((resolve) => program.stdout.once("data", (text) => resolve(String(text))));
const { url } = JSON.parse(answer) as { url: string };
const browser = await playwright.launch({
  executablePath: await chromium.executablePath(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});

try {
  const page = await browser.newPage();
  await page.goto(url);
  await page.evaluate(`new MutationObserver(() => { window.changedAt = Date.now(); })
    .observe(document.getElementById("content"), { childList: true })`);
  let label = "label: Full name";

  /** Saves a new label. @returns the milliseconds until the page changes */
  async function save(name: string, delay = 0): Promise<number> {
    const text = readFileSync(file, "utf8");
    if (!text.includes(label)) throw new Error(`the file does not contain ${label}`);
    const start = Date.now();
    await setTimeout(delay);
    writeFileSync(file, text.replace(label, `label: ${name}`));
    label = `label: ${name}`;
    await page.locator("label", { hasText: name }).first().waitFor();
    return (await page.evaluate<number>("window.changedAt")) - start;
  }

  await save("Warm-up");
  const times: number[] = [];
  for (let index = 0; index < Number(values.saves); index++) times.push(await save(`Name ${index} end`));
  const usual = median(times);
  report({
    name: `from save to page, ${times.length} saves`,
    value: `${usual.toFixed(0)} ms`,
    yardstick: `${LIMIT_MS} ms`,
    ratio: usual / LIMIT_MS,
    target: { most: 1 },
  });
  if ((await save("Late", 200)) < 200) throw new Error("the control is not slower: this run measures nothing");
  if (values.check && missedTargets() > 0) process.exitCode = 1;
} finally {
  await browser.close();
  program.kill();
  rmSync(folder, { recursive: true, force: true });
}
