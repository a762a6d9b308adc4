/** Tests `formctl validate`: its output in each format, and its sources in addition to the manifests. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sarifErrors, xmlErrors } from "./ci-formats.ts";
import { openCli, type Cli } from "./cli.ts";
import { openRemoteScene } from "./remote-scene.ts";

const form = (name: string, more = "") =>
  `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [VIEW]\n${more}${more && "\n"}`;
const showing = (fieldKey: string) => `layout:
  schemaVersion: 1
  regions: [{ key: main, label: Main, layout: stack }]
  blocks: [{ type: field, source: dynamic_field, ref: { fieldKey: ${fieldKey} }, regionKey: main }]`;

type Document = {
  exitCode: number;
  files: string[];
  manifests: { address: string }[];
  problems: { code: string; file: string; line: number; message: string }[];
  notRun: string[];
};

async function validate(cli: Cli, ...words: string[]): Promise<Document> {
  const outcome = await cli.run("validate", ...words, "-o", "json");
  const document = outcome.json() as Document;
  expect(document.exitCode).toBe(outcome.code);
  return document;
}

const codes = ({ problems }: Document) => problems.map(({ code }) => code);

describe("validate", () => {
  it("prints every problem with its line, and the counts", async () => {
    const cli = await openCli();
    cli.file("m/a.yaml", form("Card", showing("ful_name")));
    cli.file("m/b.layout.yaml", "schemaVersion: 1");
    const { code, stdout, stderr } = await cli.run("validate", "m");
    expect(code).toBe(3);
    expect(stdout).toBe(`m/a.yaml:8:67  error  FIELD_UNKNOWN  unknown field "ful_name". Did you mean "full_name"?
    8 | …: field, source: dynamic_field, ref: { fieldKey: ful_name }, regionKey: main }]
      |                                                   ^
m/b.layout.yaml:1:1  warning  LAYOUT_UNREFERENCED  no manifest references this layout file. Reference it with layout in a manifest, or remove it
1 manifest in 1 file: 1 error, 1 warning
`);
    expect(stderr).toBe("");
  });

  it("accepts valid manifests, and warnings without --strict", async () => {
    const cli = await openCli();
    cli.file("m/a.yaml", form("Card", showing("full_name")));
    expect(await cli.run("validate", "m")).toMatchObject({ code: 0, stdout: "1 manifest in 1 file: no errors\n" });
    cli.file("m/b.layout.yaml", "schemaVersion: 1");
    expect(await cli.run("validate", "m")).toMatchObject({ code: 0 });
    expect(await cli.run("validate", "m", "--strict")).toMatchObject({ code: 3 });
    expect(await validate(cli, "m", "--strict")).toMatchObject({ exitCode: 3, problems: [{ severity: "warning" }] });
  });

  it.each([
    ["an empty folder", () => undefined],
    ["a folder of other files", (cli: Cli) => void cli.file("m/a.txt", "x")],
    ["layouts alone", (cli: Cli) => void cli.file("m/a.layout.yaml", "schemaVersion: 1")],
    ["an organization alone", (cli: Cli) => void cli.file("m/o.yaml", "organizations: [{ key: a, name: A }]")],
  ])("does not take %s for success", async (_what, write) => {
    const cli = await openCli();
    mkdirSync(join(cli.cwd, "m"));
    write(cli);
    const document = await validate(cli, "m");
    expect(document.exitCode).toBe(3);
    expect(codes(document)).toContain("MANIFESTS_MISSING");
  });

  it("reads the folder that the project file sets, from any folder of the project", async () => {
    const cli = await openCli();
    cli.file("formctl.yaml", "manifests: forms");
    cli.file("forms/a.yaml", form("Card"));
    mkdirSync(join(cli.cwd, ".git"));
    mkdirSync(join(cli.cwd, "deep", "er"), { recursive: true });
    expect(await validate(cli)).toMatchObject({ exitCode: 0, files: ["forms/a.yaml"] });
    cli.cwd = join(cli.cwd, "deep", "er");
    expect(await validate(cli)).toMatchObject({ exitCode: 0, files: ["../../forms/a.yaml"] });
  });

  it("requires a path or a folder in the project file", async () => {
    const cli = await openCli();
    const { code, error } = await cli.run("validate", "-o", "json");
    expect(code).toBe(64);
    expect(error()).toMatchObject({ code: "USAGE", hint: expect.stringContaining("manifests: FOLDER") as string });
  });

  it("reads standard input", async () => {
    const cli = await openCli();
    cli.stdin = form("Card", "isActive: 1");
    expect(await validate(cli, "-")).toMatchObject({ exitCode: 3, problems: [{ file: "<stdin>", line: 5 }] });
  });

  it("refuses --format with another -o", async () => {
    const cli = await openCli();
    cli.file("a.yaml", form("Card"));
    expect((await cli.run("validate", "a.yaml", "--format", "sarif", "-o", "json")).code).toBe(64);
    expect((await cli.run("validate", "a.yaml", "--format", "xml")).code).toBe(64);
    cli.env["FORMCTL_OUTPUT"] = "json";
    expect((await cli.run("validate", "a.yaml", "--format", "sarif", "-o", "table")).code).toBe(0);
  });
});

describe("the source of fields, roles and members", () => {
  const organization = `organizations:
  - key: other
    name: Other
    roles: [{ key: lead, name: Lead }]
    modules: [{ key: staffing, name: S, objects: [{ key: candidate, name: C, fields: [{ key: nick, name: N, type: TEXT }] }] }]`;

  it("is the organization of the local store", async () => {
    const cli = await openCli();
    cli.file(
      "a.yaml",
      form("Card", `${showing("nick")}\naccess: { users: [], roles: [{ role: Recruiter, types: [VIEW] }] }`),
    );
    const document = await validate(cli, "a.yaml");
    expect(codes(document)).toEqual(["FIELD_UNKNOWN"]);
    expect(document.notRun).toEqual([]);
  });

  it("is the organization file of --organization-file, or one among the manifests", async () => {
    const cli = await openCli();
    cli.file(
      "m/a.yaml",
      form("Card", `${showing("nick")}\naccess: { users: [], roles: [{ role: Recruiter, types: [VIEW] }] }`),
    );
    cli.file("organization.yaml", organization);
    const named = await validate(cli, "m", "--organization-file", "organization.yaml");
    expect(codes(named)).toEqual(["ROLE_UNKNOWN"]);
    cli.file("m/organization.yaml", organization);
    expect(codes(await validate(cli, "m"))).toEqual(["ROLE_UNKNOWN"]);
    // An organization file replaces the store, so the invalid store is not opened.
    cli.env["FORMCTL_STORE"] = cli.file("broken.db", "no database at all, and long enough to be looked at as one");
    expect(codes(await validate(cli, "m"))).toEqual(["ROLE_UNKNOWN"]);
    expect((await cli.run("validate", "m/a.yaml")).code).not.toBe(0);
  });

  it("does not check ids of fields that an organization file leaves out", async () => {
    const cli = await openCli();
    const field = "{ surface: CONTRACTOR, key: vat, name: VAT, type: TEXT }";
    cli.file("o.yaml", `organizations: [{ key: o, name: O, customFields: [${field}] }]`);
    const block = "{ type: field, source: custom_field, ref: { fieldDefinitionId: fld_1 }, regionKey: main }";
    cli.file(
      "a.yaml",
      `kind: Layout\nname: Card\nsurface: CONTRACTOR\nsupportedModes: [VIEW]\nlayout:\n  schemaVersion: 1
  regions: [{ key: main, label: Main, layout: stack }]\n  blocks: [${block}]`,
    );
    const document = await validate(cli, "a.yaml", "--organization-file", "o.yaml");
    expect(codes(document)).toEqual([]);
    expect(document.notRun).toEqual([
      "whether the fields exist, are required or have values: the fields of the object are unknown (o.yaml), for CONTRACTOR/Card",
    ]);
  });

  it("is missing without a store and a file: the output lists the skipped checks", async () => {
    const cli = await openCli(null);
    cli.file(
      "a.yaml",
      form("Card", `${showing("nick")}\naccess: { users: [], roles: [{ role: Anybody, types: [VIEW] }] }`),
    );
    const { code, stderr } = await cli.run("validate", "a.yaml");
    expect(code).toBe(0);
    expect(stderr.split("\n").filter(Boolean)).toEqual([
      expect.stringContaining("Not checked: whether the fields exist"),
      expect.stringContaining("Not checked: whether the scripts exist"),
      expect.stringContaining("Not checked: whether the roles and members exist"),
    ]);
  });

  it("is the project file for a server, which receives no request", async () => {
    const { cli, url } = await openRemoteScene();
    cli.env["FORMCTL_TOKEN"] = "no-such-token";
    cli.file(
      "a.yaml",
      form(
        "Card",
        `${showing("nick")}\naccess: { users: [], roles: [{ role: Lead, types: [VIEW] }, { role: Laed, types: [VIEW] }] }`,
      ),
    );
    cli.file("formctl.yaml", `references: { "${url}": { roles: { Lead: rol_1 } } }`);
    const document = await validate(cli, "a.yaml");
    expect(document.problems).toMatchObject([
      {
        code: "ROLE_UNKNOWN",
        message: `access.roles[1].role is "Laed", and references["${url}"].roles in formctl.yaml has no such role. Did you mean "Lead"?`,
      },
    ]);
    expect(document.notRun).toEqual([
      expect.stringContaining("a server does not list them: specify an organization file"),
      expect.stringContaining("the registered scripts are unknown"),
    ]);
  });
});

describe("formats for CI services", () => {
  /** Names and texts with a meaning in a log, in XML or in a URL. */
  const HOSTILE = String.raw`a%, b: ]]><x>"'&` + "\u202E\u0007\uFFFE::error::💥";

  async function openHostile(): Promise<Cli> {
    const cli = await openCli();
    cli.file("m/a b,c:d%.yaml", form("Card", `isActive: ${JSON.stringify(HOSTILE)}`));
    cli.file("m/ok.yaml", form("Sheet"));
    cli.file("m/w.layout.yaml", "schemaVersion: 1");
    return cli;
  }

  it("github: one workflow command per problem, and no text of a file at the start of a line", async () => {
    const cli = await openHostile();
    const { code, stdout } = await cli.run("validate", "m", "--format", "github");
    expect(code).toBe(3);
    const lines = stdout.split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^::error file=m\/a b%2Cc%3Ad%25\.yaml,line=5,col=11,title=MANIFEST_INVALID::isActive must be true or false, not "a%25, b: /,
    );
    expect(lines[0]).toContain(String.raw`\\u202e`.slice(1));
    expect(lines[1]).toMatch(/^::warning file=m\/w\.layout\.yaml,line=1,col=1,title=LAYOUT_UNREFERENCED::no manifest/);
    expect(lines[2]).toBe("1 manifest in 2 files: 1 error, 1 warning");
  });

  it("github: paths relative to the root of the repository, in any working directory", async () => {
    const cli = await openHostile();
    cli.env["GITHUB_WORKSPACE"] = cli.cwd;
    cli.cwd = join(cli.cwd, "m");
    const { stdout } = await cli.run("validate", "w.layout.yaml", "--format", "github");
    expect(stdout).toContain("file=m/w.layout.yaml,");
  });

  it("sarif: a valid log, with relative addresses and a help text for each rule", async () => {
    const cli = await openHostile();
    const { code, stdout } = await cli.run("validate", "m", "--format", "sarif");
    expect(code).toBe(3);
    const log = JSON.parse(stdout) as {
      runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string; ruleIndex: number }[] }[];
    };
    expect(sarifErrors(log)).toEqual([]);
    const [run] = log.runs;
    expect(run!.results.map(({ ruleId, ruleIndex }) => run!.tool.driver.rules[ruleIndex]!.id === ruleId)).toEqual([
      true,
      true,
    ]);
    expect(stdout).toContain('"uri": "m/a%20b%2Cc%3Ad%25.yaml"');
    expect(sarifErrors({ ...log, version: "2.0.0" })).not.toEqual([]);
  });

  it("writes several formats into files in one run, and text or one format to stdout", async () => {
    const cli = await openHostile();
    const files = ["--format", "sarif", "--out", "a.sarif", "--format", "junit", "--out", "b.xml"];
    const both = await cli.run("validate", "m", ...files);
    expect([both.code, both.stdout.split("\n").at(-2)]).toEqual([3, "1 manifest in 2 files: 1 error, 1 warning"]);
    const read = (name: string) => readFileSync(join(cli.cwd, name), "utf8");
    for (const [name, format] of [
      ["a.sarif", "sarif"],
      ["b.xml", "junit"],
    ] as const)
      expect(read(name)).toBe((await cli.run("validate", "m", "--format", format)).stdout);
    const toStdout = await cli.run("validate", "m", "--format", "github", "--out", "-", ...files);
    expect(toStdout.stdout).toBe((await cli.run("validate", "m", "--format", "github")).stdout);
  });

  it.each([
    [["--format", "sarif", "--format", "junit"], "2 --format and 0 --out: each format requires a file"],
    [["--format", "sarif", "--out", "x", "--out", "y"], "1 --format and 2 --out: each format requires a file"],
    [["--format", "sarif", "--out", "x", "--format", "junit", "--out", "x"], `two results can't be written to "x"`],
  ])("refuses %j before reading a file", async (words, message) => {
    const cli = await openHostile();
    const { code, stdout, stderr } = await cli.run("validate", "missing", ...words);
    expect([code, stdout]).toEqual([64, ""]);
    expect(stderr).toContain(`error: ${message}\n`);
    expect(existsSync(join(cli.cwd, "x"))).toBe(false);
  });

  it("junit: unique names of the cases of a file", async () => {
    const cli = await openCli();
    cli.file("m/a.yaml", "kind: Form\nname: Card\n");
    const { stdout } = await cli.run("validate", "m", "--format", "junit");
    const cases = [...stdout.matchAll(/<testcase classname="m\/a\.yaml" name="([^"]*)">/g)].map(([, name]) => name);
    expect(cases).toEqual(["MANIFEST_INVALID at 1:1", "MANIFEST_INVALID at 1:1 (2)"]);
  });

  it.each(["github", "sarif", "junit"])("%s: a message names its subject without showing the line", async (format) => {
    const cli = await openCli();
    cli.file("m/a.yaml", form("Card", "config: { limit: -0 }"));
    cli.file("m/b.yaml", "");
    const { stdout } = await cli.run("validate", "m", "--format", format);
    expect(stdout).toContain("config.limit is a negative zero");
    expect(stdout).toContain("the file is empty");
  });

  it("junit: a suite for each file, with escaped text", async () => {
    const cli = await openHostile();
    const { stdout } = await cli.run("validate", "m", "--format", "junit");
    expect(
      stdout.startsWith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="formctl validate" tests="3" failures="1">',
      ),
    ).toBe(true);
    expect(stdout.match(/<testsuite /g)).toHaveLength(3);
    expect(stdout).toContain('<testcase classname="m/ok.yaml" name="valid"/>');
    expect(stdout).toContain("]]&gt;&lt;x&gt;\\&quot;&apos;&amp;");
    expect(stdout).toContain("<system-out>warning: m/w.layout.yaml:1:1:");
    expect(xmlErrors(stdout)).toEqual([]);
    const strict = await cli.run("validate", "m", "--format", "junit", "--strict");
    expect(strict.stdout).toContain('tests="3" failures="2"');
  });
});

