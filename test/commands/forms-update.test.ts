/** Tests `formctl forms update` through command lines. */

import { describe, expect, it } from "vitest";
import { confirmFlags } from "../../src/commands/forms/update.ts";
import type { Form } from "../../src/schemas/form.ts";
import type { Service } from "../../src/service.ts";
import { openCli } from "./cli.ts";
import {
  accessNow,
  aForm,
  aUsableProfile,
  formNow,
  giveAccess,
  makeDefault,
  OBJECT,
  people,
  PROFILE,
} from "./forms-scene.ts";

const UPDATE = ["forms", "update", PROFILE] as const;
const PATH = "/v1/custom-modules/staffing/objects/candidate/forms";

async function aProfile(config: Record<string, unknown> | null = null) {
  const cli = await openCli();
  return { cli, form: await aForm(cli, "Candidate profile", ["VIEW", "EDIT"], { config }) };
}

describe("forms update", () => {
  it.each<[options: string[], body: unknown]>([
    [["--name", "Profile"], { name: "Profile" }],
    [["--types", "EDIT,VIEW,CREATE"], { types: ["EDIT", "VIEW", "CREATE"] }],
    [["--add-type", "create"], { types: ["VIEW", "EDIT", "CREATE"] }],
    [["--add-type", "VIEW,CREATE", "--remove-type", "EDIT"], { types: ["VIEW", "CREATE"] }],
    [["--inactive"], { isActive: false }],
    [["--public", "--active"], { isPublic: true }],
    [["--title", "New"], { config: { title: "New", description: "Old text", theme: "dark" } }],
    [["--title", ""], { config: { description: "Old text", theme: "dark" } }],
    [
      ["--success-message", "Thanks", "--description", ""],
      { config: { title: "Old", theme: "dark", successMessage: "Thanks" } },
    ],
    [["--no-config"], { config: null }],
  ])("sends for %j what differs and nothing else", async (options, body) => {
    const { cli, form } = await aProfile({ title: "Old", description: "Old text", theme: "dark" });
    const dry = await cli.run(...UPDATE, ...options, "--dry-run", "--json");
    expect(dry.json()).toEqual({ dryRun: true, requests: [{ method: "PATCH", path: `${PATH}/${form.id}`, body }] });
    expect(await formNow(cli, form)).toEqual(form);
    const done = await cli.run(...UPDATE, ...options, "--json");
    expect(done.code).toBe(0);
    expect(done.json()).toMatchObject(body as object);
    expect(await formNow(cli, form)).toEqual(done.json());
  });

  it("replaces the config by that of a file", async () => {
    const { cli, form } = await aProfile({ title: "Old", theme: "dark" });
    await cli.run(...UPDATE, "--config", cli.file("config.yaml", "title: New\n"));
    expect((await formNow(cli, form)).config).toEqual({ title: "New" });
    const bad = await cli.run(...UPDATE, "--config", cli.file("bad.yaml", "title: Hi\nregions: []\n"));
    expect(bad.code).toBe(3);
    expect(bad.stderr).toContain("bad.yaml:2:1  error  BODY_INVALID  regions is visual structure");
  });

  it.each<[options: string[]]>([
    [["--name", "Candidate profile"]],
    [["--types", "EDIT,VIEW"]],
    [["--add-type", "VIEW"]],
    [["--remove-type", "CREATE"]],
    [["--active", "--private"]],
    [["--no-config"]],
    [["--title", ""]],
  ])("sends nothing for %j, which is so already", async (options) => {
    const { cli, form } = await aProfile();
    const { code, stdout, stderr } = await cli.run(...UPDATE, ...options);
    expect(code).toBe(0);
    expect(stderr).toBe("Nothing to change: the form already has these values.\n");
    expect(stdout).toContain(form.id);
    expect((await cli.run(...UPDATE, ...options, "--dry-run", "--json")).json()).toMatchObject({ requests: [] });
  });

  it.each<[options: string[], code: number, message: string]>([
    [[], 64, "specify at least one of --name, --types"],
    [["--types", "VIEW", "--add-type", "CREATE"], 64, "--types and --add-type can't be combined"],
    [["--types", "VIEW", "--remove-type", "EDIT"], 64, "--types and --remove-type can't be combined"],
    [
      ["--add-type", "CREATE", "--remove-type", "create"],
      64,
      "--add-type CREATE and --remove-type CREATE can't be combined",
    ],
    [["--active", "--inactive"], 64, "--active and --inactive can't be combined"],
    [["--public", "--private"], 64, "--public and --private can't be combined"],
    [["--no-config", "--title", "X"], 64, "--no-config and the texts can't be combined"],
    [["--config", "c.yaml", "--description", "X"], 64, "--config and the texts can't be combined"],
    [["--remove-type", "VIEW,EDIT"], 3, '"Candidate profile" would have no mode left'],
    [["--types", ""], 64, "no mode specified"],
    [["--types", "VIEW,VIEW"], 64, "VIEW is specified twice"],
    [["--add-type", "PRINT"], 64, 'unknown mode "PRINT"'],
    [["--name", ""], 64, "the name must not be blank"],
    [["--config", "missing.yaml"], 3, "can't read missing.yaml"],
  ])("refuses %j and changes nothing", async (options, code, message) => {
    const { cli, form } = await aProfile();
    const outcome = await cli.run(...UPDATE, ...options, "--json");
    expect(outcome.code).toBe(code);
    expect(outcome.error().message).toContain(message);
    expect(await formNow(cli, form)).toEqual(form);
  });

  it("suggests to edit the layout when a mode is new", async () => {
    const cli = await openCli();
    const form = await aUsableProfile(cli);
    const { stdout, stderr } = await cli.run(...UPDATE, "--add-type", "CREATE");
    expect(stdout).toMatch(/Modes: +VIEW usable\n +EDIT usable\n +CREATE draft only\n/);
    expect(stderr).toContain(
      `Next: formctl layouts edit ${OBJECT}/${form.id} --publish  # add CREATE to the supportedModes`,
    );
  });
});

