/**
 * Tests that the pictures in `docs/pictures` show the pages that the program writes. The pixels of a page depend on the
 * fonts of the machine, so the test compares the digest of each page with the digest of the page in the picture. To make
 * the pictures of changed pages: `npx vitest run test/e2e/page-pictures.test.ts -u`. This needs Chromium.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sha256 } from "../../src/base/sha256.ts";
import { startChromium } from "../preview/chromium.ts";
import { demoHome, formctl, ROOT } from "./program.ts";

const FOLDER = join(ROOT, "docs", "pictures");
const DIGESTS = join(FOLDER, "digests.txt");
const MAX_BYTES = 200_000;
const MAX_HEIGHT = 3000;

type Scheme = "light" | "dark";
type Picture = { name: string; page: string; width: number; scheme: Scheme };

/** Returns the pages of the demo: a layout, and a plan with a changed and a deleted form. */
async function demoPages(): Promise<Record<"layout" | "plan", string>> {
  const home = await demoHome();
  const run = async (...words: string[]) => {
    const { code, stderr } = await formctl(words, { home, cwd: home });
    if (code !== 0) throw new Error(`formctl ${words.join(" ")} failed:\n${stderr}`);
  };
  const page = (name: string) =>
    readFileSync(join(home, name), "utf8")
      .replaceAll(home, "/home/ana/.local/share/formctl")
      .replaceAll(/\bver_\w{24}\b/g, "ver_cxpxwh2smdlprvef3fa23f4r");
  await run("layouts", "preview", "staffing/candidate/Candidate profile", "--mode", "EDIT", "--out", "layout.html");
  await run("export", "staffing/candidate", "staffing/placement", "--into", "forms");
  const edit = (name: string, edits: Record<string, string>) => {
    const path = join(home, "forms", "staffing", "candidate", name);
    let text = readFileSync(path, "utf8");
    for (const [from, to] of Object.entries(edits)) {
      if (!text.includes(from)) throw new Error(`${name} does not contain ${from}`);
      text = text.replace(from, to);
    }
    writeFileSync(path, text);
  };
  edit("candidate-intake.yaml", { "title: Work with Northwind": "title: Join Northwind" });
  edit("candidate-intake.layout.yaml", { "colSpan: 6": "colSpan: 4", "label: Phone": "label: Telephone" });
  rmSync(join(home, "forms", "staffing", "placement", "placement-quick-add.yaml"));
  await run("plan", "forms", "--prune", "--html", "plan.html");
  return { layout: page("layout.html"), plan: page("plan.html") };
}

async function takePictures(pictures: readonly Picture[]): Promise<Map<string, Buffer>> {
  const taken = new Map<string, Buffer>();
  if (pictures.length === 0) return taken;
  const browser = await startChromium();
  try {
    for (const { name, page, width, scheme } of pictures) {
      // A browser draws only the layouts that the window shows.
      const context = await browser.newContext({ viewport: { width, height: MAX_HEIGHT }, colorScheme: scheme });
      const tab = await context.newPage();
      await tab.setContent(page);
      const { y, height } = (await tab.locator("main").boundingBox())!;
      taken.set(name, await tab.screenshot({ clip: { x: 0, y: 0, width, height: y + height } }));
      await context.close();
    }
    return taken;
  } finally {
    await browser.close();
  }
}

/** The width in the header of a PNG file. */
const widthOf = (png: Buffer) => png.readUInt32BE(16);

it("docs/pictures shows the current pages of the demo", async () => {
  const pages = await demoPages();
  const schemes: readonly Scheme[] = ["light", "dark"];
  const pictures = Object.entries({ layout: [390, 1200, 1920], plan: [1200] }).flatMap(([kind, widths]) =>
    widths.flatMap((width) =>
      schemes.map((scheme): Picture => {
        const page = pages[kind as keyof typeof pages];
        return { name: `${kind}-${width}-${scheme}.png`, page, width, scheme };
      }),
    ),
  );
  mkdirSync(FOLDER, { recursive: true });
  const known = existsSync(DIGESTS) ? readFileSync(DIGESTS, "utf8").split("\n") : [];
  const lineOf = ({ name, page }: Picture) => `${sha256(page)}  ${name}`;
  // The pictures precede their digests. Otherwise a run without Chromium could update the digests only.
  const taken = await takePictures(pictures.filter((picture) => !known.includes(lineOf(picture))));
  await expect(`${pictures.map(lineOf).join("\n")}\n`).toMatchFileSnapshot(DIGESTS);
  for (const [name, png] of taken) writeFileSync(join(FOLDER, name), png);
  const files = pictures.map(({ name }) => readFileSync(join(FOLDER, name)));
  expect(files.map(widthOf)).toEqual(pictures.map(({ width }) => width));
  expect(Math.max(...files.map(({ length }) => length))).toBeLessThan(MAX_BYTES);
});
