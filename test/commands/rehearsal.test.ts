/**
 * Tests the predictions of `formctl plan`: refusals at the lines of manifests, effects, and what a copy does not know.
 */

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RehearsalDocument } from "../../src/commands/manifests/rehearsal-view.ts";
import { type Cli, openCli } from "./cli.ts";
import { behindNorthwind, layoutText } from "./manifests-scene.ts";
import { openRemoteScene } from "./remote-scene.ts";

const indented = (text: string) => text.replace(/^(?=.)/gm, "  ");
const form = (name: string, types: string, layout: string, members = "") =>
  `kind: Form\nobject: staffing/candidate\nname: ${name}\ntypes: [${types}]\n${members}layout:\n${indented(layout)}`;

const DELETES_NOTES = "stagedFieldDefinitions:\n  - { draftId: d1, action: delete, key: notes }\n";

/** Creates two published forms that show `notes`. Then changes one manifest so that it deletes this field. */
async function notesToDelete(cli: Cli): Promise<void> {
  cli.file("forms/card.yaml", form("Card", "VIEW, EDIT", layoutText("phone", "notes")));
  cli.file("forms/other.yaml", form("Other", "VIEW", layoutText("notes")));
  expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
  cli.file("forms/card.yaml", form("Card", "VIEW, EDIT", layoutText("phone") + DELETES_NOTES));
}

type PlanDocument = { exitCode: number; rehearsal?: RehearsalDocument };
const planned = async (cli: Cli, ...words: string[]) => {
  const { code, stdout } = await cli.run("plan", ...words, "-o", "json");
  return { code, ...(JSON.parse(stdout) as PlanDocument) };
};

const writesOf = (cli: Cli) => behindNorthwind(cli, async (_service, local) => local.log({ limit: 1000 }));

describe("plan for a local store", () => {
  it("foretells a refusal at its line, with status, code and the exit code of apply, and writes nothing", async () => {
    const cli = await openCli();
    await notesToDelete(cli);
    const before = [readdirSync(cli.home), await writesOf(cli)];
    const { code, stderr } = await cli.run("plan", "forms");
    expect(code).toBe(8);
    expect(stderr).toContain("forms/card.yaml:12:7  error  FIELD_CHANGES_UNCONFIRMED");
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      "publishLayout would be refused (409 FIELD_CHANGES_UNCONFIRMED): these field changes must be confirmed: notes",
    );
    expect(stderr).toContain("To confirm, add its draftId to confirmFieldChanges in the manifest.");
    expect(stderr).not.toContain("Next: formctl apply");
    const { rehearsal, exitCode } = await planned(cli, "forms");
    expect(exitCode).toBe(8);
    expect(rehearsal?.unknown).toEqual([]);
    expect(rehearsal?.refusals).toMatchObject([
      {
        address: "staffing/candidate/Card",
        step: 1,
        operation: "publishLayout",
        status: 409,
        code: "FIELD_CHANGES_UNCONFIRMED",
        isCertain: true,
        problems: [{ file: "forms/card.yaml", line: 12, severity: "error" }],
        error: { exitCode: 8, api: { status: 409 } },
      },
    ]);
    expect([readdirSync(cli.home), await writesOf(cli)]).toEqual(before);

    const applied = await cli.run("apply", "forms", "--yes", "-o", "json");
    expect(applied.code).toBe(8);
    expect(applied.stdout).toContain("FIELD_CHANGES_UNCONFIRMED");
  });

  it("lists the fields and values that are lost, and the forms that rely on them", async () => {
    const cli = await openCli();
    await notesToDelete(cli);
    const confirmed = readFileSync(join(cli.cwd, "forms/card.yaml"), "utf8");
    cli.file("forms/card.yaml", confirmed.replace("layout:", "confirmFieldChanges: [d1]\nlayout:"));
    const { code, stdout } = await cli.run("plan", "forms/card.yaml");
    expect(code).toBe(0);
    expect(stdout.slice(stdout.indexOf("\nEffects"))).toBe(
      [
        "",
        "Effects",
        "    ! staffing/candidate/Other: VIEW: PUBLISHED → INVALID (not in this plan)",
        "    ! staffing/candidate/notes: deletes the field (TEXTAREA)",
        "    ! staffing/candidate/notes: clears 412 values",
        "",
      ].join("\n"),
    );
    expect((await cli.run("apply", "forms/card.yaml", "--yes")).code).toBe(0);
    const other = await cli.run("forms", "get", "staffing/candidate/Other", "-o", "json");
    expect(other.stdout).toContain('"state": "INVALID"');
  });

  it("lists moved defaults, access that is lost with a mode, and uploaded files", async () => {
    const cli = await openCli();
    const [role] = await behindNorthwind(
      cli,
      async (_service, local) => (await local.show("northwind")).organizations[0]!.roles,
    );
    const access = `access: { users: [], roles: [{ roleId: ${role!.id}, types: [VIEW, EDIT] }] }\n`;
    const layout = layoutText("phone");
    cli.file("forms/card.yaml", form("Card", "VIEW, EDIT", layout, `defaultFor: [VIEW]\n${access}`));
    cli.file("forms/old.yaml", form("Old", "VIEW", layout, "isPublic: true\n"));
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    await behindNorthwind(cli, async (service, local) => {
      const { data } = await service.listForms({ moduleKey: "staffing", objectKey: "candidate", query: {} });
      const formId = data.find(({ name }) => name === "Old")!.id;
      await local.addUpload({ formId, fileName: "cv.pdf", bytes: new Uint8Array(3) });
    });
    cli.file("forms/card.yaml", form("Card", "VIEW", layout, "defaultFor: []\n"));
    cli.file("forms/new.yaml", form("New", "VIEW", layout, "defaultFor: [VIEW]\n"));
    rmSync(join(cli.cwd, "forms/old.yaml"));
    const { rehearsal } = await planned(cli, "forms/card.yaml", "forms/new.yaml", "--prune");
    const texts = rehearsal?.effects.map(({ kind, subject, text }) => `${kind} ${subject}: ${text}`);
    expect(texts).toEqual([
      "availability staffing/candidate/Card: EDIT: PUBLISHED → no such mode",
      "availability staffing/candidate/New: VIEW: no form → PUBLISHED",
      "default staffing/candidate: default for VIEW: Card → New",
      `access staffing/candidate/Card: role ${role!.name} loses EDIT`,
      "uploads staffing/candidate/Old: deletes 1 uploaded file",
    ]);
  });

  it("leaves the rehearsal out with --no-rehearse, and for a plan without changes reports nothing", async () => {
    const cli = await openCli();
    await notesToDelete(cli);
    const left = await planned(cli, "forms", "--no-rehearse");
    expect([left.code, left.rehearsal]).toEqual([0, undefined]);
    expect((await cli.run("plan", "forms", "--no-rehearse")).stdout).not.toContain("Effects");
    const none = await planned(cli, "forms/other.yaml");
    expect([none.code, none.rehearsal]).toEqual([0, { refusals: [], effects: [], unknown: [] }]);
  });

  it("shows the findings in markdown and on the page", async () => {
    const cli = await openCli();
    await notesToDelete(cli);
    const { stdout, code } = await cli.run("plan", "forms", "--format", "markdown", "--html", "plan.html");
    expect(code).toBe(8);
    expect(stdout).toContain("| <code>refusal</code> | <code>forms/card.yaml:12 publishLayout would be refused (409");
    const page = readFileSync(join(cli.cwd, "plan.html"), "utf8");
    expect(page).toContain("publishLayout would be refused (409 FIELD_CHANGES");
  });
});

