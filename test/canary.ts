/**
 * The canary: tokens of the real format that are known by a mark. Nothing that a command prints and no file that it leaves
 * may hold one; what is found fails the run when it ends (canary-run.ts), whatever becomes of the test.
 */

import { randomBytes } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, inject } from "vitest";
import { formatToken, isWellFormedToken, TOKEN_BYTES } from "../src/secret.ts";

const { mark, findings } = inject("canary");
const markBytes = Buffer.from(mark, "hex");
/** Base64 of whole groups of three bytes: every token of the run starts with it of the run. */
const MARK = markBytes.toString("base64url");

/** A token of this run; the same rest makes the same token. */
export function newCanary(rest: Uint8Array = randomBytes(TOKEN_BYTES)): string {
  return formatToken(Buffer.concat([markBytes, rest]).subarray(0, TOKEN_BYTES));
}

/** The mark, or any token of our own: one that the program itself has made is as secret as the canary. */
export function holdsToken(text: string): boolean {
  return text.includes(MARK) || (text.match(/fctl_[\w-]{49}/g) ?? []).some(isWellFormedToken);
}

/** Where tokens belong: where `auth login` keeps them, and the file in which a test hands one over. */
const TOKEN_FILES = new Set(["credentials.yaml", "token.txt"]);

/** The one command that prints a token, once and on stdout. */
const ISSUES_TOKEN = /\btokens create\b/;

/** Searches the output of a command for a token. */
export function searchOutput(command: string, said: { stdout: string; stderr: string }): void {
  const place = `${command.replaceAll(/fctl_\S*/g, "…")}, in "${expect.getState().currentTestName}"`;
  if (holdsToken(said.stderr)) report(`stderr of ${place}`);
  if (holdsToken(said.stdout) && !ISSUES_TOKEN.test(command)) report(`stdout of ${place}`);
}

/** Looks for a token in every file below a folder. */
export function searchFolder(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !TOKEN_FILES.has(file.name) && holdsToken(readFileSync(path, "latin1")))
      report(`the file ${relative(folder, path)}`);
  }
}

function report(place: string): void {
  const { testPath = "" } = expect.getState();
  appendFileSync(findings, `${relative(process.cwd(), testPath)}: ${place}\n`);
}
