/**
 * Tests hostile files in a folder of manifests. Each file is quickly accepted, or refused with a position. It never
 * causes a crash.
 */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timed } from "../cpu-time.ts";
import { readDocuments } from "../../src/documents/document.ts";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { propertyRuns } from "../effort.ts";
import { type Cli, openCli, type Outcome } from "./cli.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const AT_ONCE_MS = 1000;
/** The limit of processor time for hostile files. A successful attack would take minutes. */
const IN_TIME_MS = 20_000;

const EXAMPLES = join(ROOT, "examples", "northwind", "manifests");
const texts = readdirSync(EXAMPLES, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(join(EXAMPLES, name), "utf8"));
const values = texts.flatMap((text) => readDocuments(text, "").map(({ value }) => value));

const SCRAPS = String.raw`: |- |{|}|[|]|,|&a |*a|!!int |'|"|>-|#|---|...|<<: |%YAML 1.2|\|1e999|-0|null|true|__proto__: |kind: |$`;
const VARIABLES = "${A} ${ $${ ${A:- ${A:-x}";
const scraps = [
  ...SCRAPS.split("|"),
  ...VARIABLES.split(" "),
  "\n",
  "\n  ",
  "\t",
  "\0",
  "\u001B[2J",
  "\u202E",
  "\uFEFF",
  "::error::",
  "😀",
];

/** A text with parts removed, inserted or moved. */
const damagedText = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(fc.tuple(fc.nat(), fc.nat(60), fc.constantFrom("", ...scraps)), { minLength: 1, maxLength: 4 }),
  )
  .map(([text, edits]) =>
    edits.reduce((now, [at, length, scrap]) => {
      const from = at % (now.length + 1);
      return now.slice(0, from) + scrap + now.slice(from + (scrap === "" ? length : 0));
    }, text),
  );

const member = fc.constantFrom(
  "kind",
  "object",
  "name",
  "types",
  "layout",
  "access",
  "blocks",
  "regions",
  "children",
  "target",
  "ref",
  "organizations",
);
const word = fc.constantFrom<unknown>(
  "Form",
  "Layout",
  "a/b",
  "VIEW",
  "./x.layout.yaml",
  "input.yaml",
  ".",
  "..",
  "${A}",
  1,
  -1,
  0.5,
  true,
  null,
  "",
  [],
  {},
);

/** A manifest with a replaced value or an additional member. */
const damagedValue = fc
  .tuple(fc.constantFrom(...values), fc.nat(), fc.oneof(word, fc.jsonValue({ maxDepth: 2 })), fc.option(member))
  .map(([value, at, by, extra]) => {
    const copy = structuredClone(value);
    const places: [Record<string, unknown>, string][] = [];
    const stack: unknown[] = [copy];
    for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
      if (typeof here !== "object" || here === null) continue;
      for (const [key, child] of Object.entries(here)) {
        places.push([here as Record<string, unknown>, key]);
        stack.push(child);
      }
    }
    const [container, key] = places[at % places.length]!;
    container[extra ?? key] = by;
    return toYaml(copy);
  });

const anything = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: "binary", maxLength: 300 }).map((text) => Buffer.from(text)),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc.dictionary(member, fc.oneof(word, fc.jsonValue({ maxDepth: 2 }))).map((value) => Buffer.from(toYaml(value))),
);

type Document = {
  exitCode: number;
  problems: { file: string; line: number; column: number; code: string; message: string }[];
};

/** Returns how a run of validate ended wrongly, if it did. */
function complaint({ code, stdout, stderr, json }: Outcome, time: number): string | undefined {
  if (time > AT_ONCE_MS) return `took ${Math.round(time)} ms`;
  if (code !== 0 && code !== 3) return `exit ${code}: ${stderr}`;
  const { exitCode, problems } = json() as Document;
  if (exitCode !== code) return `${exitCode} is not ${code}`;
  if (code === 3 && problems.length === 0) return `no problem: ${stdout}`;
  const lost = problems.find(({ file, line, column, code: own }) => !file || !(line >= 1) || !(column >= 1) || !own);
  return lost && `${lost.code} has no place`;
}

/**
 * Runs validate. Garbage collection may slow a run down. So a run of over a second of processor time is repeated, at
 * most twice.
 */
async function validated(cli: Cli): Promise<{ outcome: Outcome; time: number }> {
  let time = Infinity;
  for (let attempt = 1; ; attempt++) {
    const { result: outcome, busy } = await timed(() => cli.run("validate", "m", "-o", "json"));
    time = Math.min(time, busy);
    if (time <= AT_ONCE_MS || attempt === 3) return { outcome, time };
  }
}

