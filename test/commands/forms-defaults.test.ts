/** Tests `formctl forms defaults` through command lines. */

import { describe, expect, it } from "vitest";
import { withForms } from "../../src/commands/forms/defaults.ts";
import { openCli } from "./cli.ts";
import { aForm, aUsableProfile, makeDefault, OBJECT, PROFILE } from "./forms-scene.ts";

const NONE = { defaultCreateFormId: null, defaultViewFormId: null, defaultEditFormId: null };
const PATH = "/v1/custom-modules/staffing/objects/candidate/forms/defaults";

describe("forms defaults show", () => {
  it("shows the default form of each mode, or none", async () => {
    const cli = await openCli();
    const form = await aUsableProfile(cli);
    await makeDefault(cli, form, "VIEW");
    const { stdout } = await cli.run("forms", "defaults", "show", OBJECT);
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
      "MODE | FORM | ID | STATE",
      "CREATE | - | - | -",
      `VIEW | Candidate profile | ${form.id} | usable`,
      "EDIT | - | - | -",
      "",
    ]);
    const { json } = await cli.run("forms", "defaults", "show", OBJECT, "--json");
    expect(json()).toEqual({ ...NONE, defaultViewFormId: form.id });
    expect((await cli.run("forms", "defaults", "show", OBJECT, "-o", "name")).stdout).toBe(`${form.id}\n`);
  });

  it("shows no defaults for an object without forms, and uses the object of the settings", async () => {
    const cli = await openCli();
    cli.env["FORMCTL_OBJECT"] = "staffing/placement";
    expect((await cli.run("forms", "defaults", "show", "--json")).json()).toEqual(NONE);
  });

  it("treats a flag that the server omits as unknown", () => {
    const form = { id: "frm_1", name: "X", types: ["VIEW" as const], isDefaultView: true, isDefaultEdit: false };
    const { defaults } = withForms(undefined, [form]);
    expect(defaults).toEqual({ defaultViewFormId: "frm_1", defaultEditFormId: null });
  });
});

