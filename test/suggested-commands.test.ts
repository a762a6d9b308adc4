/** Tests that every command in a message exists, with its options. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Command } from "../src/commands/command.ts";
import { GLOBAL_OPTIONS } from "../src/commands/global-flags.ts";
import { findNode, isGroup } from "../src/commands/tree.ts";

/** The words that follow the name of the program in a sentence about it, such as "formctl does not know the mode". */
const IN_SENTENCES = new Set(
  `accepts and changes checks commands confirms creates did does filters has ignores is itself migrations never nor printed process
  records requires shows store supports that what with wrote`.split(/\s+/),
);

/** Returns the unknown commands and options in a message. */
async function faultsIn(message: string): Promise<string[]> {
  const faults = [...message.matchAll(/\bformctl (?=([a-z][^|>`]*))/g)].map(async ([, rest = ""]) => {
    // A command ends with its sentence, at the next command, and at a comment.
    const words = rest.split(/[.,;:)](?= |$)| formctl | # /)[0]!.split(" ");
    const end = words.findIndex((_word, index) => !findNode(words.slice(0, index + 1)));
    const path = end === -1 ? words : words.slice(0, end);
    const node = findNode(path)!;
    if (!isGroup(node)) return unknownOptions((await node.load()).default, path, words);
    const [next = ""] = words.slice(path.length);
    const isSentence = path.length > 0 ? !/^[a-z]+$/.test(next) : IN_SENTENCES.has(next);
    return isSentence ? [] : [[...path, next].join(" ")];
  });
  return (await Promise.all(faults)).flat();
}

function unknownOptions({ options, writes }: Command, path: readonly string[], words: readonly string[]): string[] {
  const own = Object.values(options).flatMap(({ flags, former = "" }) => [flags, former]);
  const all = [...GLOBAL_OPTIONS.map(([flags]) => flags), ...own, "-h, --help", "--format"];
  if (writes === true) all.push("--dry-run");
  const known = all.flatMap((flags) => flags.match(/--?[a-z][\w-]*/g) ?? []);
  return words
    .filter((word) => /^--?[a-z]/.test(word) && !known.includes(word))
    .map((word) => [...path, word].join(" "));
}

it.each([
  ["Try: formctl forms list a/b --sort name -o json", []],
  ["formctl does not know the mode", []],
  ["To see all groups: formctl forms. Then go on.", []],
  ["List them: formctl form list", ["form"]],
  ["See: formctl forms show FORM", ["forms show"]],
  [
    "Run formctl plan --into DIR, or formctl layouts publish L --yes --drafts",
    ["plan --into", "layouts publish --drafts"],
  ],
])("finds unknown commands and options in %j", async (message, faults) => {
  expect(await faultsIn(message)).toEqual(faults);
});

it("every command in a message exists, with its options", async () => {
  const messages = readFileSync(join(import.meta.dirname, "messages.txt"), "utf8").match(/^ {2}.*$/gm)!;
  const faults = messages.map(async (message) => (await faultsIn(message)).map((fault) => `${fault}: ${message}`));
  expect((await Promise.all(faults)).flat()).toEqual([]);
});