async function check(cli: Cli, files: Readonly<Record<string, string | Uint8Array>>): Promise<string | undefined> {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cli.cwd, "m", name), content);
  const { outcome, time } = await validated(cli);
  const wrong = complaint(outcome, time);
  if (wrong !== undefined) return wrong;
  // No line of a log begins with text from a file.
  const { stdout } = await cli.run("validate", "m", "--format", "github");
  const foreign = stdout
    .split("\n")
    .find((line) => line !== "" && !/^(?:::(?:error|warning) file=|\d+ manifests? in )/.test(line));
  return foreign === undefined ? undefined : `a line of its own: ${foreign}`;
}

async function openScene(): Promise<Cli> {
  const cli = await openCli();
  cli.env["A"] = "VIEW";
  cli.file(
    "m/ok.yaml",
    "kind: Form\nobject: staffing/candidate\nname: Sound\ntypes: [VIEW]\nlayout: ./x.layout.yaml\n",
  );
  cli.file("m/x.layout.yaml", "schemaVersion: 1\nregions: []\nblocks: []\n");
  await check(cli, {});
  return cli;
}

describe("validate", () => {
  it.each<[string, fc.Arbitrary<string | Uint8Array>, number]>([
    ["damaged texts of manifests", damagedText, 200],
    ["manifests with wrong values", damagedValue, 250],
    ["files of any other kind", anything, 150],
  ])("accepts %s, or locates their problems", async (_kind, content, runs) => {
    const cli = await openScene();
    await fc.assert(
      fc.asyncProperty(content, async (input) => {
        expect(await check(cli, { "input.yaml": input })).toBeUndefined();
        expect(await check(cli, { "input.yaml": "a: 1", "x.layout.yaml": input })).toBeUndefined();
      }),
      { numRuns: propertyRuns(runs) },
    );
  });

  it.each<[string, string]>([
    [
      "an alias bomb",
      `kind: Form\nconfig:\n  a: &a [x, x]\n${Array.from({ length: 60 }, (_, index) => `  b${index}: &b${index} [*${index === 0 ? "a" : `b${index - 1}`}, *${index === 0 ? "a" : `b${index - 1}`}]\n`).join("")}`,
    ],
    [
      "an alias bomb of environment values",
      `kind: Form\nconfig:\n  a: &a ["\${A}", "\${A}"]\n${Array.from({ length: 45 }, (_, index) => `  b${index}: &b${index} [*${index === 0 ? "a" : `b${index - 1}`}, *${index === 0 ? "a" : `b${index - 1}`}]\n`).join("")}`,
    ],
    ["100,000 keys", `kind: Form\n${Array.from({ length: 100_000 }, (_, index) => `k${index}: 1\n`).join("")}`],
    ["depth without end", `kind: Form\nconfig: ${"[".repeat(100_000)}`],
    ["100,000 documents", "---\nkind: Form\n".repeat(100_000)],
    ["a placeholder of a megabyte", `kind: Form\nname: \${${"A".repeat(1_000_000)}\n`],
    ["a hundred thousand placeholders", `kind: Form\nname: "${"${A}".repeat(100_000)}"\n`],
    ["half a million beginnings of placeholders", `kind: Form\nname: "${"${A:-".repeat(400_000)}"\n`],
    [
      "a name of a megabyte, nearly one of a list",
      `kind: Form\nobject: a/b\nname: x\ntypes: [${"VIEW".repeat(250_000)}]\n`,
    ],
    [
      "20,000 unknown members of a list's items",
      `kind: Form\nobject: a/b\nname: x\ntypes: [VIEW]\naccess:\n  users: [${"{ a: 1 },".repeat(20_000)}]\n  roles: []\n`,
    ],
  ])("refuses %s at a place, in time", async (_name, text) => {
    const cli = await openScene();
    writeFileSync(join(cli.cwd, "m", "input.yaml"), text);
    const { result: outcome, busy } = await timed(() => cli.run("validate", "m/input.yaml", "-o", "json"));
    expect(busy).toBeLessThan(IN_TIME_MS);
    expect(complaint(outcome, 0)).toBeUndefined();
    expect(outcome.code).toBe(3);
    expect((outcome.json() as Document).problems.length).toBeLessThanOrEqual(501);
    rmSync(join(cli.cwd, "m", "input.yaml"));
  });

  it("complains about wrong outcomes: the control", () => {
    const ended = (document: object, code = 3): Outcome => ({
      code,
      stdout: "",
      stderr: "",
      json: () => ({ exitCode: 3, ...document }),
      error: () => ({ code: "", message: "", exitCode: 3 }),
    });
    const place = { file: "a", line: 1, column: 1, code: "X", message: "" };
    expect(complaint(ended({ problems: [place] }), 10)).toBeUndefined();
    expect(complaint(ended({ problems: [{ ...place, line: 0 }] }), 10)).toBe("X has no place");
    expect(complaint(ended({ problems: [] }), 10)).toContain("no problem");
    expect(complaint(ended({ problems: [place] }, 0), 10)).toBe("3 is not 0");
    expect(complaint(ended({ problems: [place] }, 1), 10)).toContain("exit 1");
    expect(complaint(ended({ problems: [place] }), 1500)).toBe("took 1500 ms");
  });
});
