/** The language rules of CONTRIBUTING.md, as far as a test can check them, and the limits of pages. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pastInFuture, readTexts, RULES, type Text, violations } from "./prose.ts";

const ROOT = join(import.meta.dirname, "..");

/** The sources to which the rules do not apply. */
const EXCEPT: readonly string[] = [
  // The texts of the demo's forms are data.
  "src/commands/local/demo.ts",
];

const page = (path: string) => readFileSync(join(ROOT, path), "utf8");

function sources(): string[] {
  const all = ["src", "test", "build", "bench", "examples"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
      .map((file) => `${folder}/${file}`),
  );
  return all.toSorted();
}

/** The texts of a file. In tests and benchmarks strings are data, so only comments and titles count. */
function textsOf(file: string): Text[] {
  const texts = readTexts(file, page(file));
  return /^(test|bench)\//.test(file) ? texts.filter(({ kind }) => kind !== "message") : texts;
}

it("finds forbidden words in comments, messages and test titles", () => {
  const source = [
    "/** Nobody answers. */",
    'throw new UsageError(`there is no form ${name}`, "Say so with --yes.");',
    "const about = 'The rule R53 applies';",
    "it.each([1])('is told that the form is gone', () => undefined);",
    "describe('fails', () => { it(`is refused anew`, () => {}); });",
  ].join("\n");
  const found = readTexts("planted.ts", source).flatMap((text) =>
    violations(text).map((one) => [text.line, text.kind, one]),
  );
  expect(found).toEqual([
    [1, "comment", expect.stringContaining('"Nobody"')],
    [2, "message", expect.stringContaining('"Say"')],
    [3, "message", expect.stringContaining('"R53"')],
    [4, "title", expect.stringContaining('"told"')],
    [4, "title", expect.stringContaining('"gone"')],
    [5, "title", expect.stringContaining('"anew"')],
  ]);
});

it("accepts code in comments, rule numbers in comments, and values that are not sentences", () => {
  const source =
    "/** `error.said` is the body (R53). */\nconst key = 'gone'; const consent = sql`select said from told`;";
  expect(readTexts("planted.ts", source).flatMap(violations)).toEqual([]);
});

it("checks the words that CONTRIBUTING.md lists", () => {
  const [, rows = ""] = /^\| use \| not \|\n\|---\|---\|\n([^]*?)^(?!\|)/m.exec(`${page("CONTRIBUTING.md")}\n`) ?? [];
  expect(rows).toBe(RULES.map(({ use, not }) => `| ${use} | ${not} |\n`).join(""));
});

it("uses no forbidden words", () => {
  const found = sources()
    .filter((file) => !EXCEPT.includes(file))
    .flatMap((file) =>
      textsOf(file).flatMap((text) => violations(text).map((one) => `${file}:${text.line} ${text.kind}: ${one}`)),
    );
  expect(found).toEqual([]);
});

describe("what will happen has other words than what has happened", () => {
  /** The sources of plans, apart from the names of states. */
  const PLANNED = /^src\/(manifests\/plan\/|commands\/(manifests|migrate)\/(plan-view|plan-page|confirm)\.ts$)/;

  it.each([
    ["Permanently deleted: the access rows", true],
    ["Permanently deleted: ${…}.", false],
    ["Would change the record. Deleted: the entry", false],
    ["published again, because it does not serve EDIT", true],
    ["the draft ver_1 is replaced", true],
    ["it can't be read: written, because it is unknown", true],
  ])("finds words of the past in %j", (text, isPlanned) => {
    expect(pastInFuture(text, isPlanned)).toBeDefined();
  });

  it.each([
    ["Will be deleted permanently: the access rows", true],
    ["it was archived or deleted since: it will be created again", true],
    ["the draft ver_1, saved but not published by an earlier apply, will be replaced", true],
    ["Deleted the form (frm_1).", false],
  ])("accepts %j", (text, isPlanned) => {
    expect(pastInFuture(text, isPlanned)).toBeUndefined();
  });

  it("in every message of the program", () => {
    const found = sources()
      .filter((file) => file.startsWith("src/"))
      .flatMap((file) =>
        textsOf(file).flatMap(({ kind, line, text }) => {
          const past = kind === "message" ? pastInFuture(text, PLANNED.test(file)) : undefined;
          return past === undefined ? [] : [`${file}:${line}: "${past}" in "${text}"`];
        }),
      );
    expect(found).toEqual([]);
  });
});

/** After an intended change, read the difference and update the file: `npx vitest run test/prose.test.ts -u`. */
it("has every message of the program in messages.txt, so that they are read together", async () => {
  const program = sources().filter((file) => file.startsWith("src/"));
  const sections = program.flatMap((file) => {
    const messages = textsOf(file).filter(({ kind }) => kind === "message");
    return messages.length === 0 ? [] : [`${file}\n${messages.map(messageLine).toSorted().join("\n")}\n`];
  });
  await expect(sections.join("\n")).toMatchFileSnapshot("messages.txt");
});

const messageLine = ({ text }: Text) => `  ${text.trim().replaceAll(/\s+/g, " ")}`;

describe("pages stay short", () => {
  it.each([
    ["README.md", 160],
    ["CHANGELOG.md", 60],
  ])("%s has at most %i lines", (path, limit) => {
    expect(page(path).trimEnd().split("\n").length).toBeLessThanOrEqual(limit);
  });

  it("docs/decisions.md has at most 8,000 words", () => {
    expect(page("docs/decisions.md").trim().split(/\s+/).length).toBeLessThanOrEqual(8_000);
  });
});
