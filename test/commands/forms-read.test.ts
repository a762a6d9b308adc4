/** Tests `formctl forms list`, `available` and `get` through command lines. */

import { describe, expect, it } from "vitest";
import type { FormListItem } from "../../src/schemas/form.ts";
import { type Cli, openCli } from "./cli.ts";
import { aForm, aUsableProfile, makeDefault, OBJECT, people, giveAccess, PROFILE } from "./forms-scene.ts";

async function threeForms(): Promise<Cli> {
  const cli = await openCli();
  await aForm(cli, "Candidate intake", ["CREATE"], { isPublic: true });
  await aForm(cli, "Quick look", ["VIEW"]);
  await aForm(cli, "Old desk", ["CREATE", "VIEW", "EDIT"], { isActive: false });
  return cli;
}

const namesOf = (document: unknown) => (document as FormListItem[]).map(({ name }) => name);

describe("forms list", () => {
  it("shows modes with their states, defaults, flags and access", async () => {
    const cli = await openCli();
    const profile = await aUsableProfile(cli);
    await makeDefault(cli, profile, "VIEW", "EDIT");
    const { ana = "", recruiter = "" } = await people(cli);
    await giveAccess(cli, profile, {
      users: [{ membershipId: ana, types: ["VIEW"] }],
      roles: [{ roleId: recruiter, types: ["VIEW"] }],
    });
    const { code, stdout } = await cli.run("forms", "list", OBJECT);
    expect(code).toBe(0);
    const [titles, row] = stdout.split("\n");
    expect(titles).toMatch(/^NAME +ID +MODES +DEFAULT +ACTIVE +PUBLIC +ACCESS$/);
    expect(row?.replace(/ {2,}/g, " | ")).toBe(
      `Candidate profile | ${profile.id} | VIEW usable, EDIT usable | VIEW, EDIT | yes | no | 1 user, 1 role`,
    );
  });

  it("prints the records of all pages as one list, the oldest first", async () => {
    const cli = await threeForms();
    const { json } = await cli.run("forms", "list", OBJECT, "-o", "json");
    expect(namesOf(json())).toEqual(["Candidate intake", "Quick look", "Old desk"]);
    expect((json() as FormListItem[])[0]).toMatchObject({ isPublic: true, isDefaultCreate: false, roleAccessCount: 0 });
  });

  it("prints ids alone with -o name", async () => {
    const cli = await threeForms();
    const { json } = await cli.run("forms", "list", OBJECT, "--json");
    const { stdout } = await cli.run("forms", "list", OBJECT, "-o", "name");
    expect(stdout).toBe((json() as FormListItem[]).map(({ id }) => `${id}\n`).join(""));
  });

  it("selects from the document with --query", async () => {
    const cli = await threeForms();
    const { json } = await cli.run("forms", "list", OBJECT, "--json", "--query", "[?isActive].name");
    expect(json()).toEqual(["Candidate intake", "Quick look"]);
  });

  it("prints JSON for a query without -o, and another document that the settings name", async () => {
    const cli = await threeForms();
    const list = ["forms", "list", OBJECT, "--query", "[?isActive].name"];
    expect((await cli.run(...list)).json()).toEqual(["Candidate intake", "Quick look"]);
    cli.env["FORMCTL_OUTPUT"] = "yaml";
    expect((await cli.run(...list)).stdout).toBe("- Candidate intake\n- Quick look\n");
  });

  it("shows one page, and the number of the next", async () => {
    const cli = await threeForms();
    const first = await cli.run("forms", "list", OBJECT, "--limit", "2");
    expect(first.stdout.trim().split("\n")).toHaveLength(3);
    expect(first.stderr).toBe("Page 1: 2 of 3; next page: --page 2\n");
    const second = await cli.run("forms", "list", OBJECT, "--limit", "2", "--page", "2", "--json");
    expect(namesOf(second.json())).toEqual(["Old desk"]);
    const past = await cli.run("forms", "list", OBJECT, "--limit", "2", "--page", "9");
    expect(past).toMatchObject({ code: 0, stdout: "", stderr: `${OBJECT} has no page 9.\n` });
  });

  it.each<[options: string[], names: string[]]>([
    [
      ["--sort", "name"],
      ["Candidate intake", "Old desk", "Quick look"],
    ],
    [
      ["--sort", "-createdAt"],
      ["Old desk", "Quick look", "Candidate intake"],
    ],
    [
      ["--sort", "updatedat,-name"],
      ["Candidate intake", "Quick look", "Old desk"],
    ],
    [["--filter", "name=Quick look"], ["Quick look"]],
    [
      ["--filter", "name!=Quick look"],
      ["Candidate intake", "Old desk"],
    ],
    [["--filter", "name~INTAKE"], ["Candidate intake"]],
    [["--filter", "active=false"], ["Old desk"]],
    [["--filter", "isActive!=true"], ["Old desk"]],
    [["--filter", "public=yes"], ["Candidate intake"]],
    [
      ["--filter", "types=view"],
      ["Quick look", "Old desk"],
    ],
    [["--filter", "types=VIEW,EDIT"], ["Old desk"]],
    [["--filter", "types=VIEW", "--filter", "active=true"], ["Quick look"]],
    [["--filter", "name~desk", "--filter", "active=true"], []],
  ])("reads %j", async (options, names) => {
    const cli = await threeForms();
    const outcome = await cli.run("forms", "list", OBJECT, ...options, "--json");
    expect(outcome.stderr).toBe("");
    expect(namesOf(outcome.json())).toEqual(names);
  });

  it.each<[options: string[], code: number, message: string, hint: string]>([
    [["--filter", "nme=x"], 64, 'the condition "nme=x" has an unknown field "nme"', "Did you mean name?"],
    [["--filter", "intake"], 64, 'the condition "intake" must be FIELD=VALUE', "Conditions: "],
    [
      ["--filter", "active=maybe"],
      64,
      'the condition "active=maybe" must have the value true or false',
      "Conditions: ",
    ],
    [["--filter", "public~t"], 64, 'the condition "public~t" must have the value true or false', "Conditions: "],
    [["--filter", "types=VEW"], 64, 'the condition "types=VEW" is invalid: unknown mode "VEW"', "Did you mean VIEW?"],
    [["--filter", "types="], 64, 'the condition "types=" is invalid: no mode specified', "CREATE, VIEW, EDIT"],
    [["--filter", "types!=VIEW"], 64, 'the condition "types!=VIEW" is not supported', "Conditions: "],
    [["--sort", "nam"], 64, 'can\'t sort by "nam"', "Did you mean name?"],
    [["--sort", "-size"], 64, 'can\'t sort by "-size"', "name, createdAt, updatedAt"],
    [["--page", "0"], 64, "--page must be a whole number 1 or more", ""],
    [["--limit", "101"], 64, "--limit must be a whole number from 1 to 100", ""],
    [["--filters", "name=x"], 64, 'unknown option "--filters"', ""],
  ])("refuses %j", async (options, code, message, hint) => {
    const cli = await openCli();
    const outcome = await cli.run("forms", "list", OBJECT, ...options, "--json");
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.error().message).toContain(message);
    expect(outcome.error().hint ?? "").toContain(hint);
  });

  it("uses the object of the settings by default", async () => {
    const cli = await threeForms();
    const without = await cli.run("forms", "list", "--json");
    expect(without.code).toBe(64);
    expect(without.error()).toMatchObject({ message: "missing argument OBJECT" });
    cli.env["FORMCTL_OBJECT"] = OBJECT;
    expect(namesOf((await cli.run("forms", "list", "--json")).json())).toHaveLength(3);
    cli.env["FORMCTL_OBJECT"] = "candidate";
    const wrong = await cli.run("forms", "list", "--json");
    expect(wrong.code).toBe(64);
    expect(wrong.error().message).toContain("the setting object must be MODULE/OBJECT");
  });

  it("reports an empty list on stderr", async () => {
    const cli = await openCli();
    const empty = await cli.run("forms", "list", OBJECT);
    expect(empty).toMatchObject({ code: 0, stdout: "" });
    expect(empty.stderr).toContain(`formctl forms create ${OBJECT}`);
    expect((await cli.run("forms", "list", OBJECT, "--filter", "name=x")).stderr).toBe(
      `No form of ${OBJECT} matches.\n`,
    );
    expect((await cli.run("forms", "list", OBJECT, "--json")).stdout).toBe("[]\n");
    expect((await cli.run("forms", "list", "staffing/placement_milestone", "--json")).stdout).toBe("[]\n");
  });

  it.each([
    ["staffing/candidat", 5],
    ["staff/candidate", 5],
    ["candidate", 64],
    ["staffing/candidate/x", 64],
    ["staffing/..", 64],
    ["care/visit", 5],
  ])("does not find the object %s", async (object, code) => {
    const cli = await openCli();
    expect((await cli.run("forms", "list", object)).code).toBe(code);
  });

  it("escapes invisible characters of a name", async () => {
    const cli = await openCli();
    await aForm(cli, "Inta\u202eke\u001b[31m", ["VIEW"]);
    const { stdout } = await cli.run("forms", "list", OBJECT);
    expect(stdout).toContain(String.raw`Inta\u202eke\u001b[31m`);
  });
});

