/**
 * Tests damaged files, and files that are not for formctl. Each file is accepted, or refused with a location, without
 * delay. `layouts-hostile.test.ts` tests files that resemble a draft.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timed } from "../cpu-time.ts";
import { readDocument } from "../../src/documents/document.ts";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { propertyRuns } from "../effort.ts";
import { type Cli, openCli, type Outcome } from "./cli.ts";

const EXAMPLES = join(import.meta.dirname, "..", "..", "examples", "northwind");
const FILE = "input.yaml";
const AT_ONCE_MS = 1000;

/** Returns the files of an example folder, both unchanged and as JSON. */
function originals(...path: string[]): Buffer[] {
  const folder = join(EXAMPLES, ...path);
  const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  return files.flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    return [bytes, Buffer.from(JSON.stringify(readDocument(bytes, name).value, null, 2))];
  });
}

const drafts = originals("drafts");
const organizations = originals();
const form = {
  name: "Short intake",
  types: ["CREATE"],
  isPublic: true,
  config: { title: "Welcome", more: [1, { a: null }] },
};
const forms = [Buffer.from(toYaml(form)), Buffer.from(JSON.stringify(form, null, 2))];
const matrix = {
  users: [{ member: "ana@northwind.example", types: ["VIEW"] }],
  roles: [{ role: "Recruiter", types: ["VIEW"] }],
};
const matrices = [Buffer.from(toYaml(matrix)), Buffer.from(JSON.stringify(matrix, null, 2))];

const scraps =
  String.raw`: |- |{|}|[|]|,|&a |*a|!!int |!x |'|"|>-|#|---|...|<<: |%YAML 1.2|\|\u|1e999|99999999999999999999|-0
|null|true|0x1f|__proto__: |constructor: |id: |types: |organizations:`
    .split("|")
    .concat("|\n", "\n", "\n  ", "\t", "\0", "\u001B[2J", "\u202E", "\uFEFF", "é", "😀")
    .map((text) => Buffer.from(text));

type Edit = (bytes: Buffer) => Buffer;

/** A position in the file, as a fraction of its length. */
const spot = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Buffer, part: number) => Math.floor(part * bytes.length);

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(spot, fc.nat(40)).map<Edit>(([from, length]) => (bytes) => {
    return Buffer.concat([bytes.subarray(0, at(bytes, from)), bytes.subarray(at(bytes, from) + length)]);
  }),
  fc.tuple(spot, fc.nat(200)).map<Edit>(([from, length]) => (bytes) => {
    const end = at(bytes, from) + length;
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at(bytes, from))]);
  }),
  fc.tuple(spot, fc.constantFrom(...scraps)).map<Edit>(([where, scrap]) => (bytes) => {
    return Buffer.concat([bytes.subarray(0, at(bytes, where)), scrap, bytes.subarray(at(bytes, where))]);
  }),
  fc.tuple(spot, fc.nat(255)).map<Edit>(([where, byte]) => (bytes) => {
    const changed = Buffer.from(bytes);
    changed[Math.min(at(bytes, where), Math.max(0, bytes.length - 1))] = byte;
    return changed;
  }),
  spot.map<Edit>((end) => (bytes) => bytes.subarray(0, at(bytes, end))),
  fc.tuple(spot, spot).map<Edit>(([one, another]) => (bytes) => {
    const lines = bytes.toString("latin1").split("\n");
    const [from, to] = [Math.floor(one * (lines.length - 1)), Math.floor(another * (lines.length - 1))];
    [lines[from], lines[to]] = [lines[to] ?? "", lines[from] ?? ""];
    return Buffer.from(lines.join("\n"), "latin1");
  }),
);

const damaged = (files: readonly Buffer[]) =>
  fc
    .tuple(fc.constantFrom(...files), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([file, edits]) => edits.reduce((bytes, change) => change(bytes), file));

