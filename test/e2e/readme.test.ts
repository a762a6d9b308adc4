/** What README.md shows is what the program prints. `npx vitest run test/e2e/readme.test.ts -u` writes it anew. */

import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Group, isGroup, tree } from "../../src/commands/tree.ts";
import { emptyHome, ROOT, shell } from "./program.ts";

const README = join(ROOT, "README.md");
const readme = readFileSync(README, "utf8");

/** What differs from one run to the next. */
function normal(text: string): string {
  return text
    .replaceAll(/\b([a-z]{3})_[a-z2-7]{24}\b/g, "$1_…")
    .replaceAll(/\S+\/(local\.db|config\.yaml)/g, "…/$1")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, "…Z")
    .replaceAll(/\(\d+ bytes\)/g, "(… bytes)")
    .replaceAll(/ {2,}/g, "  ");
}

type Shown = { line: string; answer: string };

/** The command lines of a block, each with what the block shows under it. */
function linesOf(block: string): Shown[] {
  const [, ...parts] = `\n${block}`.split("\n$ ");
  return parts.map((part) => {
    const [line = "", ...answer] = part.split("\n");
    return { line, answer: answer.map((text) => `${text}\n`).join("") };
  });
}

/** The names of all groups and commands below a group. */
function namesIn(group: Group): string[] {
  return Object.entries(group.commands).flatMap(([name, node]) => (isGroup(node) ? [name, ...namesIn(node)] : [name]));
}

describe("README.md", () => {
  let home: string;
  let cwd: string;
  let last = 0;

  beforeAll(() => {
    home = emptyHome();
    cwd = join(home, "work");
    mkdirSync(cwd);
    symlinkSync(join(ROOT, "examples"), join(cwd, "examples"));
  });

  /** The answer as it is shown, unless the program says something else. */
  async function run({ line, answer }: Shown): Promise<string> {
    const { code, stdout } = await shell(`exec 2>&1; (exit ${last}); ${line}`, { home, cwd });
    last = code ?? 1;
    return normal(stdout) === normal(answer) ? answer : stdout;
  }

  it("shows what the program prints, block by block in one store", async () => {
    let text = "";
    for (const part of readme.split(/(?<=^```console\n)([^]*?)(?=^```$)/m)) {
      text += part.startsWith("$ ") ? await rerun(part.trimEnd()) : part;
    }
    await expect(text).toMatchFileSnapshot(README);
  }, 60_000);

  async function rerun(block: string): Promise<string> {
    let text = "";
    for (const shown of linesOf(block)) text += `$ ${shown.line}\n${await run(shown)}`;
    return text;
  }

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