describe("forms available", () => {
  it("lists active forms with their usable modes", async () => {
    const cli = await threeForms();
    const profile = await aUsableProfile(cli);
    const { code, stdout } = await cli.run("forms", "available", OBJECT);
    expect(code).toBe(0);
    expect(stdout).toContain(`${profile.id}  VIEW, EDIT  VIEW usable, EDIT usable`);
    expect(stdout).toMatch(/Quick look .* none +VIEW draft only/);
    expect(stdout).not.toContain("Old desk");
  });

  it("lists the active forms of one mode", async () => {
    const cli = await threeForms();
    await aUsableProfile(cli);
    const { json } = await cli.run("forms", "available", OBJECT, "--type", "view", "--json");
    expect(namesOf(json())).toEqual(["Quick look", "Candidate profile"]);
    const { stdout } = await cli.run("forms", "available", OBJECT, "--type", "VIEW");
    expect(stdout).toMatch(/Quick look .* no +VIEW draft only\nCandidate profile .* yes +VIEW usable/);
    expect((await cli.run("forms", "available", "staffing/placement", "--type", "VIEW")).stderr).toBe(
      "staffing/placement has no active form for VIEW.\n",
    );
  });

  it("refuses an unknown mode", async () => {
    const cli = await openCli();
    const outcome = await cli.run("forms", "available", OBJECT, "--type", "EDITT", "--json");
    expect(outcome.code).toBe(64);
    expect(outcome.error()).toMatchObject({ message: '--type: unknown mode "EDITT"', hint: "Did you mean EDIT?" });
  });
});

