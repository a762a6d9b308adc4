/** The language rules of CONTRIBUTING.md, as far as a test can check them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readTexts, type Text, violations } from "./prose.ts";

const ROOT = join(import.meta.dirname, "..");

/** The sources to which the rules do not apply. */
const EXCEPT: readonly string[] = [
  // The texts of the demo's forms are data.
  "src/commands/local/demo.ts",
];

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
  const texts = readTexts(file, readFileSync(join(ROOT, file), "utf8"));
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

it("uses no forbidden words", () => {
  const found = sources()
    .filter((file) => !EXCEPT.includes(file))
    .flatMap((file) =>
      textsOf(file).flatMap((text) => violations(text).map((one) => `${file}:${text.line} ${text.kind}: ${one}`)),
    );
  expect(found).toEqual([]);
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
