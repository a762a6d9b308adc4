/** `migrate plan`, `run` and `down` with transforms, on a local store and on a server. */

import { describe, expect, it } from "vitest";
import type { FullService } from "../../src/service.ts";
import { behindNorthwind, layoutText } from "../commands/manifests-scene.ts";
import { type MigrateScene, openMigrateScene, PLACES, type Place } from "./migrate-scene.ts";

const CANDIDATE = { moduleKey: "staffing", objectKey: "candidate" };
const ADDRESS = "staffing/candidate/Intake";
/** A migration that adds a mark to each label. A second run would add another mark. */
const MARK = `const mark = (block) => ({ ...block, config: { ...block.config, label: block.config.label + "!" } });
export default {
  match: { forms: ["Intake"] },
  layout: (content) => ({ ...content, blocks: content.blocks.map(mark) }),
};
`;

const outcomes = ({ results }: Awaited<ReturnType<MigrateScene["migrate"]>>) =>
  results.migrations.map(({ name, outcome }) => `${name} ${outcome}`);

/** A scene with the published form Intake. */
async function openScene(place: Place) {
  const scene = await openMigrateScene(place);
  const { cli } = scene;
  cli.file("intake.layout.yaml", layoutText("full_name", "email"));
  cli.file(
    "intake.yaml",
    `kind: Form\nobject: staffing/candidate\nname: Intake\ntypes: [VIEW]\nlayout: ./intake.layout.yaml\n`,
  );
  expect((await cli.run("apply", "intake.yaml", "--yes")).code).toBe(0);
  const layoutIdOf = async (service: FullService) =>
    (await service.listForms(CANDIDATE)).data.find(({ name }) => name === "Intake")!.viewLayoutId;
  return {
    ...scene,
    file: (name: string, text: string) => cli.file(`migrations/${name}.js`, text),
    /** The labels of the published version. */
    labels: () =>
      behindNorthwind(cli, async (service) => {
        const versions = await service.listVersions({ layoutId: await layoutIdOf(service) });
        const published = versions.find(({ status }) => status === "PUBLISHED");
        return published?.blocks.map(({ config }) => config?.["label"]);
      }),
    /** Changes the labels as another user: saves a draft, and publishes it if `isPublished` is true. */
    relabel: (label: string, isPublished = true) =>
      behindNorthwind(cli, async (service) => {
        const layoutId = await layoutIdOf(service);
        const versions = await service.listVersions({ layoutId });
        const { regions, blocks } = versions.find(({ status }) => status === "PUBLISHED")!;
        const body = {
          schemaVersion: 1 as const,
          regions,
          stagedFieldDefinitions: [],
          scriptBindings: [],
          metadata: null,
        };
        const changed = blocks.map((block) => ({ ...block, config: { ...block.config, label } }));
        const saved = await service.saveDraft({
          layoutId,
          body: { ...body, blocks: changed, clientMutationId: `relabel ${label}` },
        });
        if (!isPublished) return;
        await service.publishLayout({
          layoutId,
          body: { draftVersionId: saved.draftVersionId, clientMutationId: `publish ${label}`, confirmFieldChanges: [] },
        });
      }),
  };
}

