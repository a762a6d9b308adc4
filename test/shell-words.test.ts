/** A shell must read the same words. */

import { spawnSync } from "node:child_process";
import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";
import { shellWords } from "./shell-words.ts";

/** The words that a shell reads in each line. */
function readByShell(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\n\\0'`).join("\n");
  const { stdout, status, stderr } = spawnSync("bash", ["-c", script]);
  if (status !== 0) throw new Error(stderr.toString());
  return stdout
    .toString()
    .split("\n\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

/** The parts of a line: words, quoted texts, and spaces between them. */
const parts = constantFrom(
  "formctl",
  "-o",
  "a/b.yaml",
  "VIEW=-",
  "data[0]",
  " ",
  "  ",
  '"a b"',
  "'$HOME \\ \"'",
  '"it\'s"',
  '""',
);

it("reads the words of a shell", () => {
  const lines = property(
    array(array(parts, { minLength: 1, maxLength: 8 }), { minLength: 50, maxLength: 100 }),
    (all) => {
      const texts = all.map((line) => `first ${line.join("")}`);
      expect(texts.map((line) => shellWords(line))).toEqual(readByShell(texts));
    },
  );
  assert(lines, { numRuns: 5 });
});

it.each("\\$`|&;<>()*?~#{}!".split(""))("leaves a line with %s to a shell", (character) => {
  expect(shellWords(`a ${character}b`)).toBeUndefined();
});

it.each(["\\", "$", "`", "!"])("leaves a line with %s in double quotes to a shell", (character) => {
  expect(shellWords(`a "${character}b"`)).toBeUndefined();
});

it.each(["'a", '"a', 'a"'])("leaves %s, which is not complete, to a shell", (line) => {
  expect(shellWords(line)).toBeUndefined();
});
