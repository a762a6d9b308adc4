/** What `formctl promote` refuses before any write, and how it writes missing names into the project file. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { readDocument } from "../../src/documents/document.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import {
  applyTo,
  manifestsFor,
  openPromotionScene,
  organizationWith,
  type PromotionScene,
  referencesOf,
  succeeded,
  type TestSide,
  writesOf,
} from "./scene.ts";

const ENDS = ["--from", "staging", "--to", "production"];

type Problem = { severity: string; code: string; message: string; address: string; path: string };

/** Runs a promotion that is refused before any write. Returns the reported problems. */
async function refusal({ cli, production }: PromotionScene, ...words: string[]): Promise<Problem[]> {
  const before = await writesOf(production);
  const outcome = await cli.run("promote", ...(words.length > 0 ? words : ENDS), "--yes", "-o", "json");
  expect({ code: outcome.code, writes: await writesOf(production) }).toEqual({ code: 3, writes: before });
  return (JSON.parse(outcome.stderr) as { error: { problems: Problem[] } }).error.problems;
}

const ids = ({ organization }: TestSide) => ({
  recruiter: organization.roles.find(({ key }) => key === "recruiter")!.id,
  compliance: organization.roles.find(({ key }) => key === "compliance_officer")!.id,
  ana: organization.members.find(({ email }) => email.startsWith("ana"))!.id,
  script: organization.scripts[0]!.id,
  risk: organization.customFields.find(({ key }) => key === "risk_class")!.id,
});

