/** Files that are not a usable store. Each command exits with the code of a named error, and changes no file. */

import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { EXIT_CODE_OF } from "../../src/base/exit-codes.ts";
import { demoHome, emptyHome, formctl } from "./program.ts";

let demo = "";

beforeAll(async () => {
  const home = await demoHome();
  const name = readdirSync(home, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(".db"))!;
  demo = join(home, name);
});

/** Changes a database without formctl. */
function edit(path: string, statements: string): void {
  const db = new DatabaseSync(path);
  db.exec(statements);
  db.close();
}

type Code = "STORE_MISSING" | "STORE_FOREIGN" | "STORE_CORRUPT" | "STORE_NEWER" | "STORE_UNUSABLE";

const FILES: readonly [what: string, code: Code, make: (path: string) => void][] = [
  ["a missing file", "STORE_MISSING", () => {}],
  ["an empty file", "STORE_FOREIGN", (path) => writeFileSync(path, "")],
  ["a text", "STORE_CORRUPT", (path) => writeFileSync(path, "name: not a database\n".repeat(1000))],
  ["a database of another program", "STORE_FOREIGN", (path) => edit(path, "CREATE TABLE notes (text)")],
  [
    "a store of a newer formctl",
    "STORE_NEWER",
    (path) => {
      copyFileSync(demo, path);
      edit(path, "PRAGMA user_version = 999");
    },
  ],
  [
    "a store with the code of another program",
    "STORE_FOREIGN",
    (path) => {
      copyFileSync(demo, path);
      edit(path, "CREATE TRIGGER added AFTER INSERT ON meta BEGIN SELECT 1; END");
    },
  ],
  [
    "a truncated store",
    "STORE_CORRUPT",
    (path) => {
      copyFileSync(demo, path);
      truncateSync(path, 20_000);
    },
  ],
  ["a folder", "STORE_UNUSABLE", (path) => mkdirSync(path)],
  ["a link", "STORE_UNUSABLE", (path) => symlinkSync(demo, path)],
];

const COMMANDS: readonly (readonly string[])[] = [
  ["forms", "list", "staffing/candidate"],
  ["forms", "create", "staffing/candidate", "--name", "New", "--types", "VIEW"],
  ["local", "check"],
  ["local", "backup", "backup.db"],
  ["serve", "--port", "0"],
];

describe.each(FILES)("%s as the store", (_what, code, make) => {
  // `local check` reports damage in its result instead of an error.
  const commands = COMMANDS.filter((words) => code !== "STORE_CORRUPT" || words[1] !== "check");

  it.each(commands)(`is reported as ${code} by %s %s, and stays as it is`, async (...words) => {
    const home = emptyHome();
    const path = join(home, "store.db");
    make(path);
    const content = () => (code === "STORE_MISSING" || code === "STORE_UNUSABLE" ? "" : readFileSync(path, "latin1"));
    const before = content();
    const files = readdirSync(home);
    const ended = await formctl([...words, "--store", path, "-o", "json"], { home });
    expect(ended.code).toBe(EXIT_CODE_OF[code]);
    expect(content()).toBe(before);
    expect(readdirSync(home)).toEqual(files);
    const failure = (JSON.parse(ended.stderr) as { error: { code: string; exitCode: number; hint: string } }).error;
    expect(failure).toMatchObject({ code, exitCode: EXIT_CODE_OF[code], hint: expect.stringMatching(/\w+ \w+/) });
    expect(ended.stdout).toBe("");
    expect(ended.stderr).not.toMatch(/^ +at /m);
  });
});

it("lists the damage of a store that can't be read as the result of local check", async () => {
  const home = emptyHome();
  const path = join(home, "store.db");
  copyFileSync(demo, path);
  truncateSync(path, 20_000);
  const ended = await formctl(["local", "check", "--store", path, "-o", "json"], { home });
  expect(ended.code).toBe(1);
  expect(JSON.parse(ended.stdout)).toHaveLength(1);
});
