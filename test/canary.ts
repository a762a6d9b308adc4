/**
 * The canary: tokens with the real format and a recognizable mark. No output of a command, and no file that a command
 * leaves, may contain a token. A found token fails the run at its end (run/setup.ts), even if the test passes.
 */

import { randomBytes } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, inject } from "vitest";
import { formatToken, isWellFormedToken, TOKEN_BYTES } from "../src/base/secret.ts";

const { mark, findings } = inject("canary");
const markBytes = Buffer.from(mark, "hex");
/**
 * The Base64 of the mark. The mark consists of whole groups of three bytes. So every token of the run has `MARK`
 * after its prefix.
 */
const MARK = markBytes.toString("base64url");

/** Returns a token of this run. The same `rest` gives the same token. */
export function newCanary(rest: Uint8Array = randomBytes(TOKEN_BYTES)): string {
  return formatToken(Buffer.concat([markBytes, rest]).subarray(0, TOKEN_BYTES));
}

/**
 * Whether the text contains the mark or any valid token. A token that the program created is as secret as the canary.
 */
export function holdsToken(text: string): boolean {
  return text.includes(MARK) || (text.match(/fctl_[\w-]{49}/g) ?? []).some(isWellFormedToken);
}

/**
 * The files that may contain tokens: the token storage of `auth login`, and the file from which a test passes a token.
 */
const TOKEN_FILES = new Set(["credentials.yaml", "token.txt"]);

/** The only command that prints a token. It prints the token once, on stdout. */
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
    if (file.isFile() && !TOKEN_FILES.has(file.name) && bytesHoldToken(readFileSync(path)))
      report(`the file ${relative(folder, path)}`);
  }
}

/** Most files are stores without a token, and a search of bytes is faster than their conversion to a text. */
function bytesHoldToken(bytes: Buffer): boolean {
  return (bytes.includes(MARK) || bytes.includes("fctl_")) && holdsToken(bytes.toString("latin1"));
}

function report(place: string): void {
  const { testPath = "" } = expect.getState();
  appendFileSync(findings, `${relative(process.cwd(), testPath)}: ${place}\n`);
}
