/**
 * Tests references from a project's files to files outside the project, directly and through links. They are refused,
 * and no message shows the content of these files.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.ts";
import { layoutText } from "./manifests-scene.ts";

const SECRET = "of-nobody-elses-business";
const FORM = "kind: Form\nobject: staffing/candidate\nname: Profile\ntypes: [VIEW]\n";

/** Opens a project in a repository. A private folder is next to the project. */
async function open(): Promise<{ cli: Cli; outside: string }> {
  const cli = await openCli();
  mkdirSync(join(cli.cwd, ".git"));
  const outside = join(cli.home, "own");
  mkdirSync(outside);
  writeFileSync(join(outside, "credentials.yaml"), `token: ${SECRET}\nkind: ${SECRET}\n`);
  writeFileSync(join(outside, "form.yaml"), `${FORM}${SECRET}: 1\n`);
  writeFileSync(join(outside, "profile.layout.yaml"), `${SECRET}: 1\n`);
  return { cli, outside };
}

/** Returns the output of a refused command, as text and as a document. */
async function refusalOf(cli: Cli, line: string): Promise<string> {
  const words = line.split(" ");
  const outcomes = [await cli.run(...words), await cli.run(...words, "-o", "json")];
  expect(outcomes.map(({ code }) => code)).toEqual([3, 3]);
  const texts = outcomes.map(({ stdout, stderr }) => stdout + stderr);
  for (const text of texts) expect(text).not.toContain(SECRET);
  return texts.join("\n");
}

const COMMANDS = ["validate", "plan", "status", "apply --yes"];

describe("what a project's file names", () => {
  it.each(COMMANDS)("is not read through a link that leads out: formctl %s", async (line) => {
    for (const target of ["", "credentials.yaml", "form.yaml", "missing.yaml"]) {
      const { cli, outside } = await open();
      cli.file("formctl.yaml", "manifests: m\n");
      symlinkSync(join(outside, target), join(cli.cwd, "m"));
      // oxlint-disable-next-line no-await-in-loop
      expect(await refusalOf(cli, line)).toMatch(
        /manifests follows a link to a folder outside the project|no such file/,
      );
    }
  });

  it("is not read through a link on its way, nor through `..` behind one", async () => {
    const { cli, outside } = await open();
    mkdirSync(join(outside, "deep"));
    symlinkSync(join(outside, "deep"), join(cli.cwd, "a"));
    writeFileSync(join(outside, "deep", "x.yaml"), `${SECRET}: 1\n`);
    for (const manifests of ["a/x.yaml", "./a", "b/../a"]) {
      cli.file("formctl.yaml", `manifests: ${manifests}\n`);
      // oxlint-disable-next-line no-await-in-loop
      expect(await refusalOf(cli, "validate")).toMatch(/manifests follows a link to a folder outside/);
    }
  });

  it.each(COMMANDS)("may be a link that stays in the project: formctl %s", async (line) => {
    const { cli } = await open();
    cli.file("formctl.yaml", "manifests: m\n");
    cli.file("forms/profile.yaml", FORM);
    symlinkSync("forms", join(cli.cwd, "m"));
    expect((await cli.run(...line.split(" "))).code).toBe(0);
  });

  it("is no layout and no organization file outside", async () => {
    const { cli, outside } = await open();
    cli.file("formctl.yaml", "manifests: forms\n");
    cli.file("forms/profile.yaml", `${FORM}layout: ./profile.layout.yaml\n`);
    symlinkSync(join(outside, "profile.layout.yaml"), join(cli.cwd, "forms", "profile.layout.yaml"));
    expect(await refusalOf(cli, "validate")).toMatch(/outside the project/);
    const other = await open();
    other.cli.file("formctl.yaml", "manifests: forms\n");
    other.cli.file("forms/profile.yaml", FORM);
    writeFileSync(join(other.outside, "organization.yaml"), `organizations: [${SECRET}]\n`);
    symlinkSync(join(other.outside, "organization.yaml"), join(other.cli.cwd, "forms", "organization.yaml"));
    expect(await refusalOf(other.cli, "validate")).toMatch(/outside the project/);
  });
});

describe("the file of a project", () => {
  it.each(["validate", "currencies list", "config list"])(
    "is not read where it leads out: formctl %s",
    async (line) => {
      const { cli, outside } = await open();
      symlinkSync(join(outside, "credentials.yaml"), join(cli.cwd, "formctl.yaml"));
      expect(await refusalOf(cli, line)).toMatch(/is a link to a file outside the project and is not read/);
      expect((await cli.run("config", "path")).code).toBe(0);
    },
  );

  it("may be a link to another file of the repository", async () => {
    const { cli } = await open();
    cli.file("shared/formctl.yaml", "object: staffing/candidate\n");
    mkdirSync(join(cli.cwd, "part"));
    symlinkSync("../shared/formctl.yaml", join(cli.cwd, "part", "formctl.yaml"));
    cli.cwd = join(cli.cwd, "part");
    expect((await cli.run("config", "get", "object")).stdout).toContain("staffing/candidate");
  });
});

describe("files in a folder of the command line", () => {
  const WRITES = [
    ["export staffing/candidate --into LINK"],
    ["export staffing/candidate --into LINK/new"],
    ["plan forms --out LINK/plan.json"],
    ["schema --into LINK"],
    ["layouts draft scaffold staffing/candidate/Profile --out LINK/new.yaml"],
  ];

  async function scene(target: (outside: string) => string) {
    const { cli, outside } = await open();
    cli.file("forms/profile.yaml", `${FORM}layout: ./profile.layout.yaml\n`);
    cli.file("forms/profile.layout.yaml", layoutText("phone"));
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    mkdirSync(join(outside, "empty"));
    mkdirSync(join(cli.cwd, "inside"));
    symlinkSync(target(outside), join(cli.cwd, "link"));
    return { cli, empty: join(outside, "empty") };
  }

  it.each(WRITES)("does not follow a link out of the project: formctl %s", async (line) => {
    const { cli, empty } = await scene((outside) => join(outside, "empty"));
    expect(await refusalOf(cli, line.replace("LINK", "link"))).toMatch(/points outside the project through a link/);
    expect(readdirSync(empty)).toEqual([]);
  });

  it.each(WRITES)("follows a link that stays in the project: formctl %s", async (line) => {
    const { cli } = await scene(() => "inside");
    expect((await cli.run(...line.replace("LINK", "link").split(" "))).code).toBe(0);
    expect(readdirSync(join(cli.cwd, "inside"))).not.toEqual([]);
  });

  it.each(WRITES)("is written to where the link leads when that is typed: formctl %s", async (line) => {
    const { cli, empty } = await scene((outside) => join(outside, "empty"));
    expect((await cli.run(...line.replace("LINK", empty).split(" "))).code).toBe(0);
    expect(readdirSync(empty)).not.toEqual([]);
  });

  it("replaces a link in the place of a plan, and does not follow it", async () => {
    const { cli, empty } = await scene((outside) => join(outside, "form.yaml"));
    expect((await cli.run("plan", "forms", "--out", "link")).code).toBe(0);
    expect(readFileSync(join(empty, "../form.yaml"), "utf8")).toContain(SECRET);
    expect(existsSync(join(cli.cwd, "link"))).toBe(true);
  });
});
