/** The prompts for missing arguments, in a real terminal with typing and arrow keys. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CTRL_C, DOWN, ENTER, type PtyOutcome, runInPty, type Step, TAB } from "../pty.ts";
import { fileChoices } from "../../src/commands/prompt-value.ts";
import { type Cli, openCli } from "./cli.ts";
import { openDemo, wordsOf } from "./demo-cli.ts";

const PROFILE = "staffing/candidate/Candidate profile";

const PROGRAM = fileURLToPath(new URL("scripts/typed.ts", import.meta.url));

/** Runs the program from its sources in a terminal. stdout is a file. */
const atTerminal = ({ home, cwd, env }: Pick<Cli, "home" | "cwd" | "env">, words: string[], steps: Step[]) =>
  runInPty([process.execPath, PROGRAM, ...words], { home, cwd, env, hasStdoutFile: true }, steps);

/** Returns the words of the printed command line. A backslash continues a line. */
function lineOf({ screen }: PtyOutcome): string[] {
  const [, line = ""] = /Same as:\s+(.*?[^\\])\r?\n/s.exec(screen) ?? [];
  return wordsOf(line.replaceAll(/ \\\r?\n */g, " "));
}

/** Runs the printed command line without a terminal. */
async function again(cli: Cli, outcome: PtyOutcome): Promise<string> {
  return (await cli.run(...lineOf(outcome))).stdout;
}

const logOf = async (cli: Cli) => (await cli.run("local", "log", "--json")).json();

