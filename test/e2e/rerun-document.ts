/** Types each command line of a document, and updates the output that the document shows. */

import { mkdirSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { runInPty } from "../pty.ts";
import type { Tier } from "../effort.ts";
import { emptyHome, folderOnPath } from "./program.ts";
import { type Answer, typeLine } from "./typed-line.ts";

/** Replaces values that differ between runs. */
function normal(text: string): string {
  return text
    .replaceAll(/\b([a-z]{3})_[a-z2-7]{6,24}\b/g, "$1_…")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "…")
    .replaceAll(/\bformctl-[\w-]{43}/g, "formctl-…")
    .replaceAll(/\S+\/(local\.db|test\.db|code\.db|config\.yaml)/g, "…/$1")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, "…Z")
    .replaceAll(/\(\d+ bytes\)/g, "(… bytes)")
    .replaceAll(/ {2,}/g, "  ");
}

/** Removes progress messages. They appear only on a busy machine, where work takes longer than a second. */
function withoutProgress(output: string): string {
  const stages = "Checking|Reading|Rehearsing|Copying|Restoring|Seeding";
  return output.replaceAll(new RegExp(`^(${stages}) [\\w ]+( …|: [\\d/]+)\r?\n`, "gm"), "");
}

const USER = { USER: "ana" };

type Shown = { line: string; answer: string };

/** Returns the command lines of a block. Each has its output from the document. */
function linesOf(block: string): Shown[] {
  const [, ...parts] = `\n${block}`.split("\n$ ");
  return parts.map((part) => {
    const [line = "", ...answer] = part.split("\n");
    return { line, answer: answer.map((text) => `${text}\n`).join("") };
  });
}

/** A target for the blocks of a document, except the first block. */
export type OtherTarget = {
  env: Record<string, string>;
  /** Returns an output with the values of the local store. */
  asLocal: (output: string) => string;
};

export type Setting = {
  /** Decides which lines run in processes of the program: typed-line.ts describes it. */
  tier: Tier;
  /** The folder of the settings and of the working directory `work`. Default: a new one. */
  home?: string;
  /** The folder of the program `formctl`. Default: that of the checkout. */
  bin?: string;
  /** Does what the text before a block asks the reader to do. Blocks are counted from 1. */
  beforeBlock?: (block: number, cwd: string) => void | Promise<void>;
  /** The document's text for each value that differs between runs, such as the URL of a server. */
  shownAs?: ReadonlyMap<string, string>;
  /** Returns the target of all blocks after the first one. Default: the local store. */
  connect?: (home: string) => Promise<OtherTarget>;
};

/**
 * Runs the blocks of a document in one empty folder. Returns the document with the current output of the
 * program. If an output differs only in ids, times and sizes, the document keeps the old output.
 */
export async function rerunDocument(
  document: string,
  {
    tier,
    home = emptyHome(),
    bin = folderOnPath(),
    beforeBlock = () => undefined,
    shownAs = new Map(),
    connect,
  }: Setting,
): Promise<string> {
  const cwd = join(home, "work");
  mkdirSync(cwd, { recursive: true });
  const PATH = `${bin}:${process.env["PATH"]}`;
  let last = 0;
  let blocks = 0;
  let other: OtherTarget | undefined;
  let text = "";
  for (const part of document.split(/(?<=^```console(?: terminal)?\n)([^]*?)(?=^```$)/m)) {
    const type = text.endsWith("```console terminal\n") ? typeInTerminal : typeWithoutTerminal;
    const isBlock = part.startsWith("$ ");
    if (isBlock) await beforeBlock(++blocks, cwd);
    if (isBlock && blocks === 2) other = await connect?.(home);
    text += isBlock ? await rerunBlock(part.trimEnd(), type) : part;
  }
  return text;

  async function typeWithoutTerminal(line: string): Promise<Answer> {
    const { code, output } = await typeLine(line, { home, cwd, env: { PATH, ...USER, ...other?.env }, tier });
    return { code, output: asShown(output) };
  }

  function asShown(output: string): string {
    return [...shownAs].reduce((shown, [value, usual]) => shown.replaceAll(value, usual), withoutProgress(output));
  }

  /** Runs a line in a terminal without input. Tables and times are printed as for a terminal, and nothing prompts. */
  async function typeInTerminal(line: string): Promise<Answer> {
    const env = {
      ...USER,
      ...other?.env,
      PATH,
      NO_COLOR: "1",
      FORMCTL_PAGER: "cat",
    };
    const command = ["bash", "-o", "pipefail", "-c", `exec < /dev/null; ${line}`];
    const { exitCode, screen } = await runInPty(command, { home, cwd, columns: 100, env });
    return { code: exitCode, output: asShown(screen.replaceAll("\r\n", "\n")) };
  }

  /** Replaces the folders of the test with those of a user. */
  function withUsualPaths(output: string): string {
    return (other?.asLocal(output) ?? output)
      .replaceAll(`${USER.USER}@${hostname()}`, `${USER.USER}@pc`)
      .replaceAll(cwd, "/home/ana/work")
      .replaceAll(join(home, "local.db"), "/home/ana/.local/share/formctl/local.db")
      .replaceAll(join(home, "config.yaml"), "/home/ana/.config/formctl/config.yaml");
  }

  async function rerunBlock(block: string, type: typeof typeInTerminal): Promise<string> {
    let result = "";
    for (const { line, answer } of linesOf(block)) {
      const { code, output } = await type(line.includes("$?") ? `(exit ${last}); ${line}` : line);
      last = code ?? 1;
      const usual = withUsualPaths(output);
      result += `$ ${line}\n${normal(usual) === normal(answer) ? answer : usual}`;
    }
    return result;
  }
}
