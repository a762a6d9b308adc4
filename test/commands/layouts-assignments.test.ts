/** Tests `formctl layouts assignments` through command lines. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Assignment, Layout } from "../../src/schemas/layout.ts";
import type { Cli } from "./cli.ts";
import { newPage, openScene, PROFILE } from "./layouts-scene.ts";

let cli: Cli;
let home: string;
beforeEach(async () => {
  cli = await openScene();
  home = await newPage(cli, "Home");
});

const set = (...flags: string[]) => cli.run("layouts", "assignments", "set", ...flags);
const shown = async (layoutId = home) => {
  const { json } = await cli.run("layouts", "assignments", "show", layoutId, "--json");
  return (json() as Assignment[]).map(({ isDefault, priority }) => (isDefault ? "default" : priority));
};

describe("layouts assignments set", () => {
  it("accepts roles by name, key or id, with priorities", async () => {
    const { code, stdout } = await set(home, "--default", "--role", "Recruiter=5", "--role", "account_manager");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^FOR +PRIORITY +ROLE ID +ID\norganization default +- /);
    expect(stdout).toMatch(/\nRecruiter +5 +rol_/);
    expect(stdout).toMatch(/\nAccount Manager +0 +rol_/);
    const { json } = await cli.run("layouts", "get", home, "--json");
    const ids = (json() as Layout).assignments.flatMap(({ roleId }) => roleId ?? []);
    expect((await set(home, ...ids.flatMap((id) => ["--role", `${id}=-2`]))).code).toBe(0);
    expect(await shown()).toEqual([-2, -2]);
  });

  it("replaces the whole set, and lists the removed assignments", async () => {
    await set(home, "--default", "--role", "Recruiter=5", "--role", "Account Manager=6");
    const { code, stderr } = await set(home, "--role", "recruiter=7");
    expect(code).toBe(0);
    expect(stderr).toContain("warning: No longer assigned: organization default\n");
    expect(stderr).toContain("warning: No longer assigned: Account Manager\n");
    expect(await shown()).toEqual([7]);
    const empty = await set(home, "--no-default");
    expect(empty.stderr).toContain("The layout has no assignments.");
    expect(await shown()).toEqual([]);
  });

  it("reads the set from a file, and locates refused values in it", async () => {
    await set(home, "--role", "Recruiter");
    const { json } = await cli.run("layouts", "get", home, "--json");
    const { roleId } = (json() as Layout).assignments[0]!;
    cli.file("set.yaml", `organizationDefault: true\nroles:\n  - {roleId: ${roleId}, priority: 3}\n`);
    expect((await set(home, "-f", "set.yaml")).code).toBe(0);
    expect(await shown()).toEqual(["default", 3]);
    cli.stdin = "roles:\n  - {roleId: rol_none, priority: 3}\n";
    const { code, stderr } = await set(home, "-f", "-");
    expect(code).toBe(3);
    expect(stderr).toContain("<stdin>:2:14  error  VALIDATION_FAILED  roles[0].roleId is not the id of a role");
    cli.file("bad.yaml", "organisationDefault: true\n");
    expect((await set(home, "-f", "bad.yaml")).stderr).toContain('Did you mean "organizationDefault"?');
  });

  it("refuses a default that another layout has, and names that layout", async () => {
    await set(home, "--default");
    const other = await newPage(cli, "Other");
    const { code, stderr } = await set(other, "--default");
    expect(code).toBe(6);
    expect(stderr).toContain(`"Home" (${home}) is already the organization default for VIEW`);
    expect(stderr).toContain("--take-over");
    expect((await set(other, "--default", "--json")).error()).toMatchObject({
      code: "ASSIGNMENT_DEFAULT_TAKEN",
      exitCode: 6,
    });
  });

  it("clears the default of each layout that has it with --take-over", async () => {
    const edit = await newPage(cli, "Edit home", ["EDIT"]);
    await set(home, "--default", "--role", "Recruiter=5");
    await set(edit, "--default");
    const other = await newPage(cli, "Other", ["VIEW", "EDIT"]);
    const { code, stderr } = await set(other, "--default", "--take-over");
    expect(code).toBe(0);
    expect(stderr).toContain(`warning: Home (${home}) is no longer the organization default.`);
    expect(stderr).toContain(`warning: Edit home (${edit}) is no longer the organization default.`);
    expect([await shown(home), await shown(edit), await shown(other)]).toEqual([[5], [], ["default"]]);
  });

  it("is refused for the layout of a form", async () => {
    const { code, error } = await set(PROFILE, "--default", "--json");
    expect(code).toBe(6);
    expect(error()).toMatchObject({ code: "LAYOUT_FORM_OWNED", exitCode: 6 });
  });

  it.each([
    [[], 64, "specify at least one of --default, --no-default, --role"],
    [["--default", "-f", "set.yaml"], 64, "can't be combined"],
    [["--role", "=5"], 64, "must be ROLE=PRIORITY"],
    [["--role", "Recruiter="], 64, "must be ROLE=PRIORITY"],
    [["--role", "Recruiter=high"], 64, 'the priority must be a whole number of at most ten digits, not "high"'],
    [["--role", "Recruiter=1.5"], 64, 'not "1.5"'],
    [["--role", "Recuiter=5"], 5, 'Did you mean "recruiter"?'],
    [["--role", "Recruiter=1", "--role", "recruiter=2"], 64, "--role specifies"],
    [["--role", "Recruiter=9999999999"], 3, "roles[0].priority"],
  ])("refuses %j", async (flags, wanted, message) => {
    const { code, stderr } = await set(home, ...flags);
    expect(code).toBe(wanted);
    expect(stderr).toContain(message);
  });

  it("refuses a missing layout", async () => {
    expect((await set("lay_none", "--default")).code).toBe(5);
    expect((await cli.run("layouts", "assignments", "show", "lay_none")).code).toBe(5);
  });

  it("sends nothing with --dry-run", async () => {
    const { code, json } = await set(home, "--default", "--dry-run", "--json");
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      requests: [{ method: "PUT", path: `/v1/view-layouts/${home}/assignments`, body: { organizationDefault: true } }],
    });
    expect(await shown()).toEqual([]);
  });
});

describe("layouts assignments show", () => {
  it("names the roles", async () => {
    await set(home, "--role", "Compliance Officer=2");
    const { code, stdout } = await cli.run("layouts", "assignments", "show", home);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nCompliance Officer +2 +rol_/);
  });

  it("reports that there are no assignments", async () => {
    const { code, stdout, stderr } = await cli.run("layouts", "assignments", "show", PROFILE);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe("The layout has no assignments.\n");
  });
});