describe("forms get", () => {
  it("shows a form by its name or id as the one record that the API has", async () => {
    const cli = await openCli();
    const profile = await aUsableProfile(cli);
    const byName = (await cli.run("forms", "get", PROFILE, "--json")).json();
    const byId = (await cli.run("forms", "get", `${OBJECT}/${profile.id}`, "--json")).json();
    expect(byName).toEqual(profile);
    expect(byId).toEqual(profile);
  });

  it("shows each mode, the texts, the layout and the warnings", async () => {
    const cli = await openCli();
    const config = { title: "Apply", successMessage: "Thanks", description: "Tell us", theme: "dark" };
    const form = await aForm(cli, "Candidate intake", ["CREATE"], { isPublic: true, config });
    await makeDefault(cli, form, "CREATE");
    const { stdout } = await cli.run("forms", "get", `${OBJECT}/Candidate intake`);
    expect(stdout.replace(/: +/g, ": ").trim().split("\n")).toEqual([
      "Name: Candidate intake",
      `Id: ${form.id}`,
      "Modes: CREATE draft only",
      "Default for: CREATE",
      "Active: yes",
      "Public: yes",
      `Public token: ${form.publicToken}`,
      "Title: Apply",
      "Success message: Thanks",
      "Description: Tell us",
      'Other config: {"theme":"dark"}',
      "Layout: Candidate intake",
      `Layout id: ${form.viewLayoutId}`,
      "Created: 2026-03-02T09:00:01Z",
      "Updated: 2026-03-02T09:00:01Z",
      `Warnings: CREATE: the layout has not been published. Publish the layout: formctl layouts publish ${form.viewLayoutId}`,
    ]);
    const byId = await cli.run("forms", "get", `${OBJECT}/${form.id}`);
    expect(byId.stdout).not.toContain("Default for");
  });

  it("refuses an ambiguous name, and lists the ids", async () => {
    const cli = await openCli();
    const [one, two] = [await aForm(cli, "Twin", ["VIEW"]), await aForm(cli, "Twin", ["EDIT"])];
    const outcome = await cli.run("forms", "get", `${OBJECT}/Twin`, "--json");
    expect(outcome.code).toBe(6);
    expect(outcome.error().message).toContain(`${one.id}, ${two.id}`);
    expect((await cli.run("forms", "get", `${OBJECT}/${two.id}`)).code).toBe(0);
  });

  it("suggests the nearest name", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW"]);
    const near = await cli.run("forms", "get", `${OBJECT}/candidate profle`, "--json");
    expect(near.code).toBe(5);
    expect(near.error().hint).toBe(`Did you mean '${PROFILE}'?`);
    const far = await cli.run("forms", "get", `${OBJECT}/Nothing alike`, "--json");
    expect(far.error().hint).toBe(`List the forms: formctl forms list ${OBJECT}`);
  });

  it("finds a name that contains a slash", async () => {
    const cli = await openCli();
    await aForm(cli, "In/out", ["VIEW"]);
    expect((await cli.run("forms", "get", `${OBJECT}/In/out`)).code).toBe(0);
  });
});
