/** Tests that the commands in messages repeat the options that selected the target. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withTargetOptions } from "../../src/commands/target-options.ts";
import { mapCommands } from "../../src/terminal/message.ts";
import type { Cli } from "./cli.ts";
import { openDemo } from "./demo-cli.ts";

describe("the commands of a text", () => {
  const inStore = (text: string, argv = ["plan", "--store", "a.db", "--organization=x y"], path = ["plan"]) =>
    withTargetOptions(text, { path, argv });
  const OPTIONS = "--store a.db --organization 'x y'";

  it.each([
    ["formctl apply", `formctl apply ${OPTIONS}`],
    ["Run it: formctl migrate run", `Run it: formctl migrate run ${OPTIONS}`],
    ["Review: formctl plan. Then apply again.", `Review: formctl plan ${OPTIONS}. Then apply again.`],
    ["Log in: formctl auth login, or set X", `Log in: formctl auth login ${OPTIONS}, or set X`],
    ["formctl plan, or formctl status", `formctl plan ${OPTIONS}, or formctl status ${OPTIONS}`],
    ["formctl local init --demo (with data), or X", `formctl local init --demo ${OPTIONS} (with data), or X`],
    [
      "formctl plan > FILE (as a file), then formctl apply",
      `formctl plan ${OPTIONS} > FILE (as a file), then formctl apply ${OPTIONS}`,
    ],
    ["formctl apply  # does the rest", `formctl apply ${OPTIONS}  # does the rest`],
    ["It exists.\nNext: formctl apply", `It exists.\nNext: formctl apply ${OPTIONS}`],
    ["No store. Create it: formctl local init --demo", `No store. Create it: formctl local init --demo ${OPTIONS}`],
  ])("get the options: %j", (text, expected) => {
    expect(inStore(text)).toBe(expected);
  });

  it.each([
    "formctl apply --profile prod",
    "formctl forms list a/b --local",
    "formctl profiles list",
    "formctl config list",
    "formctl explain KIND",
    "formctl validate forms",
    "formctl migrate new NAME",
    "formctl local copy FROM TO",
    "formctl promote --from a --to b",
    "Use `formctl layouts draft push`",
    "formctl upgraded the store",
  ])("stay unchanged if they have a target or need none: %j", (text) => {
    expect(inStore(text)).toBe(text);
  });

  it.each([
    ["without options of a target", ["plan", "forms"], ["plan"]],
    ["after --, where words are arguments", ["plan", "--", "--store", "a.db"], ["plan"]],
    ["if the options describe a profile", ["profiles", "add", "x", "--store", "a.db"], ["profiles", "add"]],
  ])("stay unchanged %s", (_title, argv, path) => {
    expect(inStore("formctl apply", argv, path)).toBe("formctl apply");
  });

  it.each([
    [["--local"], "--local"],
    [["--local", "--store", "a.db"], "--store a.db"],
    [["--profile", "prod", "--token-file", "t"], "--profile prod --token-file t"],
  ])("get %j as %s", (argv, options) => {
    expect(inStore("formctl apply", argv)).toBe(`formctl apply ${options}`);
  });
});

it("does not search a long text of a server", () => {
  const text = ": formctl apply, ".repeat(100_000);
  const start = performance.now();
  expect(withTargetOptions(text, { path: ["plan"], argv: ["plan", "--local"] })).toBe(text);
  expect(performance.now() - start).toBeLessThan(1000);
});

const PROFILE = "staffing/candidate/Candidate profile";
const DRAFT = { schemaVersion: 1, regions: [{ key: "main", label: "Main", layout: "stack" }], blocks: [] };
const MANIFEST = `kind: Form
object: staffing/candidate
name: Quick look
types: [VIEW]
`;

/** Each kind of message with a command. `arrange` prepares the files, and `code` is the exit code. */
const PLACES: readonly { title: string; argv: readonly string[]; code: number; arrange?: (cli: Cli) => void }[] = [
  {
    title: "the next command",
    argv: ["forms", "create", "staffing/candidate", "--name", "A", "--types", "VIEW"],
    code: 0,
  },
  { title: "the hint of a refusal", argv: ["layouts", "publish", PROFILE], code: 6 },
  { title: "the hint of formctl", argv: ["forms", "get", "staffing/candidate/Card of nothing"], code: 5 },
  {
    title: "the hint in a JSON document",
    argv: ["forms", "get", "staffing/candidate/Card of nothing", "-o", "json"],
    code: 5,
  },
  { title: "the hint about a wrong argument", argv: ["forms", "get", "candidate"], code: 64 },
  { title: "the hint about a wrong option", argv: ["layouts", "versions", "get", PROFILE, "--version", "1"], code: 64 },
  { title: "a hint about an empty list", argv: ["local", "tokens", "list"], code: 0 },
  {
    title: "the hint of a file that is not a draft",
    argv: ["layouts", "draft", "push", "draft.yaml", PROFILE],
    code: 5,
  },
  {
    title: "the next command after a draft",
    argv: ["layouts", "draft", "push", PROFILE, "draft.yaml", "--yes", "--allow-replace"],
    code: 0,
    arrange: (cli) => void cli.file("draft.yaml", DRAFT),
  },
  {
    title: "the next command of a plan",
    argv: ["plan", "form.yaml"],
    code: 0,
    arrange: (cli) => void cli.file("form.yaml", MANIFEST),
  },
  {
    title: "the next command of a status",
    argv: ["status", "form.yaml"],
    code: 0,
    arrange: (cli) => void cli.file("form.yaml", MANIFEST),
  },
];

describe("a printed command", () => {
  it.each(PLACES)("has the typed options of the target: $title", async ({ argv, code, arrange }) => {
    const cli = await openDemo();
    delete cli.env["FORMCTL_ORGANIZATION"];
    arrange?.(cli);
    const target = ["--store", join(cli.home, "local.db"), "--organization", "northwind"];
    const typed = await cli.run(...argv, ...target);
    expect(typed).toMatchObject({ code });
    const commands = commandsIn(`${typed.stdout}\n${typed.stderr}`);
    expect(commands).not.toEqual([]);
    for (const command of commands) expect(command).toContain(target.join(" "));
  });

  it.each(PLACES)("has no options of the target without them: $title", async ({ argv, code, arrange }) => {
    const cli = await openDemo();
    arrange?.(cli);
    const plain = await cli.run(...argv);
    expect(plain).toMatchObject({ code });
    const commands = commandsIn(`${plain.stdout}\n${plain.stderr}`);
    expect(commands).not.toEqual([]);
    for (const command of commands) expect(command).not.toMatch(/--(store|organization|local|profile)/);
  });
});

it("the commands on a paged screen have the options once", async () => {
  const cli = await openDemo();
  Object.assign(cli, { columns: 200, rows: 50, errIsTTY: true });
  const target = ["--organization", "northwind"];
  const { stderr } = await cli.run("local", "tokens", "list", ...target);
  expect(stderr).toContain("formctl local tokens create --name NAME --organization northwind\n");
});

function commandsIn(text: string): string[] {
  const commands: string[] = [];
  mapCommands(text, (command) => {
    commands.push(command);
    return command;
  });
  return commands;
}

it("the fix of a finding has the typed options of the target", async () => {
  const cli = await openDemo();
  const target = ["--store", join(cli.home, "missing.db")];
  expect((await cli.run("doctor", ...target)).stdout).toContain(`formctl local init --demo ${target.join(" ")}`);
});
