/** The generated reference: docs/reference and the man pages. `npm run reference` writes them. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { paragraphsOf } from "./reference/chapter.ts";
import { referenceFiles } from "./reference/pages.ts";
import { tree } from "../src/commands/tree.ts";
import manifest from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..");
const files = await referenceFiles(manifest.version);

it("matches the commands", async () => {
  for (const [path, text] of files) await expect(text).toMatchFileSnapshot(join(ROOT, path));
  const onDisk = ["docs/reference", "man"].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
  );
  // Delete the pages of a command that no longer exists.
  expect(onDisk.filter((path) => !files.has(path))).toEqual([]);
});

it("has a page for each command at the top of the tree, and installs the man pages", () => {
  const names = Object.keys(tree.commands);
  expect(names.filter((name) => !files.has(`docs/reference/${name}.md`))).toEqual([]);
  expect(manifest.man.toSorted()).toEqual(
    ["formctl", ...names.map((name) => `formctl-${name}`)].map((name) => `./man/${name}.1`).toSorted(),
  );
  expect(manifest.files).toContain("man");
});

it("links only to headings and pages that exist", () => {
  const anchorsOf = (path: string) =>
    [...(files.get(path) ?? "").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
  const targets = [...files].flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => {
      const [page = "", anchor] = target.split("#");
      return { path, target, file: page === "" ? path : `docs/reference/${page}`, anchor };
    }),
  );
  expect(targets.length).toBeGreaterThan(60);
  const broken = targets.filter(
    ({ file, anchor }) => !files.has(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

it("has man pages in which only macros begin with a dot, in ASCII", () => {
  const macros = /^(?:\.\\" .*|\.(?:TH|SH|SS|TP|B|BR|br|PP|nf|fi)(?: .*)?|[^.'].*)$/;
  for (const [path, text] of files) {
    if (!path.startsWith("man/")) continue;
    const wrong = text
      .trimEnd()
      .split("\n")
      .filter((line) => !macros.test(line) || /[^\x20-\x7E]/.test(line));
    expect({ path, wrong }).toEqual({ path, wrong: [] });
    expect(text.match(/^\.nf$/gm)?.length).toBe(text.match(/^\.fi$/gm)?.length);
  }
});

it("separates paragraphs and examples of a help text", () => {
  expect(paragraphsOf("One\ntwo.\n\nIn a file:\n  a:\n    b\n\nThree.")).toEqual([
    { kind: "text", text: "One two." },
    { kind: "text", text: "In a file:" },
    { kind: "code", lines: ["a:", "  b"] },
    { kind: "text", text: "Three." },
  ]);
});