describe("at a terminal", () => {
  it("selects an object with the arrow keys, and then a form by typing a part of its name", async () => {
    const cli = await openDemo();
    const outcome = await atTerminal(
      cli,
      ["forms", "get", "-o", "name"],
      [
        [/Object:.*document_check.*staffing\/candidate/s, DOWN + ENTER],
        [/Form:.*Candidate intake.*Candidate profile/s, "profile"],
        [/Form: profile\s+❯ Candidate profile/, ENTER],
      ],
    );
    expect(outcome.exitCode).toBe(0);
    expect(lineOf(outcome)).toEqual(["forms", "get", "-o", "name", PROFILE]);
    expect(outcome.stdout).toMatch(/^frm_\w+\n$/);
    expect(await again(cli, outcome)).toBe(outcome.stdout);
  });

  it("selects a layout and one of its versions", async () => {
    const cli = await openDemo();
    const outcome = await atTerminal(
      cli,
      ["layouts", "versions", "get", "-o", "name"],
      [
        [/Layout:/, "profile"],
        [/Layout: profile\s+❯ staffing\/candidate\/Candidate profile/, ENTER],
        [/Version:.*latest: 2 \(published\).*2 \(published\).*1 \(archived\)/s, DOWN + DOWN + ENTER],
      ],
    );
    expect(outcome.exitCode).toBe(0);
    expect(lineOf(outcome)).toEqual(["layouts", "versions", "get", "-o", "name", PROFILE, "1"]);
    expect(await again(cli, outcome)).toBe(outcome.stdout);
  });

  it("asks for a name and selects modes", async () => {
    const cli = await openDemo();
    const outcome = await atTerminal(
      cli,
      ["forms", "create", "staffing/candidate", "-o", "name"],
      [
        [/Name of the form:/, ENTER],
        [/A value is required/, "It's new" + ENTER],
        [/Modes:.*CREATE.*VIEW.*EDIT/s, ` ${DOWN} ${ENTER}`],
      ],
    );
    expect(outcome.exitCode).toBe(0);
    expect(lineOf(outcome)).toEqual(
      ["forms", "create", "staffing/candidate", "-o", "name"].concat("--name", "It's new", "--types", "CREATE,VIEW"),
    );
    const { stdout } = await cli.run("forms", "get", "staffing/candidate/It's new", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({ types: ["CREATE", "VIEW"] });
  });

  it("selects between a role and a member, and the modes of the form", async () => {
    const cli = await openDemo();
    const outcome = await atTerminal(
      cli,
      ["forms", "access", "grant", PROFILE, "--dry-run"],
      [
        [/Modes:/, ` ${ENTER}`],
        [/Specify:.*--role.*--member/s, "mem"],
        [/Specify: mem\s+❯ --member/, ENTER],
        [/Member:.*Ana Ito.*Dana Reyes/s, "dana"],
        [/Member: dana\s+❯ Dana Reyes <dana@northwind.example>/, ENTER],
      ],
    );
    expect(outcome.exitCode).toBe(0);
    expect(outcome.screen).not.toContain("◯ CREATE");
    expect(lineOf(outcome).slice(-4)).toEqual(["--types", "VIEW", "--member", "dana@northwind.example"]);
    const role = await atTerminal(
      cli,
      ["forms", "access", "revoke", PROFILE, "--dry-run"],
      [
        [/Specify:/, ENTER],
        [/Role:.*Account Manager.*Recruiter/s, DOWN + DOWN + ENTER],
      ],
    );
    expect(lineOf(role).slice(-2)).toEqual(["--role", "recruiter"]);
  });

  it("completes the path of a file", async () => {
    const cli = await openDemo();
    cli.file("drafts/one.yaml", readFileSync("examples/northwind/drafts/candidate-profile.yaml", "utf8"));
    cli.file("drafts/two.txt", "");
    const outcome = await atTerminal(
      cli,
      ["layouts", "draft", "push", PROFILE, "--dry-run", "-o", "json"],
      [
        [/File:.*drafts\//s, ENTER],
        [/File: drafts\/\s+❯ drafts\/one\.yaml/, TAB],
        [/File: drafts\/one\.yaml/, ENTER],
      ],
    );
    expect(lineOf(outcome).at(-1)).toBe("drafts/one.yaml");
    expect(outcome.screen).not.toContain("two.txt");
    expect(JSON.parse(outcome.stdout)).toMatchObject({ dryRun: true });
  });

  it("selects a currency out of many by its name", async () => {
    const cli = await openDemo();
    const outcome = await atTerminal(
      cli,
      ["currencies", "get", "-o", "name"],
      [
        [/Code:/, "zloty"],
        [/Code: zloty\s+❯ PLN/, ENTER],
      ],
    );
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "PLN\n" });
  });

  it("ends with 130 and changes nothing after Ctrl-C at the first or a later prompt", async () => {
    const cli = await openDemo();
    const before = await logOf(cli);
    const first = await atTerminal(cli, ["forms", "create"], [[/Object:/, CTRL_C]]);
    expect(first).toMatchObject({ exitCode: 130, stdout: "" });
    const later = await atTerminal(
      cli,
      ["forms", "create", "staffing/candidate"],
      [
        [/Name of the form:/, "New" + ENTER],
        [/Modes:/, ` ${CTRL_C}`],
      ],
    );
    expect(later).toMatchObject({ exitCode: 130, stdout: "" });
    expect(later.screen).not.toContain("Same as");
    expect(await logOf(cli)).toEqual(before);
  });

  it.each([
    [["forms", "get", "--no-input"], {}],
    [["forms", "get"], { CI: "true" }],
  ])("does not prompt with %j and %j", async (words, env) => {
    const cli = await openDemo();
    const { exitCode, screen, stdout } = await atTerminal({ home: cli.home, cwd: cli.cwd, env }, words, []);
    expect({ exitCode, stdout }).toEqual({ exitCode: 64, stdout: "" });
    expect(screen).toContain("error: missing argument FORM");
  });
});

it("offers the folder above, and no files of other tools", async () => {
  const cli = await openCli(null);
  for (const path of ["a/draft.yaml", "a/package.json", "a/package-lock.json", "a/pnpm-lock.yaml", "a/b/c.json"])
    cli.file(path, "");
  const offered = (typed: string, any = false) => fileChoices(join(cli.cwd, "a"), typed, any).map(({ value }) => value);
  expect(offered("")).toEqual(["b/", "draft.yaml", "../"]);
  expect(offered("b/")).toEqual(["b/c.json", "b/../"]);
  expect(offered("../")).toEqual(["../a/", "../../"]);
  expect(offered("dr")).toEqual(["draft.yaml"]);
  expect(offered("pa", true)).toEqual(["package-lock.json", "package.json"]);
});
