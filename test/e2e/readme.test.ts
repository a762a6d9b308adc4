/**
 * Tests that README.md shows the real output of the program. To update README.md:
 * `npx vitest run test/e2e/readme.test.ts -u`.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { tier } from "../effort.ts";
import { ROOT } from "./program.ts";
import { rerunDocument } from "./rerun-document.ts";

const README = join(ROOT, "README.md");
const readme = readFileSync(README, "utf8");

/** The names of all groups and commands below a group. */
function namesIn(group: Group): string[] {
  return Object.entries(group.commands).flatMap(([name, node]) => (isGroup(node) ? [name, ...namesIn(node)] : [name]));
}

describe("README.md", () => {
  it("shows what the program prints, block by block in one store", async () => {
    await expect(await rerunDocument(readme, { tier })).toMatchFileSnapshot(README);
  });

  it("shows a part of the library example", () => {
    const [, code = ""] = /^```ts\n([^]*?)^```$/m.exec(readme)!;
    expect(code.length).toBeGreaterThan(300);
    expect(readFileSync(join(ROOT, "examples/library/apply-folder.ts"), "utf8")).toContain(code);
  });

  it("names every command", () => {
    const missing = Object.entries(tree.commands).flatMap(([area, node]) => {
      const row = new RegExp(`^\\| \`formctl ${area}\` .*$`, "m").exec(readme)?.[0] ?? "";
      const words = isGroup(node) ? namesIn(node) : [area];
      return words.filter((word) => !row.includes(word)).map((word) => `${area} ${word}`);
    });
    expect(missing).toEqual([]);
  });

  it("points only at files that there are", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
  });
});