describe("plan for a server", () => {
  it("lists what the copy does not know, and does not stop because of it", async () => {
    const { cli } = await openRemoteScene();
    await notesToDelete(cli);
    const { code, rehearsal } = await planned(cli, "forms");
    expect(code).toBe(0);
    // The refusal is uncertain: the copy doesn't know whether the field exists.
    expect(rehearsal?.refusals).toMatchObject([
      { code: "FIELD_CHANGES_UNCONFIRMED", isCertain: false, problems: [{ severity: "warning" }] },
    ]);
    expect(rehearsal?.unknown.map(({ kind, codes }) => [kind, codes])).toEqual([
      ["permissions", ["FORBIDDEN"]],
      ["fields", ["DRAFT_INVALID", "FIELD_CHANGES_UNCONFIRMED", "DRAFT_HAS_WARNINGS"]],
      ["values", ["FIELD_CHANGES_UNCONFIRMED"]],
    ]);
    const { stdout, stderr } = await cli.run("plan", "forms");
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("publishLayout may be refused (409 FIELD_CHANGES_UNCONFIRMED)");
    expect(stdout).toContain("\nNot known to the rehearsal\n");
    expect(stdout).toContain("? the fields of staffing/candidate: no organization file lists them");
  });

  it("foretells the loss of a mode and the deactivation of a form whose layout the plan does not read", async () => {
    const { cli } = await openRemoteScene();
    const text = form("Card", "VIEW, EDIT", layoutText("phone"));
    cli.file("forms/card.yaml", text);
    expect((await cli.run("apply", "forms", "--yes")).code).toBe(0);
    const head = text.slice(0, text.indexOf("layout:"));
    const effects = async (members: string) => {
      cli.file("forms/card.yaml", members);
      return (await planned(cli, "forms")).rehearsal?.effects.map((effect) => `${effect.subject}: ${effect.text}`);
    };
    expect(await effects(head.replace("VIEW, EDIT", "VIEW"))).toEqual([
      "staffing/candidate/Card: EDIT: PUBLISHED → no such mode",
    ]);
    expect(await effects(`${head}isActive: false\n`)).toEqual([
      "staffing/candidate/Card: VIEW, EDIT: PUBLISHED → PUBLISHED, form inactive",
    ]);
    expect(await effects(head)).toEqual([]);
  });

  it("foretells a refusal with the fields of the organization file", async () => {
    const { cli } = await openRemoteScene();
    await notesToDelete(cli);
    const { organizations } = await behindNorthwind(cli, async (_service, local) => local.show("northwind"));
    cli.file("organization.json", { organizations });
    const { code, rehearsal } = await planned(cli, "forms", "--organization-file", "organization.json");
    expect(code).toBe(8);
    expect(rehearsal?.refusals).toMatchObject([
      { operation: "publishLayout", code: "FIELD_CHANGES_UNCONFIRMED", isCertain: true },
    ]);
    expect(rehearsal?.unknown.map(({ kind }) => kind)).toEqual(["permissions", "currentFields"]);
  });
});