it.each(["validate", "plan", "status"])("%s refuses an empty path", async (command) => {
  const cli = await openCli();
  cli.file("form.yaml", form("Card"));
  expect(await cli.run(command, "")).toMatchObject({
    code: 64,
    stdout: "",
    stderr: "error: a path is empty\nhint: Check that its shell variable is set.\n",
  });
});

describe("schema", () => {
  it("reports a file in the place of its folder", async () => {
    const cli = await openCli();
    cli.file("taken", "");
    const { code, stderr } = await cli.run("schema", "--into", "taken");
    expect(code).toBe(1);
    expect(stderr).toContain(`can't write ${join(cli.cwd, "taken")}: another file has this name (EEXIST)`);
  });

  it("writes all schemas into the project, or prints the named one", async () => {
    const cli = await openCli(null);
    writeFileSync(join(cli.cwd, "formctl.yaml"), "manifests: forms\n");
    mkdirSync(join(cli.cwd, "deep"));
    cli.cwd = join(cli.cwd, "deep");
    mkdirSync(join(cli.cwd, "..", ".git"));
    const all = await cli.run("schema", "-o", "json");
    const names = ["manifest", "layout", "organization", "project", "migration"];
    expect(all.json()).toEqual({ written: names.map((name) => `../.formctl/schemas/${name}.schema.json`) });
    const one = await cli.run("schema", "form");
    expect(one.code).toBe(0);
    expect(one.json()).toMatchObject({ properties: { kind: { const: "Form" } } });
    const into = await cli.run("schema", "Draft", "--into", "here");
    expect(into.stdout).toBe("Wrote here/layout.schema.json\n");
    expect((await cli.run("schema", "Drfat")).stderr).toContain("Did you mean Draft?");
  });

  it("reports a path that it can't write", async () => {
    const cli = await openCli(null);
    cli.file("taken", "a file");
    expect((await cli.run("schema", "--into", "taken/here")).code).toBe(1);
  });
});
