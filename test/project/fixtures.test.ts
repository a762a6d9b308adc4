/** Checks the problems that validate reports for folders of valid and invalid manifests. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MANIFEST_CODES } from "../../src/manifests/problems.ts";
import { openCli } from "../commands/cli.ts";

const FIXTURES = join(import.meta.dirname, "..", "fixtures", "manifests");
const BAD = join(FIXTURES, "bad");
const cases = readdirSync(BAD).sort();

type Document = {
  exitCode: number;
  files: string[];
  manifests: { address: string }[];
  problems: { file: string; line: number; column: number; severity: string; code: string; message: string }[];
  notRun: string[];
};

async function validate(folder: string): Promise<Document> {
  const cli = await openCli(null);
  cli.cwd = folder;
  const { code, json } = await cli.run("validate", ".", "-o", "json");
  const document = json() as Document;
  expect(document.exitCode).toBe(code);
  return document;
}

const linesOf = ({ problems }: Document) =>
  problems.map(
    ({ file, line, column, severity, code, message }) => `${file}:${line}:${column} ${severity} ${code} ${message}`,
  );

describe("validate reports the problems of invalid manifests with their positions", () => {
  it.each(cases)("%s", async (name) => {
    const document = await validate(join(BAD, name));
    const expected = readFileSync(join(BAD, name, "expected.txt"), "utf8")
      .trimEnd()
      .split("\n");
    expect(linesOf(document)).toEqual(expected);
    expect(document.exitCode).toBe(expected.some((line) => line.includes(" error ")) ? 3 : 0);
  });

  it("in a folder for each code, except for codes that need more than files", () => {
    const told = cases.flatMap((name) =>
      readFileSync(join(BAD, name, "expected.txt"), "utf8")
        .split("\n")
        .map((line) => line.split(" ")[2]),
    );
    const missing = Object.keys(MANIFEST_CODES).filter((code) => !told.includes(code));
    // Other tests cover links, limits and permissions. Ambiguous members can't be written in a file.
    expect(missing).toEqual([
      "PATH_MISSING",
      "PATH_UNREADABLE",
      "PATH_OUTSIDE",
      "PATH_LIMIT",
      "TOO_MANY_PROBLEMS",
      "ENV_TOO_LARGE",
      "MEMBER_AMBIGUOUS",
    ]);
  });
});

it("validate reports no problems for valid manifests", async () => {
  const document = await validate(join(FIXTURES, "good"));
  expect(linesOf(document)).toEqual([]);
  expect(document.manifests.map(({ address }) => address)).toEqual([
    "staffing/candidate/Candidate card",
    "staffing/candidate/Quick note",
    "DASHBOARD dashboardKey=main/Board",
    "CONTRACTOR/Contractor card",
    "CONTRACTOR scopeId=sco_1/Contractor card",
  ]);
  expect(document.files).toEqual([
    "forms.yaml",
    join("pages", "board-of-main.json"),
    join("pages", "board.json"),
    join("pages", "contractor.yaml"),
    join("layouts", "card.layout.yaml"),
  ]);
});