describe("forms defaults set", () => {
  it("sets the default of one mode, and keeps the others", async () => {
    const cli = await openCli();
    const form = await aUsableProfile(cli);
    await makeDefault(cli, form, "EDIT");
    const outcome = await cli.run("forms", "defaults", "set", OBJECT, "view=Candidate profile", "--json");
    expect(outcome.json()).toEqual({ ...NONE, defaultViewFormId: form.id, defaultEditFormId: form.id });
  });

  it("sets and clears several modes in one request", async () => {
    const cli = await openCli();
    const profile = await aUsableProfile(cli);
    const intake = await aForm(cli, "A=B intake", ["CREATE"]);
    await makeDefault(cli, profile, "VIEW");
    const line = ["forms", "defaults", "set", OBJECT, "CREATE=A=B intake", `EDIT=${profile.id}`, "VIEW=-", "--json"];
    const body = { defaultCreateFormId: intake.id, defaultEditFormId: profile.id, defaultViewFormId: null };
    const dry = await cli.run(...line, "--dry-run");
    expect(dry.json()).toEqual({ dryRun: true, requests: [{ method: "PATCH", path: PATH, body }] });
    const { code, json } = await cli.run(...line);
    expect(code).toBe(0);
    expect(json()).toEqual(body);
  });

  it("warns of each form that is not usable yet", async () => {
    const cli = await openCli();
    await aForm(cli, "Quick look", ["VIEW", "EDIT"]);
    const { stderr } = await cli.run("forms", "defaults", "set", OBJECT, "VIEW=Quick look", "EDIT=Quick look");
    expect(stderr.match(/can't be used for (VIEW|EDIT) yet/g)).toHaveLength(2);
  });

  it("refuses the old syntax, and prints the new one", async () => {
    const cli = await openCli();
    await aUsableProfile(cli);
    const outcome = await cli.run("forms", "defaults", "set", OBJECT, "view", "Candidate", "profile", "--json");
    expect(outcome.code).toBe(64);
    expect(outcome.error().hint).toBe(`Example: formctl forms defaults set ${OBJECT} 'VIEW=Candidate profile'`);
    expect((await cli.run("forms", "defaults", "show", OBJECT, "--json")).json()).toEqual(NONE);
  });

  it.each([["Candidate profile"], [PROFILE]])("understands %j", async (name) => {
    const cli = await openCli();
    const form = await aUsableProfile(cli);
    const { code, stdout, stderr } = await cli.run("forms", "defaults", "set", OBJECT, `VIEW=${name}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`VIEW +Candidate profile +${form.id} +usable`));
    expect(stderr).not.toContain("warning");
  });

  it("accepts an id, and warns that the form is not usable yet", async () => {
    const cli = await openCli();
    const form = await aForm(cli, "Quick look", ["VIEW"]);
    const { code, stderr } = await cli.run("forms", "defaults", "set", OBJECT, `VIEW=${form.id}`);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: "Quick look" can\'t be used for VIEW yet: draft only.');
  });

  it("prints the request with --dry-run, and sends nothing", async () => {
    const cli = await openCli();
    const form = await aForm(cli, "Quick look", ["VIEW"]);
    const dry = await cli.run("forms", "defaults", "set", OBJECT, "VIEW=Quick look", "--dry-run", "--json");
    expect(dry.json()).toEqual({
      dryRun: true,
      requests: [{ method: "PATCH", path: PATH, body: { defaultViewFormId: form.id } }],
    });
    expect((await cli.run("forms", "defaults", "show", OBJECT, "--json")).json()).toEqual(NONE);
  });

  it.each<[words: string[], code: number, message: string]>([
    [["CREATE=Quick look"], 3, "does not support CREATE"],
    [["VIEW=Quick look", "CREATE=Quick look"], 3, "does not support CREATE"],
    [["VIEW=Asleep"], 3, "is inactive"],
    [["VIEW=Quik look"], 5, 'the form "Quik look"'],
    [["VIEW=Twin"], 6, "2 forms of staffing/candidate are named"],
    [["WATCH=Quick look"], 3, 'unknown mode "WATCH"'],
    [["VIEW=Quick look", "view=-"], 64, "VIEW is specified twice"],
    [["VIEW"], 64, 'must be MODE=FORM, not "VIEW"'],
    [["VIEW=Quick", "look"], 64, 'must be MODE=FORM, not "look"'],
    [["VIEW="], 64, 'must be MODE=FORM, not "VIEW="'],
    [[], 64, "missing argument MODE=FORM"],
  ])("refuses %j", async (words, code, message) => {
    const cli = await openCli();
    await aForm(cli, "Quick look", ["VIEW"]);
    await aForm(cli, "Asleep", ["VIEW"], { isActive: false });
    await aForm(cli, "Twin", ["VIEW"]);
    await aForm(cli, "Twin", ["VIEW"]);
    const outcome = await cli.run("forms", "defaults", "set", OBJECT, ...words, "--json");
    expect(outcome.code).toBe(code);
    expect(outcome.error().message).toContain(message);
    expect((await cli.run("forms", "defaults", "show", OBJECT, "--json")).json()).toEqual(NONE);
  });
});

describe("forms defaults clear", () => {
  it.each([[["VIEW", "edit"]], [["VIEW,EDIT"]]])("clears %j and keeps the others", async (modes) => {
    const cli = await openCli();
    const form = await aForm(cli, "All", ["CREATE", "VIEW", "EDIT"]);
    await makeDefault(cli, form, "CREATE", "VIEW", "EDIT");
    const outcome = await cli.run("forms", "defaults", "clear", OBJECT, ...modes, "--json");
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toEqual({ ...NONE, defaultCreateFormId: form.id });
  });

  it("succeeds if there is nothing to clear", async () => {
    const cli = await openCli();
    expect((await cli.run("forms", "defaults", "clear", OBJECT, "VIEW", "--json")).json()).toEqual(NONE);
  });

  it.each<[words: string[], code: number]>([
    [["VIEW", "VIEW"], 64],
    [["VIEWS"], 3],
    [[], 64],
  ])("refuses %j", async (words, code) => {
    const cli = await openCli();
    expect((await cli.run("forms", "defaults", "clear", OBJECT, ...words)).code).toBe(code);
  });

  it("is refused on a subordinate object", async () => {
    const cli = await openCli();
    expect((await cli.run("forms", "defaults", "clear", "staffing/placement_milestone", "VIEW")).code).toBe(6);
  });
});
