/**
 * Tests that README.md, its picture and docs/command-line.md show the real output of the program. To update them:
 * `npx vitest run test/e2e/readme.test.ts -u`.
 */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { tier } from "../effort.ts";
import { runInPty } from "../pty.ts";
import { demoHome, folderOnPath, ROOT, shell } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";
import { terminalPicture } from "./terminal-picture.ts";

const COMMANDS = join(ROOT, "docs", "command-line.md");
const PICTURE = join(ROOT, "docs", "terminal.svg");

const textOf = (path: string) => readFileSync(path, "utf8");

/** The names of all groups and commands below a group. */
function namesIn(group: Group): string[] {
  return Object.entries(group.commands).flatMap(([name, node]) => (isGroup(node) ? [name, ...namesIn(node)] : [name]));
}

describe.each(["README.md", "docs/command-line.md"])("%s", (name) => {
  const path = join(ROOT, name);

  it("shows what the program prints, block by block in one store", async () => {
    await expect(await rerunDocument(textOf(path), { tier })).toMatchFileSnapshot(path);
  });

  it("points only at files that exist", () => {
    const linked = [...textOf(path).matchAll(/\]\((?!https?:)([^)]+)\)|\bsrc(?:set)?="([^"]+)"/g)];
    const links = linked.map(([, link, picture]) => (link ?? picture)!);
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter((link) => !existsSync(join(dirname(path), link)))).toEqual([]);
  });
});

it("docs/command-line.md names every command", () => {
  const missing = Object.entries(tree.commands).flatMap(([area, node]) => {
    const row = new RegExp(`^\\| \`formctl ${area}\` .*$`, "m").exec(textOf(COMMANDS))?.[0] ?? "";
    const words = isGroup(node) ? namesIn(node) : [area];
    return words.filter((word) => !row.includes(word)).map((word) => `${area} ${word}`);
  });
  expect(missing).toEqual([]);
});

describe("the picture of README.md", () => {
  const file = "forms/staffing/candidate/candidate-intake.layout.yaml";
  const shown = [
    ["formctl validate forms", "s/fieldKey: phone/fieldKey: phon/"],
    ["formctl plan forms", "s/fieldKey: phon$/fieldKey: phone/; s/label: Phone/label: Telephone/"],
    [`formctl layouts preview ${file} --compare latest`, ""],
  ];

  it("shows what the program prints, in the colours of a terminal", async () => {
    const home = await demoHome();
    expect((await shell("formctl export staffing/candidate --into forms", { home, cwd: home })).code).toBe(0);
    let bytes = "";
    for (const [line = "", edit = ""] of shown) {
      const env = { PATH: `${folderOnPath()}:${process.env["PATH"]}`, FORCE_COLOR: "1", FORMCTL_PAGER: "cat" };
      const command = ["bash", "-c", `sed -i '${edit}' ${file} && exec < /dev/null && ${line}`];
      const { bytes: output } = await runInPty(command, { home, columns: 100, env });
      bytes += `\u001B[2m$\u001B[22m \u001B[1m${line}\u001B[22m\n${output.trimEnd()}\n\n`;
    }
    const about = `The output of ${shown.map(([line]) => line).join(", ")}`;
    const picture = terminalPicture(bytes.replaceAll(home, "/home/ana/.local/share/formctl"), about);
    await expect(picture).toMatchFileSnapshot(PICTURE);
  });
});
