/** `formctl layouts preview --open` as a process, with a real browser. */

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { buildPreview } from "../../src/preview/build.ts";
import { openBrowser } from "../../src/preview/page/open-browser.ts";
import type { PreviewPage } from "../../src/preview/page/page.ts";
import { servePage } from "../../src/preview/page/serve-page.ts";
import { temporaryFolders } from "../temporary.ts";
import { errorsOf, keepScreenshot, useChromium } from "./chromium.ts";
import { NORTHWIND, sourceOf } from "./northwind.ts";

const browser = useChromium();
const emptyFolder = temporaryFolders();
const PROGRAM = join(import.meta.dirname, "..", "commands", "scripts", "typed.ts");

type Opened = {
  tab: Page;
  file: string;
  /** Replaces a text in the file. */
  edit: (from: string, to: string, how?: "in place" | "by renaming") => void;
  errors: string[];
  /** The addresses that the page requested, without the address of the page. */
  requests: string[];
  program: ChildProcess;
  ended: Promise<number | null>;
};

async function openTab(url: string): Promise<Pick<Opened, "tab" | "errors" | "requests">> {
  const context = await browser().newContext({ viewport: { width: 900, height: 420 } });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(120_000);
  const tab = await context.newPage();
  const errors = errorsOf(tab);
  const requests: string[] = [];
  tab.on("request", (request) => void requests.push(request.url().replace(url, "")));
  await tab.goto(url);
  return { tab, errors, requests };
}

/**
 * Previews the layout of "Candidate profile" in a copy of the manifests.
 *
 * @param prepare changes the text of the layout file before the program starts
 */
async function open(prepare: (text: string) => string = (text) => text): Promise<Opened> {
  const folder = emptyFolder();
  cpSync(join(NORTHWIND, "manifests"), folder, { recursive: true });
  cpSync(join(NORTHWIND, "organization.yaml"), join(folder, "organization.yaml"));
  const file = join(folder, "candidate-profile.layout.yaml");
  writeFileSync(file, prepare(readFileSync(file, "utf8")));
  const argv = [PROGRAM, "layouts", "preview", file, "--open", "-o", "json"];
  const env = { ...process.env, FORMCTL_HOME: emptyFolder(), BROWSER: "none" };
  const program = spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  program.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  const ended = new Promise<number | null>((resolve) => program.once("exit", resolve));
  onTestFinished(() => void program.kill("SIGKILL"));
  const stdout = new Promise<string>((resolve, reject) => {
    program.stdout.once("data", (text: Buffer) => resolve(text.toString()));
    void ended.then(() => reject(new Error(stderr)));
  });
  const { url } = JSON.parse(await stdout) as { url: string };
  const { tab, errors, requests } = await openTab(url);
  const edit: Opened["edit"] = (from, to, how = "in place") => {
    const text = readFileSync(file, "utf8");
    if (!text.includes(from)) throw new Error(`the file does not contain ${from}`);
    if (how === "in place") writeFileSync(file, text.replace(from, to));
    else {
      writeFileSync(`${file}~`, text.replace(from, to));
      renameSync(`${file}~`, file);
    }
  };
  return { tab, file, edit, errors, requests, program, ended };
}

it("is reached through the file that the browser opens, and only once", async () => {
  const served = await servePage({ title: "Layout preview", entries: [] });
  onTestFinished(() => served.stop());
  const context = await browser().newContext();
  onTestFinished(() => context.close());
  const path = emptyFolder();
  vi.stubEnv("PATH", path);
  vi.stubEnv("TMPDIR", path);
  writeFileSync(join(path, "xdg-open"), "#!/bin/sh\n", { mode: 0o755 });
  const { isOpen, remove } = openBrowser(served.startUrl, "linux");
  expect(await isOpen).toBe(true);
  const [folder = ""] = readdirSync(path).filter((name) => name.startsWith("formctl-preview-"));
  const file = pathToFileURL(join(path, folder, "preview.html")).href;
  const tab = await context.newPage();
  await tab.goto(file);
  await tab.waitForURL(served.url);
  expect(await tab.locator("h1").innerText()).toBe("Layout preview");
  const late = await context.newPage();
  await late.goto(file);
  await late.getByText("Not found").waitFor();
  remove();
  expect(readdirSync(path)).toEqual(["xdg-open"]);
});

