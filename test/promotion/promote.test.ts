/** `formctl promote` between two servers whose records all have other ids. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/schemas/json.ts";
import {
  applyTo,
  manifestsFor,
  openPromotionScene,
  type PromotionScene,
  referencesOf,
  succeeded,
  type TestSide,
  writesOf,
} from "./scene.ts";

const ENDS = ["--from", "staging", "--to", "production"];

/** Expects no difference between the two servers, in both directions. */
async function expectEqual({ cli }: PromotionScene, count: number): Promise<void> {
  for (const [from, to] of [
    ["staging", "production"],
    ["production", "staging"],
  ] as const) {
    const outcome = await succeeded(cli.run("diff", "--from", from, "--to", to, "-o", "json"));
    expect(outcome.json()).toMatchObject({
      summary: { onlyInFrom: 0, onlyInTo: 0, different: 0, equal: count, unknown: 0 },
    });
  }
}

const emptyPlan = /0 to create, 0 to change, 0 to delete; \d+ in sync\n/;

async function expectInSync({ cli }: PromotionScene, folder: string, { name }: TestSide): Promise<void> {
  const plan = await cli.run("plan", folder, "--profile", name, "--detailed-exitcode");
  expect({ code: plan.code, stdout: plan.stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(emptyPlan) as unknown,
  });
}

/** Returns a form as the service shows it, with the published content of its layout. */
async function formOn(
  { local }: TestSide,
  name: string,
): Promise<{ form: JsonObject; content: JsonObject; formId: string }> {
  const service = await local.service("northwind");
  const object = { moduleKey: "staffing", objectKey: "candidate" };
  const { data } = await service.listForms({ ...object, query: { limit: 100 } });
  const formId = data.find((each) => each.name === name)!.id;
  const form = await service.getForm({ ...object, formId });
  const versions = await service.listVersions({ layoutId: form.viewLayoutId });
  const { id: versionId } = versions.find(({ status }) => status === "PUBLISHED")!;
  return { form, content: await service.getVersion({ layoutId: form.viewLayoutId, versionId }), formId };
}

const idOf = (records: readonly { key: string; id: string }[], key: string) =>
  records.find((each) => each.key === key)!.id;

