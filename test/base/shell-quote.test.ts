/** A shell must read quoted arguments as the original texts. */

import { spawnSync } from "node:child_process";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { expect, it } from "vitest";
import { quoted } from "../../src/base/shell-quote.ts";

const SPECIAL = "'\"\\$`!&;|<>(){}[]*?~#=@^%- \tab/:.".split("");

/** Texts of one line: a printed command has no line breaks. */
const texts = oneof(
  string({ unit: "binary" }).map((text) => text.replaceAll(/[\0\n\r]/g, "").toWellFormed()),
  string({ unit: constantFrom(...SPECIAL) }),
);

/** The arguments that bash reads, with history expansion as in an interactive shell. */
function readByBash(words: readonly string[]): string[] {
  const input = ["set -o history -o histexpand", `printf '%s\\0' ${words.join(" ")}`, ""].join("\n");
  const { stdout, status, stderr } = spawnSync("bash", ["--norc", "--noprofile"], { input });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout.toString().split("\0").slice(0, -1);
}

it("gives bash the same argument for any text", () => {
  assert(
    property(array(texts, { minLength: 50, maxLength: 100 }), (all) => {
      expect(readByBash(all.map((text) => quoted(text, "linux")))).toEqual(all);
    }),
    { numRuns: 20 },
  );
});

it("finds an argument that bash changes", () => {
  expect(readByBash(['"$HOME"'])).not.toEqual(["$HOME"]);
});

it.each([
  ["staffing/candidate/Profile", "staffing/candidate/Profile", "staffing/candidate/Profile"],
  ["Candidate profile", "'Candidate profile'", "'Candidate profile'"],
  ["Tom's", String.raw`'Tom'\''s'`, "'Tom''s'"],
  ["Tom’s", "'Tom’s'", "'Tom’’s'"],
  ["a!b $(id)", "'a!b $(id)'", "'a!b $(id)'"],
  ["ana@northwind.example", "ana@northwind.example", "'ana@northwind.example'"],
  ["", "''", "''"],
])("quotes %j as %s, and for PowerShell as %s", (text, posix, powershell) => {
  expect([quoted(text, "linux"), quoted(text, "win32")]).toEqual([posix, powershell]);
});

it("gives PowerShell a string whose quotes are doubled", () => {
  assert(
    property(texts, (text) => {
      const word = quoted(text, "win32");
      const inside = word === text ? "" : word.slice(1, -1);
      // A quote that is not doubled would end the string.
      expect(inside.replaceAll(/['\u2018-\u201B]{2}/g, "")).not.toMatch(/['\u2018-\u201B]/);
    }),
  );
});