describe.each(PLACES)("a transform on %s", (place) => {
  it("is shown by plan with its changes, runs once, and down brings the former content back", async () => {
    const { cli, file, migrate, entries, labels } = await openScene(place);
    const before = await labels();
    file("1-mark", MARK);
    const plan = await cli.run("migrate", "plan");
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain("1-mark (transform)");
    expect(plan.stdout).toContain(`~ update form ${ADDRESS}`);
    expect(plan.stdout).toContain("full_name!");
    expect((await cli.run("migrate", "plan", "--detailed-exitcode")).code).toBe(2);
    expect([await labels(), await entries()]).toEqual([before, []]);

    const ran = await migrate("run", "--yes");
    expect([ran.code, outcomes(ran)]).toEqual([0, ["1-mark done"]]);
    const marked = before!.map((label) => `${String(label)}!`);
    expect(await labels()).toEqual(marked);
    expect(await entries()).toMatchObject([{ name: "1-mark", state: "done", replaced: [{ address: ADDRESS }] }]);
    expect((await migrate("run", "--yes")).results.outcome).toBe("nothing");
    expect(await labels()).toEqual(marked);

    const dry = await cli.run("migrate", "down", "--dry-run");
    expect(dry.stdout).toContain(`~ update form ${ADDRESS}`);
    const down = await migrate("down", "--yes");
    expect([down.code, outcomes(down)]).toEqual([0, ["1-mark done"]]);
    expect([await labels(), await entries()]).toEqual([before, []]);
  });

  it("leaves out a layout with a draft of another user, exits with 9, and includes it with --allow-replace", async () => {
    const { file, migrate, entries, labels, relabel } = await openScene(place);
    const before = await labels();
    file("1-mark", MARK);
    file("2-later", "export default { match: { forms: ['None'] }, layout: (content) => content };");
    await relabel("Draft", false);
    const left = await migrate("run", "--yes");
    expect([left.code, outcomes(left)]).toEqual([9, ["1-mark partial", "2-later skipped"]]);
    expect(left.results.migrations[0]!.left).toMatchObject([{ address: ADDRESS, isMeant: true }]);
    expect([await labels(), await entries()]).toEqual([before, []]);
    const refused = await migrate("run", "--allow-replace");
    expect([refused.code, refused.error().code]).toEqual([8, "CONSENT_MISSING"]);
    const ran = await migrate("run", "--yes", "--allow-replace");
    expect([ran.code, outcomes(ran)]).toEqual([0, ["1-mark done", "2-later done"]]);
    expect(await labels()).toEqual(before!.map((label) => `${String(label)}!`));
  });

  it("is reverted only with --overwrite if its content was changed afterwards", async () => {
    const { file, migrate, entries, labels, relabel } = await openScene(place);
    const before = await labels();
    file("1-mark", MARK);
    await migrate("run", "--yes");
    await relabel("Changed");
    const refused = await migrate("down", "--yes");
    expect([refused.code, outcomes(refused)]).toEqual([9, ["1-mark partial"]]);
    expect(refused.results.migrations[0]!.left).toMatchObject([{ address: ADDRESS, isMeant: true }]);
    expect([await labels(), (await entries())[0]!.state]).toEqual([["Changed", "Changed"], "done"]);
    expect((await migrate("down", "--yes", "--overwrite")).code).toBe(0);
    expect([await labels(), await entries()]).toEqual([before, []]);
  });

  it("is shown by down for two migrations of one layout, and both are reverted", async () => {
    const { cli, file, migrate, entries, labels } = await openScene(place);
    const before = await labels();
    file("1-mark", MARK);
    file("2-mark", MARK.replace('"!"', '"?"'));
    expect((await migrate("run", "--yes")).code).toBe(0);
    const both = (await labels()) ?? [];
    expect(both).toEqual(before!.map((label) => `${String(label)}!?`));
    const dry = await cli.run("migrate", "down", "2", "--dry-run");
    expect(dry.stdout).not.toContain("left out");
    const shown = [
      `"${both[0] as string}" → "full_name!"`,
      ...(place === "a server" ? [] : ['"full_name!" → "full_name"']),
    ];
    for (const change of shown) expect(dry.stdout).toContain(change);
    expect(await labels()).toEqual(both);
    const down = await migrate("down", "2", "--yes");
    expect([down.code, outcomes(down)]).toEqual([0, ["2-mark done", "1-mark done"]]);
    expect([await labels(), await entries()]).toEqual([before, []]);
  });

  it("is refused with a saved plan if the target has changed since", async () => {
    const { cli, file, migrate, entries, labels, relabel } = await openScene(place);
    file("1-mark", MARK);
    expect((await cli.run("migrate", "plan", "--out", "plan.json")).code).toBe(0);
    await relabel("Changed");
    const stale = await migrate("run", "plan.json", "--yes");
    expect([stale.code, stale.error().code]).toEqual([6, "PLAN_STALE"]);
    expect([await labels(), await entries()]).toEqual([["Changed", "Changed"], []]);
    await cli.run("migrate", "plan", "--out", "plan.json");
    expect((await migrate("run", "plan.json", "--yes")).code).toBe(0);
    expect(await labels()).toEqual(["Changed!", "Changed!"]);
    const again = await migrate("run", "plan.json", "--yes");
    expect([again.code, again.results.outcome]).toEqual([0, "nothing"]);
  });

  it("reports its error at the line of the file, and changes nothing", async () => {
    const { file, migrate, entries, labels } = await openScene(place);
    const before = await labels();
    file("1-mark", `export default {\n  layout() {\n    throw new Error("unknown rate");\n  },\n};\n`);
    const failed = await migrate("run", "--yes");
    expect(failed.code).toBe(1);
    expect(failed.error()).toMatchObject({
      code: "MIGRATION_FAILED",
      location: { file: "migrations/1-mark.js", line: 3 },
    });
    expect([await labels(), await entries()]).toEqual([before, []]);
  });
});

it("is compared with a saved plan before the first migration runs, on a local store", async () => {
  const { cli, file, migrate, entries, relabel } = await openScene("a local store");
  const create = `service.createForm({ moduleKey: "staffing", objectKey: "candidate", body: { name: "Made", types: ["VIEW"] } })`;
  file("1-create", `export default { run: (service, step) => step("create", () => ${create}) };\n`);
  file("2-mark", MARK);
  expect((await cli.run("migrate", "plan", "--out", "plan.json")).code).toBe(0);
  await relabel("Changed");
  const stale = await migrate("run", "plan.json", "--yes");
  expect([stale.code, stale.error().code, await entries()]).toEqual([6, "PLAN_STALE", []]);
  await cli.run("migrate", "plan", "--out", "plan.json");
  expect((await migrate("run", "plan.json", "--yes")).code).toBe(0);
});
