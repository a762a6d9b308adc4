/** Updates a document that shows command lines with their output, by running each line. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { emptyHome, ROOT, shell } from "./program.ts";

/** Values that differ between runs. */
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

/** The command lines of a block, each with its output in the document. */
function linesOf(block: string): Shown[] {
  const [, ...parts] = `\n${block}`.split("\n$ ");
  return parts.map((part) => {
    const [line = "", ...answer] = part.split("\n");
    return { line, answer: answer.map((text) => `${text}\n`).join("") };
  });
}

/**
 * The document with the current output of the program, run block by block in one folder with the examples. Output that
 * differs only in ids, times and sizes is kept as it is.
 */
export async function rerunDocument(document: string): Promise<string> {
  const home = emptyHome();
  const cwd = join(home, "work");
  mkdirSync(cwd);
  symlinkSync(join(ROOT, "examples"), join(cwd, "examples"));
  let last = 0;
  let text = "";
  for (const part of document.split(/(?<=^```console\n)([^]*?)(?=^```$)/m)) {
    text += part.startsWith("$ ") ? await rerunBlock(part.trimEnd()) : part;
  }
  return text;

  /** Replaces the folders of the test with those of a user. */
  function withUsualPaths(output: string): string {
    return output
      .replaceAll(cwd, "/home/ana/work")
      .replaceAll(join(home, "local.db"), "/home/ana/.local/share/formctl/local.db")
      .replaceAll(join(home, "config.yaml"), "/home/ana/.config/formctl/config.yaml");
  }

  async function rerunBlock(block: string): Promise<string> {
    let output = "";
    for (const { line, answer } of linesOf(block)) {
      const { code, stdout } = await shell(`exec 2>&1; (exit ${last}); ${line}`, { home, cwd });
      last = code ?? 1;
      output += `$ ${line}\n${normal(stdout) === normal(answer) ? answer : withUsualPaths(stdout)}`;
    }
    return output;
  }
}
