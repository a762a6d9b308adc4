/**
 * Tests the streams of every command, with an example from its help in the demo:
 * - one document on stdout;
 * - exit codes in documents;
 * - no escape sequences with NO_COLOR;
 * - a reader that closes the pipe.
 *
 * missing-arguments.test.ts tests missing arguments. test/e2e/examples.test.ts runs all examples.
 */

import { cpSync, mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocuments } from "../../src/documents/document.ts";
import { isJsonObject } from "../../src/schemas/json.ts";
import { before, onServer } from "../e2e/example-setup.ts";
import { allCommands } from "./all-commands.ts";
import type { Cli, Outcome } from "./cli.ts";
import { openDemo, wordsOf } from "./demo-cli.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const ESCAPE = String.fromCharCode(27);

/**
 * Returns the first example that runs without a shell and without a database. Only a shell can run a pipe, a
 * redirection or a variable. `formctl init` is left out, because it prompts for everything.
 */
function exampleOf(examples: readonly string[]): string {
  const isPlain = (line: string) => {
    const unquoted = line.replaceAll(/"[^"]*"|'[^']*'|\$\([^)]*\)/g, "");
    return line.startsWith("formctl ") && !/[|<>&$]|(^| )-o |--json|--watch|--open|postgres:/.test(unquoted);
  };
  return examples.filter((line) => line !== "formctl init").find(isPlain) ?? "";
}

/** These commands need a terminal or the built program, or run until a signal. */
const NEEDS_MORE = ["forms edit", "layouts edit", "serve", "auth login", "rehearse"];
/** The exit codes of commands whose example does not report success. */
const NOT_ZERO: Readonly<Record<string, number>> = {
  // The profile of the example has no token.
  "auth status": 4,
};

/** Returns the member `exitCode` of a document, if any. */
const exitCodeIn = (document: unknown) => (isJsonObject(document) ? document["exitCode"] : undefined);

const all = (await allCommands()).map((each) => ({ ...each, line: exampleOf(each.command.examples) }));
const rows = all.filter(({ name }) => !NEEDS_MORE.includes(name));

/** Opens the demo with the files and records that the example needs. */
async function openFor(line: string): Promise<Cli> {
  const cli = await openDemo();
  mkdirSync(join(cli.cwd, ".git"));
  cli.file("cv.pdf", "Mia Park");
  cli.file("access.yaml", "{users: [], roles: []}");
  const northwind = join(ROOT, "examples", "northwind");
  cpSync(join(northwind, "manifests"), join(cli.cwd, "forms"), { recursive: true });
  for (const file of ["organization.yaml", "drafts/candidate-profile.yaml"])
    cpSync(join(northwind, file), join(cli.cwd, basename(file)));
  if (line.startsWith("formctl codemod ")) {
    cli.file("migrations/20261122-1000-replace-pay-rate.mjs", "export default { form: (form) => form };\n");
  }
  const profile =
    onServer[line] === undefined ? [] : ["formctl profiles add prod --base-url https://forms.example.com"];
  for (const setup of [...profile, ...(before[line] ?? "").split(" && ")]) {
    if (!setup.startsWith("formctl ")) continue;
    expect(await runLine(cli, setup)).toMatchObject({ code: 0 });
  }
  return cli;
}

/** Splits an example into words. Runs each `$(…)` in the example. */
async function wordsIn(cli: Cli, line: string): Promise<string[]> {
  let words = line;
  for (const [whole, inner = ""] of line.matchAll(/\$\((formctl [^)]*)\)/g))
    words = words.replace(whole, (await cli.run(...wordsOf(inner))).stdout.trim());
  // A backup is relative to the working directory of the process. The working directory of the test is different.
  return wordsOf(words).map((word) => (word.endsWith(".db") ? resolve(cli.cwd, word) : word));
}

const runLine = async (cli: Cli, line: string, ...more: string[]): Promise<Outcome> =>
  cli.run(...(await wordsIn(cli, line)), ...more);

it("has an example for each command that runs without a shell", () => {
  expect(all.filter(({ line }) => line === "").map(({ name }) => name)).toEqual([]);
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(NEEDS_MORE));
  expect(rows.length).toBeGreaterThan(60);
});

describe.each(rows)("formctl $name", ({ name, line }) => {
  const expected = NOT_ZERO[name] ?? 0;

  it("prints one JSON document on stdout, whose exit code is that of the program", async () => {
    const outcome = await runLine(await openFor(line), line, "-o", "json");
    const { code, stderr } = outcome;
    expect({ code, stderr: code === expected ? "" : stderr }).toEqual({ code: expected, stderr: "" });
    expect(exitCodeIn(outcome.json())).toBeOneOf([undefined, code]);
  });

  it("prints a failure as one JSON document on stderr, whose exit code is that of the program", async () => {
    const cli = await openFor(line);
    const { code, stdout, error } = await runLine(cli, line, "--nonsense", "-o", "json");
    expect({ code, stdout, exitCode: error().exitCode }).toEqual({ code: 64, stdout: "", exitCode: 64 });
    const withProfile = await runLine(cli, line, "--profile", "unknown", "-o", "json");
    // A command without a target succeeds, because it ignores the profile.
    const exitCode = withProfile.code === expected ? expected : withProfile.error().exitCode;
    expect({ exitCode, hasDocument: withProfile.stdout !== "" }).toEqual({
      exitCode: withProfile.code,
      hasDocument: withProfile.code === expected,
    });
  });

  it("prints a table without escape sequences with NO_COLOR, on a terminal too", async () => {
    const cli = await openFor(line);
    cli.columns = 80;
    cli.env["NO_COLOR"] = "1";
    const { code, stdout, stderr } = await runLine(cli, line);
    expect(code).toBe(expected);
    expect(stdout).not.toContain(ESCAPE);
    expect(stderr).not.toContain(ESCAPE);
  });

  it("does not fail if the reader of stdout closes the pipe", async () => {
    for (const closeAfter of [0, 1]) {
      const cli = await openFor(line);
      const words = await wordsIn(cli, line);
      cli.closeAfter = closeAfter;
      const { code, stderr } = await cli.run(...words);
      expect({ code, stderr: /error|EPIPE/.exec(stderr)?.[0] }).toEqual({ code: expected, stderr: undefined });
    }
  });
});

// Only reading commands are tested: the second run of a writing command has another result.
const reading = rows.filter(({ command }) => command.writes === undefined);

it.each(reading)("formctl $name prints one YAML document, and JSON in each line of jsonl", async ({ line }) => {
  const cli = await openFor(line);
  const yaml = await runLine(cli, line, "-o", "yaml");
  expect(readDocuments(Buffer.from(yaml.stdout), "stdout")).toHaveLength(1);
  const jsonl = await runLine(cli, line, "-o", "jsonl");
  for (const each of jsonl.stdout.trimEnd().split("\n")) if (each !== "") JSON.parse(each);
});

it("sees escape sequences without NO_COLOR (control)", async () => {
  const cli = await openFor("");
  cli.columns = 80;
  expect((await cli.run("forms", "list", "staffing/candidate")).stdout).toContain(ESCAPE);
});
