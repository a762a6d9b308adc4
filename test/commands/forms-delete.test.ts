/** Tests `formctl forms delete` through command lines. */

import { describe, expect, it } from "vitest";
import { openCli } from "./cli.ts";
import { aForm, aUsableProfile, giveAccess, makeDefault, OBJECT, people, PROFILE } from "./forms-scene.ts";

const DELETE = ["forms", "delete", PROFILE] as const;

describe("forms delete", () => {
  it("lists everything that would be deleted, and deletes nothing without confirmation", async () => {
    const cli = await openCli();
    const form = await aUsableProfile(cli);
    const { dana = "", recruiter = "" } = await people(cli);
    await giveAccess(cli, form, {
      users: [{ membershipId: dana, types: ["VIEW"] }],
      roles: [{ roleId: recruiter, types: ["VIEW"] }],
    });
    await cli.run("forms", "update", PROFILE, "--public");
    for (const fileName of ["cv.pdf", "photo.png"]) {
      await cli.behind((_service, local) => local.addUpload({ formId: form.id, fileName, bytes: Buffer.from("x") }));
    }
    const outcome = await cli.run(...DELETE, "--json");
    expect(outcome.code).toBe(8);
    const { message, hint } = outcome.error();
    expect(message).toContain(`the form "Candidate profile" (${form.id})`);
    expect(message).toContain('its layout "Candidate profile" with 1 version');
    expect(message).toContain("access of 1 user and 1 role");
    expect(message).toContain("2 uploaded files");
    expect(hint).toContain("--allow-delete");
    expect((await cli.run("forms", "get", PROFILE)).code).toBe(0);
    expect((await cli.run("local", "uploads", "list", PROFILE, "-o", "name")).stdout.trim().split("\n")).toHaveLength(
      2,
    );
  });

  it("deletes with --allow-delete", async () => {
    const cli = await openCli();
    const form = await aForm(cli, "Candidate profile", ["VIEW"]);
    const outcome = await cli.run(...DELETE, "--allow-delete", "--json");
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toEqual({ deleted: true, id: form.id, name: "Candidate profile" });
    expect((await cli.run("forms", "get", `${OBJECT}/${form.id}`)).code).toBe(5);
  });

  it("deletes after a confirmation at the prompt", async () => {
    const cli = await openCli();
    const form = await aForm(cli, "Candidate profile", ["VIEW"]);
    const outcome = await cli.answering([true], ...DELETE);
    expect(outcome.asked).toEqual([`Delete the form "Candidate profile" of ${OBJECT}?`]);
    expect(outcome.stdout).toBe(`Deleted the form Candidate profile (${form.id}).\n`);
    expect(outcome.stderr).toContain("Will be deleted permanently: ");
  });

  it("deletes nothing with --yes alone, and still asks at a terminal", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW"]);
    const refused = await cli.run(...DELETE, "--yes", "--json");
    expect(refused.code).toBe(8);
    expect(refused.error()).toMatchObject({
      code: "CONSENT_MISSING",
      message: expect.stringMatching(
        /^confirmation required: delete the form .*\. Will be deleted permanently: the form/,
      ) as string,
      hint: "To confirm, add --allow-delete.",
    });
    const asked = await cli.answering([false], ...DELETE, "--yes");
    expect([asked.code, asked.asked.length]).toEqual([8, 1]);
    expect((await cli.run("forms", "get", PROFILE)).code).toBe(0);
  });

  it("deletes nothing when the user declines", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW"]);
    expect((await cli.answering([false], ...DELETE)).code).toBe(8);
    expect((await cli.run("forms", "get", PROFILE)).code).toBe(0);
  });

  it("refuses a default before it asks for confirmation, unless --clear-defaults is set", async () => {
    const cli = await openCli();
    const form = await aForm(cli, "Candidate profile", ["VIEW", "EDIT"]);
    await makeDefault(cli, form, "VIEW", "EDIT");
    const refused = await cli.answering([], ...DELETE, "--json");
    expect(refused).toMatchObject({ code: 6, asked: [] });
    expect(refused.error().code).toBe("FORM_IS_DEFAULT");
    expect(refused.error().message).toContain(`formctl forms defaults clear ${OBJECT} VIEW EDIT`);

    const unasked = await cli.run(...DELETE, "--clear-defaults", "--json");
    expect(unasked.code).toBe(8);
    expect(unasked.error().message).toContain("the default for VIEW, EDIT");

    const done = await cli.run(...DELETE, "--clear-defaults", "--allow-delete");
    expect(done.code).toBe(0);
    expect((await cli.run("forms", "defaults", "show", OBJECT, "--json")).json()).toEqual({
      defaultCreateFormId: null,
      defaultViewFormId: null,
      defaultEditFormId: null,
    });
  });

  it("prints both requests with --dry-run, and sends nothing", async () => {
    const cli = await openCli();
    const form = await aForm(cli, "Candidate profile", ["VIEW"]);
    await makeDefault(cli, form, "VIEW");
    const dry = await cli.run(...DELETE, "--clear-defaults", "--dry-run", "--json");
    const path = "/v1/custom-modules/staffing/objects/candidate/forms";
    expect(dry.json()).toEqual({
      dryRun: true,
      requests: [
        { method: "PATCH", path: `${path}/defaults`, body: { defaultViewFormId: null } },
        { method: "DELETE", path: `${path}/${form.id}` },
      ],
    });
    expect((await cli.run("forms", "get", PROFILE)).code).toBe(0);
  });

  it("succeeds for a missing form with --if-exists", async () => {
    const cli = await openCli();
    expect((await cli.run(...DELETE, "--allow-delete")).code).toBe(5);
    const outcome = await cli.run(...DELETE, "--if-exists", "--json");
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toEqual({ deleted: false, id: null, name: "Candidate profile" });
    expect((await cli.run(...DELETE, "--if-exists")).stdout).toBe("The form Candidate profile does not exist.\n");
    expect((await cli.run(...DELETE, "--if-exists", "-o", "name")).stdout).toBe("");
  });

  it("refuses a missing object even with --if-exists", async () => {
    const cli = await openCli();
    const outcome = await cli.run(
      "forms",
      "delete",
      "staffing/candidat/Candidate profile",
      "--if-exists",
      "--allow-delete",
    );
    expect(outcome.code).toBe(5);
  });

  it("refuses an ambiguous name", async () => {
    const cli = await openCli();
    await aForm(cli, "Candidate profile", ["VIEW"]);
    await aForm(cli, "Candidate profile", ["VIEW"]);
    expect((await cli.run(...DELETE, "--allow-delete", "--if-exists")).code).toBe(6);
  });
});
