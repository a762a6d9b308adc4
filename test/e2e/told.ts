/** A document that shows command lines and their answers, told anew: each line is typed, and its answer is the program's own. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { emptyHome, ROOT, shell } from "./program.ts";

/** What differs from one run to the next. */
function normal(text: string): string {
  return text
    .replaceAll(/\b([a-z]{3})_[a-z2-7]{24}\b/g, "$1_…")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "…")
    .replaceAll(/\bformctl-[\w-]{43}/g, "formctl-…")
    .replaceAll(/\S+\/(local\.db|test\.db|code\.db|config\.yaml)/g, "…/$1")
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

/**
 * The document with what the program answers now, block by block in one folder that has the examples in it. Where an answer
 * differs from the shown one only in ids, times and sizes, the shown one stays.
 */
export async function toldAnew(document: string): Promise<string> {
  const home = emptyHome();
  const cwd = join(home, "work");
  mkdirSync(cwd);
  symlinkSync(join(ROOT, "examples"), join(cwd, "examples"));
  let last = 0;
  let text = "";
  for (const part of document.split(/(?<=^```console\n)([^]*?)(?=^```$)/m)) {
    text += part.startsWith("$ ") ? await blockAnew(part.trimEnd()) : part;
  }
  return text;

  async function blockAnew(block: string): Promise<string> {
    let told = "";
    for (const { line, answer } of linesOf(block)) {
      const { code, stdout } = await shell(`exec 2>&1; (exit ${last}); ${line}`, { home, cwd });
      last = code ?? 1;
      told += `$ ${line}\n${normal(stdout) === normal(answer) ? answer : stdout}`;
    }
    return told;
  }
}