describe("forms update --remove-type", () => {
  async function aSharedProfile() {
    const { cli, form } = await aProfile();
    const { ana = "", dana = "", recruiter = "" } = await people(cli);
    await giveAccess(cli, form, {
      users: [
        { membershipId: ana, types: ["VIEW", "EDIT"] },
        { membershipId: dana, types: ["EDIT"] },
      ],
      roles: [{ roleId: recruiter, types: ["VIEW"] }],
    });
    return { cli, form, ana, recruiter };
  }

  it("lists the access that would be removed, and changes nothing without confirmation", async () => {
    const { cli, form } = await aSharedProfile();
    const outcome = await cli.run(...UPDATE, "--remove-type", "EDIT", "--json");
    expect(outcome.code).toBe(8);
    const { message, hint } = outcome.error();
    expect(message).toContain("access of user Ana Ito <ana@northwind.example>: EDIT");
    expect(message).toContain("access of user Dana Roy <dana@northwind.example>: EDIT");
    expect(message).not.toContain("Recruiter");
    expect(hint).toContain("--yes");
    expect(await formNow(cli, form)).toEqual(form);
  });

  it("removes the mode with its access rows after confirmation", async () => {
    const { cli, form, ana, recruiter } = await aSharedProfile();
    expect((await cli.answering([false], ...UPDATE, "--types", "VIEW")).code).toBe(8);
    const agreed = await cli.answering([true], ...UPDATE, "--types", "VIEW");
    expect(agreed).toMatchObject({ code: 0, asked: ['Remove EDIT from "Candidate profile"?'] });
    expect(await accessNow(cli, form)).toEqual({
      users: [{ membershipId: ana, types: ["VIEW"] }],
      roles: [{ roleId: recruiter, types: ["VIEW"] }],
    });
  });

  it("accepts --yes as confirmation, and requires none if nothing is removed", async () => {
    const { cli } = await aSharedProfile();
    expect((await cli.run(...UPDATE, "--remove-type", "EDIT", "--yes")).code).toBe(0);
    const other = await aForm(cli, "Other", ["VIEW", "EDIT"]);
    expect((await cli.run("forms", "update", `${OBJECT}/${other.id}`, "--remove-type", "EDIT")).code).toBe(0);
  });

  it("refuses to remove a default mode before it asks for confirmation", async () => {
    const { cli, form } = await aSharedProfile();
    await makeDefault(cli, form, "EDIT");
    const outcome = await cli.answering([], ...UPDATE, "--remove-type", "EDIT", "--json");
    expect(outcome).toMatchObject({ code: 6, asked: [] });
    expect(outcome.error().code).toBe("FORM_TYPE_IS_DEFAULT");
    expect(outcome.error().message).toContain(`formctl forms defaults clear ${OBJECT} EDIT`);
    expect((await cli.run("forms", "defaults", "clear", OBJECT, "EDIT")).code).toBe(0);
    expect((await cli.run(...UPDATE, "--remove-type", "EDIT", "--yes")).code).toBe(0);
  });

  it("leaves it to the service to refuse an inactive default", async () => {
    const { cli, form } = await aProfile();
    await makeDefault(cli, form, "VIEW");
    const outcome = await cli.run(...UPDATE, "--inactive", "--json");
    expect(outcome.code).toBe(6);
    expect(outcome.error().code).toBe("FORM_IS_DEFAULT");
  });
});

describe("a server that omits flags", () => {
  const address = { moduleKey: "staffing", objectKey: "candidate" };
  const serving = (form: object) => ({ getForm: async () => form }) as unknown as Service;
  const answer = { id: "frm_1", name: "X", types: ["VIEW"] } as unknown as Form;

  it("reads the form again, and warns about a flag that it does not report", async () => {
    const { doubts } = await confirmFlags(serving(answer), address, { isActive: false }, answer);
    expect(doubts).toEqual(["The server accepted the change of isActive, but does not report its value."]);
  });

  it("accepts the value of the form that was read again", async () => {
    const form = { ...answer, isActive: false };
    expect(await confirmFlags(serving(form), address, { isActive: false }, answer)).toEqual({ form, doubts: [] });
  });

  it("warns when the server kept the old value", async () => {
    const { doubts } = await confirmFlags(serving({}), address, { isPublic: true }, { ...answer, isPublic: false });
    expect(doubts).toEqual(["isPublic is still false: this server does not change it after the form is created."]);
  });
});