describe("formctl promote", () => {
  it("makes the target equal to the source, with the ids of the target, and then finds no changes", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    const before = await writesOf(staging);
    expect(await succeeded(cli.run("promote", ...ENDS, "--yes"))).toMatchObject({
      stdout: expect.stringContaining("3 created.") as unknown,
    });
    await expectEqual(scene, 3);

    const { roles, scripts } = production.organization;
    const { form, content } = await formOn(production, "Profile");
    expect(form["config"]).toEqual({ title: "Candidate", reviewer: idOf(roles, "recruiter") });
    expect(content).toMatchObject({
      scriptBindings: [{ scriptId: scripts[0]!.id }],
      blocks: [{ id: "name" }, { id: "mail" }, { id: "help", config: { notify: [idOf(roles, "recruiter")] } }],
    });

    // An export of each server is in sync with the server.
    for (const side of [staging, production]) {
      const folder = `exported-${side.name}`;
      const names = ["staffing/candidate", "--all-layouts", "--into", folder];
      await succeeded(cli.run("export", ...names, "--profile", side.name));
      await expectInSync(scene, folder, side);
    }
    // A manifest without ids is in sync with both servers.
    await expectInSync(scene, "exported-staging/staffing/candidate/intake.yaml", production);

    const written = await writesOf(production);
    const again = await succeeded(cli.run("promote", ...ENDS, "--yes"));
    expect(again.stdout).toContain("No changes: ");
    expect(again.stdout).toContain("matches staging");
    expect([await writesOf(staging), await writesOf(production)]).toEqual([before, written]);
  });

  it("promotes a change of one form, and shows the plan, the rehearsal and the confirmation", async () => {
    const scene = await openPromotionScene();
    const { cli, staging } = scene;
    await applyTo(scene, staging);
    await succeeded(cli.run("promote", ...ENDS, "--yes"));
    const manifests = manifestsFor(staging);
    await applyTo(scene, staging, {
      ...manifests,
      "profile.yaml": manifests["profile.yaml"]!.replace("title: Candidate", "title: Person"),
      "card.yaml": manifests["card.yaml"]!.replace("priority: 5", "priority: 7"),
    });

    const refused = await cli.run("promote", ...ENDS, "staffing/candidate/Profile");
    expect(refused.code).toBe(8);
    expect(refused.stderr).toContain('~ config.title: "Candidate" → "Person"');
    expect(refused.stderr).toContain("To confirm, add --yes.");
    const dry = await cli.run("promote", ...ENDS, "staffing/candidate/Profile", "--dry-run", "-o", "json");
    expect(dry.json()).toMatchObject({
      exitCode: 0,
      resources: [{ address: "staffing/candidate/Profile", action: "update", changes: [{ path: "config.title" }] }],
      rehearsal: { refusals: [] },
    });
    const promoted = await cli.answering([true], "promote", ...ENDS, "staffing/candidate/Profile");
    expect(promoted.asked).toEqual([
      expect.stringMatching(/^Apply 1 step to 1 resource in http.*, profile production\?/),
    ]);
    expect(promoted.stderr).toContain(`Same as: formctl promote ${ENDS.join(" ")} staffing/candidate/Profile --yes\n`);
    const diff = await cli.run("diff", ...ENDS, "-o", "name");
    expect(diff.stdout).toBe("CONTRACTOR/Card\n");
  });

  it("saves a plan that formctl apply carries out, and refuses it when the target has changed", async () => {
    const scene = await openPromotionScene();
    const { cli, production } = scene;
    await applyTo(scene, scene.staging);
    const planned = await succeeded(cli.run("promote", ...ENDS, "--out", "plan.json"));
    expect(planned.stdout).toContain("3 to create, 0 to change, 0 to delete; 0 in sync");
    expect(planned.stderr).toContain("Next: formctl apply --profile production plan.json");
    expect(await writesOf(production)).toBe(0);
    const markdown = await succeeded(cli.run("promote", ...ENDS, "--out", "other.json", "--format", "markdown"));
    expect(markdown.stdout).toContain("### formctl plan for");

    await succeeded(cli.run("apply", "plan.json", "--profile", "production", "--yes"));
    await expectEqual(scene, 3);
    const stale = await cli.run("apply", "other.json", "--profile", "production", "--yes");
    expect(stale.code).toBe(6);
  });

  it("deletes forms that the source does not have, only with --prune and --allow-delete", async () => {
    const scene = await openPromotionScene();
    const { cli, production } = scene;
    await applyTo(scene, scene.staging);
    const manifests = manifestsFor(production);
    const old = manifests["intake.yaml"]!.replace("name: Intake", "name: Old").replace("defaultFor: [CREATE]\n", "");
    await applyTo(scene, production, { ...manifests, "old.yaml": old });
    expect((await cli.run("promote", ...ENDS, "--yes")).stdout).toContain("No changes: ");
    const unconfirmed = await cli.run("promote", ...ENDS, "--yes", "--prune");
    expect(unconfirmed.code).toBe(8);
    expect(unconfirmed.stderr).toContain("--allow-delete");
    const single = await cli.run("promote", ...ENDS, "--yes", "--prune", "staffing/candidate/Intake");
    expect(single.code).toBe(64);
    expect(single.stderr).toContain("Promote the whole object: MODULE/OBJECT");
    await succeeded(cli.run("promote", ...ENDS, "--yes", "--prune", "--allow-delete"));
    await expectEqual(scene, 3);
  });

  it("leaves what promote.keep names as it is on the target, and out of a new form", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    const own = manifestsFor(production);
    await applyTo(scene, production, {
      "profile.yaml": own["profile.yaml"]!.replace("title: Candidate", "title: Person, description: Live")
        .replace("https://staging.example/help", "https://live.example/help")
        .replace("role: Recruiter, types: [VIEW]", "role: Recruiter, types: [VIEW, EDIT]")
        .replace("label: Help", "label: Support"),
    });
    const keep = {
      "staffing/*": ["config.title", "access", "layout.blocks[help].config.url"],
      "CONTRACTOR/*": ["metadata"],
    };
    scene.writeProject({ references: referencesOf(staging, production), promote: { keep } });

    const plan = await succeeded(cli.run("promote", ...ENDS, "--dry-run", "-o", "json"));
    const { resources } = plan.json() as { resources: { address: string; changes: { path: string }[] }[] };
    const changes = Object.fromEntries(resources.map((each) => [each.address, each.changes.map(({ path }) => path)]));
    expect(changes["staffing/candidate/Profile"]).toEqual(["config.description", "layout.blocks[2].config.label"]);
    expect(changes["CONTRACTOR/Card"]).not.toContain("metadata");
    await succeeded(cli.run("promote", ...ENDS, "--yes"));
    const { form, content, formId } = await formOn(production, "Profile");
    expect(form["config"]).toMatchObject({ title: "Person" });
    expect(form["config"]).not.toHaveProperty("description");
    expect(content["blocks"]).toMatchObject([{}, {}, { config: { url: "https://live.example/help", label: "Help" } }]);
    const service = await production.local.service("northwind");
    const access = await service.getFormAccess({ moduleKey: "staffing", objectKey: "candidate", formId });
    const recruiter = idOf(production.organization.roles, "recruiter");
    expect(access.roles.find(({ roleId }) => roleId === recruiter)?.types).toEqual(["VIEW", "EDIT"]);
    expect((await cli.run("diff", ...ENDS, "--detailed-exitcode")).code).toBe(0);
    expect((await cli.run("diff", ...ENDS, "--detailed-exitcode", "--all")).code).toBe(2);
    expect((await cli.run("promote", ...ENDS, "--yes")).stdout).toContain("No changes: ");
  });

  it("maps modules that have another key on the target", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await production.local.seed({
      organizations: [
        {
          key: "northwind",
          name: "Northwind Staffing",
          modules: [
            {
              key: "people",
              name: "People",
              objects: [
                {
                  key: "candidate",
                  name: "Candidate",
                  fields: [
                    { key: "full_name", name: "Full name", type: "TEXT", required: true },
                    { key: "email", name: "E-mail", type: "EMAIL", required: true },
                    { key: "seniority", name: "Seniority", type: "TEXT", required: true },
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
    await applyTo(scene, staging);
    const references = referencesOf(staging, production);
    scene.writeProject({
      references: {
        staging: { ...references["staging"], modules: { Staff: "staffing" } },
        production: { ...references["production"], modules: { Staff: "people" } },
      },
    });
    await succeeded(cli.run("promote", ...ENDS, "--yes", "staffing/candidate"));
    const forms = await succeeded(
      cli.run("forms", "list", "people/candidate", "--profile", "production", "-o", "json"),
    );
    expect((forms.json() as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(["Intake", "Profile"]);
    expect((await cli.run("diff", ...ENDS, "staffing/candidate", "--detailed-exitcode")).code).toBe(0);
  });

  it("leaves the state of manifests in the same project right", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    await applyTo(scene, production);
    const state = async () => {
      const outcome = await cli.run("status", "manifests-production", "--profile", "production", "-o", "json");
      const { resources } = outcome.json() as { resources: { address: string; state: string }[] };
      return resources.find(({ address }) => address.endsWith("Profile"))!.state;
    };
    expect(await state()).toBe("in sync");
    const profile = manifestsFor(staging)["profile.yaml"]!;
    const changes = [
      // The files are unchanged since the last apply. The target has changed.
      [profile.replace("title: Candidate", "title: Person"), "changed on target"],
      // A stamp that is newer than the lock may come from a newer commit of these files.
      [profile.replace("label: Help", "label: Support"), "differs"],
    ] as const;
    for (const [changed, expected] of changes) {
      for (const promoting of [["--yes"], ["--out", "plan.json"]]) {
        await applyTo(scene, staging, { ...manifestsFor(staging), "profile.yaml": changed });
        await succeeded(cli.run("promote", ...ENDS, ...promoting));
        if (promoting.includes("--out")) {
          await succeeded(cli.run("apply", "plan.json", "--profile", "production", "--yes"));
        }
        expect(await state()).toBe(expected);
        await succeeded(cli.run("apply", "manifests-production", "--profile", "production", "--yes"));
        expect(await state()).toBe("in sync");
      }
    }
  });

  it("promotes between local stores and servers, without names in the project file", async () => {
    const scene = await openPromotionScene();
    const { cli, staging, production } = scene;
    await applyTo(scene, staging);
    scene.writeProject({});
    const from = ["--from", `${staging.store}#northwind`];
    await succeeded(cli.run("promote", ...from, "--to", `${production.store}#northwind`, "--yes"));
    scene.writeProject();
    await expectEqual(scene, 3);

    // From a store to a server, and from a server to a store.
    scene.writeProject({ references: referencesOf(production) });
    expect((await cli.run("promote", ...from, "--to", "production", "--yes")).stdout).toContain("No changes: ");
    const back = await cli.run("promote", "--from", "production", "--to", `${staging.store}#northwind`, "--yes");
    expect(back.stdout).toContain("No changes: ");
    expect(existsSync(join(cli.cwd, ".formctl", "lock.json"))).toBe(true);
    expect(readFileSync(join(cli.cwd, ".formctl", "runs", "lock.json"), "utf8")).toContain("promotion of staging");
  });
});
