/** Opens the program with the store of `local init --demo`. Splits a printed command line into words. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { shellWords } from "../shell-words.ts";
import { type Cli, openCli } from "./cli.ts";

let demo: Buffer | undefined;

export async function openDemo(): Promise<Cli> {
  const cli = await openCli(null);
  const store = join(cli.home, "local.db");
  if (demo) writeFileSync(store, demo, { mode: 0o600 });
  else {
    const { code, stderr } = await cli.run("local", "init", "--demo");
    if (code !== 0) throw new Error(`local init --demo failed:\n${stderr}`);
    // After the store is closed, it consists of one file.
    demo = readFileSync(store);
  }
  return cli;
}

/** Splits a command line into words like a shell. Returns the words without `formctl`. */
export function wordsOf(line: string): string[] {
  const [, rest = ""] = /^formctl ?(.*)$/s.exec(line) ?? [];
  return shellWords(rest) ?? splitByShell(rest);
}

function splitByShell(rest: string): string[] {
  const script = `set -- ${rest}; for word in "$@"; do printf '%s\\0' "$word"; done`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}