const foreign = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text)),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc.jsonValue().map((value) => Buffer.from(toYaml(value))),
);

type Failure = {
  code: string;
  location?: { line: number; column: number };
  problems?: { line: number; column: number }[];
};

/** Returns how the end of a command violates the rules. */
function complaint({ code, stdout, stderr, json }: Outcome, time: number): string | undefined {
  if (time > AT_ONCE_MS) return `took ${Math.round(time)} ms`;
  if (code === 0) return undefined;
  if (code !== 3) return `exit ${code}: ${stderr}`;
  // A draft that violates rules is saved. The response lists the problems.
  if (stdout !== "") return placed((json() as { problems: Failure["problems"] }).problems) ? undefined : stdout;
  const { error } = JSON.parse(stderr) as { error: Failure };
  return placed(error.problems) && error.location ? undefined : `${error.code} has no place: ${stderr}`;
}

function placed(problems: Failure["problems"]): boolean {
  return (
    problems !== undefined && problems.length > 0 && problems.every(({ line, column }) => line >= 1 && column >= 1)
  );
}

async function openScene(): Promise<Cli> {
  const cli = await openCli();
  for (const name of ["Candidate profile", "Candidate intake"]) {
    const { code } = await cli.run("forms", "create", "staffing/candidate", "--name", name, "--types", "VIEW,CREATE");
    expect(code).toBe(0);
  }
  return cli;
}

const commands: [line: string, files: readonly Buffer[], words: string[]][] = [
  ["layouts draft push", drafts, ["layouts", "draft", "push", "staffing/candidate/Candidate profile", FILE]],
  ["local seed", organizations, ["local", "seed", FILE]],
  ["forms create -f", forms, ["forms", "create", "staffing/candidate", "-f", FILE, "--allow-duplicate"]],
  [
    "forms access set -f",
    matrices,
    ["forms", "access", "set", "staffing/candidate/Candidate intake", "-f", FILE, "--yes"],
  ],
];

describe.each(commands)("%s", (_line, files, words) => {
  it.each([
    ["damaged files of its own kind", damaged(files), 150],
    ["files of any other kind", foreign, 60],
  ])("accepts %s, or locates their problems", async (_kind, bytes, runs) => {
    const cli = await openScene();
    const wrong = async (input: Buffer) => {
      writeFileSync(join(cli.cwd, FILE), input);
      const { result, busy } = await timed(() => cli.run(...words, "-o", "json"));
      return complaint(result, busy);
    };
    // The first run loads the program, so its time doesn't count.
    await wrong(files[0]!);
    await fc.assert(
      fc.asyncProperty(bytes, async (input) => {
        expect(await wrong(input)).toBeUndefined();
      }),
      { numRuns: propertyRuns(runs) },
    );
    expect((await cli.run("local", "check")).stdout).toBe("No problems found.\n");
  });

  it("accepts the undamaged files (control)", async () => {
    const cli = await openScene();
    writeFileSync(join(cli.cwd, FILE), files[0]!);
    expect([0, 3]).toContain((await cli.run(...words)).code);
  });
});

it("complains about wrong outcomes: the control", () => {
  const refusal = (error: object): Outcome => ({
    code: 3,
    stdout: "",
    stderr: JSON.stringify({ error: { code: "X", ...error } }),
    json: () => undefined,
    error: () => ({ code: "X", message: "", exitCode: 3 }),
  });
  const place = { line: 1, column: 1 };
  expect(complaint(refusal({ location: place, problems: [place] }), 10)).toBeUndefined();
  expect(complaint(refusal({ location: place, problems: [] }), 10)).toContain("has no place");
  expect(complaint(refusal({ problems: [place] }), 10)).toContain("has no place");
  expect(complaint({ ...refusal({}), code: 1 }, 10)).toContain("exit 1");
  expect(complaint({ ...refusal({}), code: 0 }, 1500)).toBe("took 1500 ms");
});