describe("a served page", () => {
  // `npm run bench:preview` measures how long an update takes.
  it.each(["in place", "by renaming"] as const)("shows a file that was saved %s, without a request", async (how) => {
    const { tab, edit, errors, requests } = await open();
    const label = tab.locator("label", { hasText: "Legal name" }).first();
    expect(await label.count()).toBe(0);
    edit("label: Full name", "label: Legal name", how);
    await label.waitFor();
    expect({ errors, requests }).toEqual({ errors: [], requests: ["", "events"] });
  });

  it("keeps typed text, the mode, the tab, the focus and the scroll position", async () => {
    const { tab, edit } = await open();
    await tab.getByRole("radio", { name: "EDIT" }).check();
    const pane = tab.locator(".pane[data-mode=EDIT]");
    await pane.getByLabel("Full name").fill("Mia Park");
    await pane.getByLabel("Seniority").selectOption("senior");
    await pane.getByRole("checkbox", { name: "sap" }).check();
    await pane.getByRole("tab", { name: "Notes" }).click();
    await pane.locator("textarea").fill("speaks Korean");
    await tab.evaluate("document.activeElement.setSelectionRange(2, 5)");
    await tab.evaluate("scrollTo(0, 120)");
    edit("label: Notes}, requiredPolicy", "label: Remarks}, requiredPolicy");
    await pane.getByText("Remarks").waitFor();
    expect(await pane.getByLabel("Full name").inputValue()).toBe("Mia Park");
    expect(await pane.getByRole("tab", { selected: true }).allTextContents()).toEqual(["Notes"]);
    expect(await pane.locator("textarea").inputValue()).toBe("speaks Korean");
    expect(await pane.locator("select").inputValue()).toBe("senior");
    expect(await pane.locator("input[type=checkbox]:checked").count()).toBe(1);
    expect(await tab.getByRole("radio", { name: "EDIT" }).isChecked()).toBe(true);
    expect(await tab.evaluate("scrollY")).toBe(120);
    expect(
      await tab.evaluate(
        "[document.activeElement.tagName, document.activeElement.selectionStart, document.activeElement.selectionEnd]",
      ),
    ).toEqual(["TEXTAREA", 2, 5]);
    await tab.getByRole("status").getByText("Updated at").waitFor();
  });

  it("keeps no value for a field of another kind", async () => {
    const pageOf = (keys: Record<string, string>): PreviewPage => {
      const source = sourceOf("document-review", ({ blocks }) => {
        for (const block of blocks) block.ref = { fieldKey: keys[block.id ?? ""] ?? block.ref?.fieldKey };
      });
      return { title: "Layout preview", entries: [{ title: "review", preview: buildPreview(source), mode: "EDIT" }] };
    };
    const served = await servePage(pageOf({}));
    onTestFinished(() => served.stop());
    const { tab, errors } = await openTab(served.url);
    const pane = tab.locator(".pane[data-mode=EDIT]");
    await pane.getByLabel("Candidate").fill("Mia");
    await pane.getByLabel("Expires").fill("2026-03-02");
    await pane.getByLabel("Verified").check();
    served.update(pageOf({ f_candidate: "scan", f_expiry: "verified", f_verified: "issued_on" }));
    await pane.locator("input[type=file]").waitFor();
    expect(await pane.getByLabel("Expires").isChecked()).toBe(false);
    expect(await pane.getByLabel("Verified").inputValue()).toBe("");
    await tab.getByRole("status").getByText("Updated at").waitFor();
    expect(errors).toEqual([]);
  });

  it("shows the problems of an invalid file with its last readable form, until it is corrected", async () => {
    const { tab, edit } = await open();
    edit("schemaVersion: 1", "schemaVersion: [");
    await tab.getByText("The forms show the last readable content.").waitFor();
    expect(await tab.locator(".findings").first().innerText()).toMatch(
      /Error.*candidate-profile\.layout\.yaml:\d+:\d+/s,
    );
    expect(await tab.locator("main label", { hasText: "Full name" }).count()).toBe(2);
    await keepScreenshot(tab, "invalid-file");
    edit("schemaVersion: [", "schemaVersion: 1");
    await tab.getByText("The forms show the last readable content.").waitFor({ state: "detached" });
    edit("fieldKey: full_name", "fieldKey: fullname");
    const link = tab.getByRole("link", { name: /unknown field "fullname"/ });
    await link.click();
    expect(await tab.locator(":focus").innerText()).toMatch(/candidate-profile\.layout\.yaml:\d+/);
    edit("schemaVersion: 1", "schemaVersion: [");
    // The last readable content has an error, so it is not valid.
    await tab.getByText("The forms show the last readable content.").waitFor();
    expect(await link.count()).toBe(1);
  });

  it("shows the problems of a file that is invalid from the start, and the form after the correction", async () => {
    const { tab, edit } = await open((text) => text.replace("schemaVersion: 1", "schemaVersion: 2"));
    expect(await tab.locator(".findings").innerText()).toMatch(/Error.*candidate-profile\.layout\.yaml:\d+/s);
    edit("schemaVersion: 2", "schemaVersion: 1");
    await tab.locator("label", { hasText: "Full name" }).first().waitFor();
    expect(await tab.locator(".findings").count()).toBe(0);
  });

  it("ends with Ctrl-C, and reports it on the page", async () => {
    const { tab, program, ended } = await open();
    program.kill("SIGINT");
    expect(await ended).toBe(130);
    await tab.getByRole("status").getByText("Not connected").waitFor();
  });
});