describe("a promotion with unknown ids", () => {
  it("lists all ids without a name at once, and sends nothing", async () => {
    const scene = await openPromotionScene();
    await applyTo(scene, scene.staging);
    scene.writeProject({});
    const { recruiter, compliance, ana, script, risk } = ids(scene.staging);
    const problems = await refusal(scene);
    expect(problems.every(({ code, severity }) => code === "ID_UNMAPPED" && severity === "error")).toBe(true);
    const messages = problems.map(({ message }) => message);
    for (const id of [recruiter, compliance, ana, script, risk]) {
      expect(messages.filter((message) => message.includes(` ${id} of staging has no name`))).toHaveLength(1);
    }
    expect(problems.find(({ message }) => message.includes(script))).toMatchObject({
      address: "staffing/candidate/Profile",
      path: "layout.scriptBindings[0].scriptId",
      message: expect.stringContaining("references.staging.scripts in formctl.yaml") as unknown,
    });
    // One id in two places is one problem.
    expect(messages.find((message) => message.includes(recruiter))).toContain(" (and in 1 other place)");
    const text = await scene.cli.run("promote", ...ENDS, "--yes");
    expect(text.stderr).toMatch(
      /^staffing\/candidate\/Profile layout\.scriptBindings\[0\]\.scriptId  error  ID_UNMAPPED  the script /m,
    );
    expect(text.stderr).not.toContain("promotion of staging");
  });

  it("lists the names without a counterpart, and in free members too", async () => {
    const scene = await openPromotionScene();
    const { staging } = scene;
    await applyTo(scene, staging);
    scene.writeProject({ references: referencesOf(staging) });
    const problems = await refusal(scene);
    const messages = problems.map(({ message }) => message).join("\n");
    const { recruiter } = ids(staging);
    expect(messages).toContain(
      `the role "Recruiter" (${recruiter}) of staging has no counterpart on production: references.production.roles in formctl.yaml has no such role`,
    );
    expect(messages).toContain('the member "ana@northwind.example"');
    expect(messages).toContain('the field "CONTRACTOR/risk_class"');
    const text = await scene.cli.run("promote", ...ENDS, "--yes");
    expect(text.stderr).toContain("Recruiter: ROLE_ID");
    expect(text.stderr).toContain("--write-references");
  });

  it("drafts the missing part of the project file, and keeps its comments", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    const known = referencesOf(production)["production"] as { scripts: object };
    cli.file(
      "formctl.yaml",
      `# The settings of this project.\nmanifests: forms # in this repository\n${toYaml({ references: { production: { scripts: known.scripts } } })}`,
    );
    const dry = await succeeded(cli.run("promote", ...ENDS, "--write-references", "--dry-run"));
    expect(dry.stdout).toContain("ROLE_ID");
    expect(readFileSync(join(cli.cwd, "formctl.yaml"), "utf8")).not.toContain("ROLE_ID");
    await succeeded(cli.run("promote", ...ENDS, "--write-references"));
    expect(await writesOf(production)).toBe(0);

    const text = readFileSync(join(cli.cwd, "formctl.yaml"), "utf8");
    expect(text).toContain("# The settings of this project.");
    expect(text).toContain("manifests: forms # in this repository");
    const { recruiter } = ids(staging);
    const { references } = readDocument(text, "formctl.yaml").value as {
      references: Record<string, Record<string, Record<string, string>>>;
    };
    expect(references["staging"]!["roles"]).toMatchObject({ [`NAME_OF_${recruiter}`]: recruiter });
    expect(references["production"]!["roles"]).toMatchObject({ [`NAME_OF_${recruiter}`]: "ROLE_ID" });
    expect(references["production"]!["scripts"]).toMatchObject(known.scripts);

    // A placeholder is not an id.
    const problems = await refusal(scene);
    expect(problems.map(({ message }) => message).join("\n")).toContain(`"NAME_OF_${recruiter}"`);

    scene.writeProject();
    const complete = await succeeded(cli.run("promote", ...ENDS, "--write-references"));
    expect(complete.stderr).toContain("formctl.yaml has all names that the promotion needs.");
    await succeeded(cli.run("promote", ...ENDS, "--yes"));
  });

  it("writes a new project file if there is none, and drafts names for a store only on the side of the server", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    rmSync(join(cli.cwd, "formctl.yaml"));
    await succeeded(
      cli.run("promote", "--from", "staging", "--to", `${production.store}#northwind`, "--write-references"),
    );
    const { references } = readDocument(readFileSync(join(cli.cwd, "formctl.yaml")), "").value as {
      references: Record<string, unknown>;
    };
    expect(Object.keys(references)).toEqual(["staging"]);
  });

  it("names the next step for a record that a store does not have", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await staging.local.seed({
      organizations: [
        { key: "northwind", name: "Northwind Staffing", roles: [{ key: "night_shift", name: "Night shift" }] },
      ],
    });
    const profile = manifestsFor(staging)["profile.yaml"]!.replace("role: Recruiter", "role: Night shift");
    cli.file("night/profile.yaml", profile);
    await succeeded(cli.run("apply", "night", "--yes", "--store", staging.store, "--organization", "northwind"));
    const outcome = await cli.run(
      "promote",
      "--from",
      `${staging.store}#northwind`,
      "--to",
      `${production.store}#northwind`,
      "--yes",
    );
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('the role "night_shift"');
    expect(outcome.stderr).toContain("on production.db#northwind: the local store has no such role");
    expect(outcome.stderr).toContain("Add the missing records to production.db#northwind: formctl local seed FILE");
  });

  it("refuses a name that several records of the target have", async () => {
    const scene = await openPromotionScene();
    const { staging, production } = scene;
    await production.local.seed({
      organizations: [{ key: "northwind", name: "Northwind Staffing", roles: [{ key: "other", name: "Recruiter" }] }],
    });
    await applyTo(scene, staging);
    scene.writeProject({ references: { staging: referencesOf(staging)["staging"]! } });
    const problems = await refusal(scene, "--from", "staging", "--to", `${production.store}#northwind`);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("may mean 2 roles of ")]);
  });

  it("refuses the id of a form in a free member, unless it is kept", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    const listed = await succeeded(
      cli.run("forms", "list", "staffing/candidate", "--profile", "staging", "-o", "json"),
    );
    const formId = (listed.json() as { id: string; name: string }[]).find(({ name }) => name === "Intake")!.id;
    const linked = manifestsFor(staging)["profile.yaml"]!.replace("label: Help", `label: Help, opens: ${formId}`);
    await applyTo(scene, staging, { ...manifestsFor(staging), "profile.yaml": linked });
    const problems = await refusal(scene);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${formId} is the id of a form of staging, and such ids are not mapped`),
    ]);
    scene.writeProject({
      references: referencesOf(staging, production),
      promote: { keep: { "*": ["layout.blocks[help].config.opens"] } },
    });
    await succeeded(cli.run("promote", ...ENDS, "--yes"));
  });

  it("promotes ids of other records unchanged with a warning, or maps them by their names", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    const board = `kind: Layout
surface: DASHBOARD
target: {dashboardKey: main}
name: Board
supportedModes: [VIEW]
layout:
  schemaVersion: 1
  regions: [{key: main, label: Main, layout: dashboard_grid, columns: 12}]
  blocks:
    - {id: count, type: counter, source: dashboard, ref: {savedQueryId: q_open}, regionKey: main}
`;
    await applyTo(scene, staging, { "board.yaml": board });
    const kept = await succeeded(cli.run("promote", ...ENDS, "--dry-run", "-o", "json"));
    expect(kept.json()).toMatchObject({
      problems: [{ severity: "warning", code: "ID_KEPT", message: expect.stringContaining("q_open") as unknown }],
    });
    expect((await cli.run("promote", ...ENDS, "--yes", "--strict")).code).toBe(3);
    const references = referencesOf(staging, production);
    scene.writeProject({
      references: {
        staging: { ...references["staging"], others: { "Open placements": "q_open" } },
        production: { ...references["production"], others: { "Open placements": "q_live" } },
      },
    });
    await succeeded(cli.run("promote", ...ENDS, "--yes", "--strict"));
    const shown = await succeeded(cli.run("export", "--all-layouts", "--profile", "production"));
    expect(shown.stdout).toContain("savedQueryId: q_live");
  });
});

describe("a promotion of fields that the target lacks", () => {
  it("lists the missing fields of a store by name, once each", async () => {
    const scene = await openPromotionScene();
    const { staging, production } = scene;
    await staging.local.seed(
      organizationWith(({ modules }) => {
        modules![0]!.objects![0]!.fields!.push({ key: "hourly_rate", name: "Hourly rate", type: "CURRENCY" });
      }),
    );
    const field =
      "    - {id: rate, type: field, source: dynamic_field, ref: {fieldKey: hourly_rate}, regionKey: main}\n";
    const { "profile.yaml": profile = "", "intake.yaml": intake = "" } = manifestsFor(staging);
    await applyTo(scene, staging, {
      "profile.yaml": profile.replace("  scriptBindings:\n", `${field}  scriptBindings:\n`),
      "intake.yaml": `${intake}${field}`,
    });
    const problems = await refusal(scene, "--from", "staging", "--to", `${production.store}#northwind`);
    expect(problems).toMatchObject([
      {
        code: "FIELD_MISSING",
        address: "staffing/candidate/Intake",
        path: "layout.blocks[3].ref.fieldKey",
        message: expect.stringMatching(
          /^production\.db#northwind has no field staffing\/candidate\/hourly_rate\. It is shown by staffing\/candidate\/Intake and 1 other layout\. Create the field on production\.db#northwind, or stage its creation in the layout on staging$/,
        ) as unknown,
      },
    ]);
    // A server does not list its fields. An organization file does.
    scene.cli.file("organization.yaml", toYaml({ organizations: contractOrganizations.organizations.slice(0, 1) }));
    const file = ["--organization-file", "organization.yaml"];
    const listed = await refusal(scene, ...ENDS, ...file);
    expect(listed.map(({ code }) => code)).toEqual(["FIELD_MISSING"]);
    // Without this file, the server refuses drafts with missing fields. The other resources are promoted.
    const server = await scene.cli.run("promote", ...ENDS, "--yes");
    expect(server.code).toBe(9);
    expect(server.stderr).toContain("hourly_rate");
    expect(server.stderr).toContain(
      "hint: Create the field on production, or stage its creation in the layout on staging. Then promote again.",
    );
    expect(server.stderr).not.toContain("Correct the layout");
    expect(server.stderr).not.toContain("promotion of staging");
    expect(server.stderr).toMatch(
      /^In staffing\/candidate\/Intake: publishLayout failed\nerror: .*\n  blocks\[3\]\.ref\.fieldKey  error  /m,
    );
  });

  it("states what to do where the target requires a field that the layout does not show", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    await production.local.seed(
      organizationWith(({ modules }) => {
        modules![0]!.objects![0]!.fields!.push({ key: "consent", name: "Consent", type: "TEXT", required: true });
      }),
    );
    const hint = (name: string) =>
      `hint: Show the required field in the layout on staging, or give it a default value on ${name}. Then promote again.`;
    const store = `${production.store}#northwind`;
    const refused = await cli.run("promote", "--from", "staging", "--to", store, "--yes");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(
      /^staffing\/candidate\/Intake layout\.blocks  error  REQUIRED_FIELD_MISSING  "consent" is/m,
    );
    expect(refused.stderr).toContain(hint(store));
    const server = await cli.run("promote", ...ENDS, "--yes");
    expect(server.code).toBe(9);
    expect(server.stderr).toContain(hint("production"));
  });

  it("states what to do where the target lacks an object", async () => {
    const scene = await openPromotionScene();
    const { cli, staging } = scene;
    await applyTo(scene, staging);
    cli.file("small.yaml", toYaml({ organizations: [{ key: "northwind", name: "Northwind" }] }));
    await succeeded(cli.run("local", "init", "--store", "small.db"));
    await succeeded(cli.run("local", "seed", "small.yaml", "--store", "small.db"));
    scene.writeProject({
      references: referencesOf(staging),
      promote: { keep: { "*": ["access", "config", "layout", "assignments"] } },
    });
    const refused = await cli.run("promote", "--from", "staging", "--to", "small.db", "staffing/candidate", "--yes");
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringMatching(/^staffing\/candidate\/\w+ object  error  OBJECT_MISSING  /m),
    ]);
    expect(refused.stderr).toContain("Create the object on small.db, or leave it out: name what to promote.");
  });
});
