/** The programs in docs/library-testing.md, type-checked and run from the packed package. */

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { ROOT } from "./e2e/program.ts";
import { type Consumer, installPackage } from "./packed-package.ts";
import { temporaryFolders } from "./temporary.ts";

const newFolder = temporaryFolders("on disk");
const guide = readFileSync(join(ROOT, "docs", "library-testing.md"), "utf8");

/** The programs by file name. The first line of a program has its file name. */
const programs = new Map(
  [...guide.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm)].map(([, file = "", text = ""]) => [file, text]),
);

let consumer: Consumer;

beforeAll(() => {
  consumer = installPackage(newFolder());
  for (const [file, text] of programs) writeFileSync(join(consumer.folder, file), text);
});

it("has only programs with file names, and at most 900 words", () => {
  expect(programs.size).toBe([...guide.matchAll(/^```ts$/gm)].length);
  expect(guide.split(/\s+/).length).toBeLessThanOrEqual(900);
});

it("has programs without type errors", () => {
  expect(() => consumer.typeCheck([...programs.keys()])).not.toThrow();
});

it("has tests that pass", () => {
  const words = ["--test", ...programs.keys()];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: consumer.folder, encoding: "utf8" });
  expect({ status, failed: /fail \d+/.exec(stdout)?.[0] }).toEqual({ status: 0, failed: "fail 0" });
});
