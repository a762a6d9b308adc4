/**
 * Tests texts that an agent of Azure or GitHub executes as a command in a log. No format prints such a text. Documents
 * keep their values.
 */

import { describe, expect, it } from "vitest";
import { readDocuments } from "../../src/documents/document.ts";
import { type Cli, openCli } from "./cli.ts";

const OBEYED = new RegExp(String.raw`(?:^|[\r\n])(?:\s|\u0085|\u001B\[\d*m)*::|##\[|##vso\[`, "i");
const NAMES = ["##vso[task.complete]", "::error::x", "  ::add-mask::x", "a ##[group]b", "####vso[x]", "::", "#"];
const CREATE = ["forms", "create", "staffing/candidate", "--types", "VIEW", "--name"];

const parsed = (text: string) => readDocuments(text, "").map(({ value }) => value);

/** Returns the lines that an agent would execute as commands. */
function obeyed(...texts: string[]): string[] {
  return texts.flatMap((text) => text.split(/\r\n|[\r\n]/)).filter((line) => OBEYED.test(line));
}

async function withForms(): Promise<Cli> {
  const cli = await openCli();
  for (const name of NAMES) expect((await cli.run(...CREATE, name, "--title", name)).code).toBe(0);
  return cli;
}

describe("the names of forms", () => {
  it.each(["table", "json", "jsonl", "yaml", "name"])("are harmless with -o %s", async (format) => {
    const cli = await withForms();
    for (const argv of [
      ["forms", "list", "staffing/candidate", "--limit", "50"],
      ["forms", "get", "staffing/candidate/##vso[task.complete]"],
      ["api", "GET", "/v1/custom-modules/staffing/objects/candidate/forms"],
      ["export", "staffing/candidate"],
      ["forms", "get", "staffing/candidate/##vso[none]", "--verbose"],
      [...CREATE, "##vso[x] ::y", "--title", "::z", "--dry-run"],
    ]) {
      const { stdout, stderr } = await cli.run(...argv, "-o", format);
      expect(obeyed(stdout, stderr)).toEqual([]);
    }
  });

  it("are the same in every document", async () => {
    const cli = await withForms();
    const named = (value: unknown) => (value as { name: string }[]).map(({ name }) => name);
    const list = ["forms", "list", "staffing/candidate", "--limit", "50"];
    const expected: unknown = expect.arrayContaining(NAMES.map((name) => name.trim()));
    expect(named((await cli.run(...list, "-o", "json")).json())).toEqual(expected);
    const [yaml] = parsed((await cli.run(...list, "-o", "yaml")).stdout);
    expect(named(yaml)).toEqual(expected);
    const { stdout } = await cli.run("export", "staffing/candidate");
    expect(named(parsed(stdout).filter((each) => (each as { kind: string }).kind === "Form"))).toEqual(expected);
  });

  it("are JSON of the same value in the request of a dry run", async () => {
    const cli = await openCli();
    const { stdout } = await cli.run(...CREATE, "##vso[x]\u202E", "--dry-run");
    expect(stdout).not.toMatch(OBEYED);
    expect(stdout).not.toContain("\u202E");
    expect(JSON.parse(stdout.slice(stdout.indexOf("{")))).toMatchObject({ name: "##vso[x]\u202E" });
  });
});

describe("the content of files", () => {
  const MANIFEST = "kind: Form\nobject: staffing/candidate\n'##vso[a]': 1\n? |\n  ::error::b\n: 1\nname: [\n::x\n";

  it.each(["text", "sarif", "junit"])("is harmless in the format %s", async (format) => {
    const cli = await openCli();
    cli.file("m/##vso[file].yaml", MANIFEST);
    cli.file("m/other.yaml", "kind: '##vso[kind]'\n");
    const { code, stdout, stderr } = await cli.run("validate", "m", "--format", format);
    expect(code).toBe(3);
    expect(obeyed(stdout, stderr)).toEqual([]);
  });

  it("is harmless in the commands that are made for GitHub", async () => {
    const cli = await openCli();
    cli.file("m/##vso[file].yaml", MANIFEST);
    cli.file("m/other.yaml", "kind: '##vso[kind]'\n");
    const { stdout } = await cli.run("validate", "m", "--format", "github");
    const lines = stdout.trimEnd().split("\n").slice(0, -1);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(obeyed(line.replace(/^::error file=/, ""))).toEqual([]);
    expect(stdout).toMatch(/^::error file=/);
  });

  it("is harmless as a body, an argument and a setting", async () => {
    const cli = await openCli();
    cli.file("body.json", '{"##vso[a]": }');
    for (const argv of [
      ["api", "POST", "/v1/view-layouts", "-d", "@body.json"],
      ["forms", "##vso[x]"],
      ["config", "set", "output", "##vso[x]"],
      ["forms", "list", "staffing/candidate", "-o", "##vso[x]"],
      ["validate", "::x ##vso[y]"],
      ["layouts", "get", "##vso[x]"],
    ]) {
      const { code, stdout, stderr } = await cli.run(...argv);
      expect(code).not.toBe(0);
      expect(obeyed(stdout, stderr)).toEqual([]);
    }
  });
});
