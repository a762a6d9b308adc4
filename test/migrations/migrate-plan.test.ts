/** The output of `migrate plan` on a copy of a local store and on a server, and the plans that it saves. */

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { behindNorthwind } from "../commands/manifests-scene.ts";
import { openMigrateScene, PLACES, type MigrateScene } from "./migrate-scene.ts";

const CREATE = `const form = await step("create the form", () =>
      service.createForm({ ...object, body: { name: "Intake", types: ["VIEW"] } }));
    const draft = await step("save its draft", () => service.saveDraft({ layoutId: form.viewLayoutId, body: {
      schemaVersion: 1, regions: [{ key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, config: {} }],
      blocks: [{ id: "f_name", type: "field", source: "dynamic_field", ref: { fieldKey: "full_name" }, regionKey: "main",
        displayOrder: 0, config: { label: "Name" }, requiredPolicy: "required" }],
      stagedFieldDefinitions: [], scriptBindings: [], metadata: null,
    } }));`;
const RELABEL = `export default {
  match: { objects: ["staffing/candidate"] },
  layout: (content) => ({
    ...content,
    blocks: content.blocks.map((block) => ({ ...block, config: { label: "Full name" } })),
  }),
};
`;

/** Returns the number of writes. It stays the same if a command changes nothing. */
const writesOf = ({ cli }: MigrateScene) =>
  behindNorthwind(cli, async (_service, local) => (await local.log({ limit: 100 })).length);

describe("migrate plan on a local store", () => {
  it("plans each migration on what those before it leave, and changes nothing", async () => {
    const scene = await openMigrateScene("a local store");
    const { cli, script, entries } = scene;
    script("1-create", CREATE);
    cli.file("migrations/2-relabel.js", RELABEL);
    const before = await writesOf(scene);
    const plan = await cli.run("migrate", "plan");
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain("save its draft: saveDraft");
    expect(plan.stdout).toContain('layout.blocks[0].config.label (f_name): "Name" → "Full name"');
    const document = (await cli.run("migrate", "plan", "-o", "json")).json();
    expect(document).toMatchObject({
      migrations: [
        { kind: "script", writes: [{ step: "create the form" }, { step: "save its draft" }] },
        { kind: "transform", isProvisional: false, resources: [{ address: "staffing/candidate/Intake" }] },
      ],
    });
    expect([await writesOf(scene), await entries()]).toEqual([before, []]);
  });

  it("saves such a plan; the run carries out exactly this plan", async () => {
    const { cli, script, migrate } = await openMigrateScene("a local store");
    script("1-create", CREATE);
    cli.file("migrations/2-relabel.js", RELABEL);
    await cli.run("migrate", "plan", "--out", "plan.json");
    expect((await migrate("run", "plan.json", "--yes")).results.outcome).toBe("done");
  });

  it("refuses a run of a saved plan before the first write if a script makes something else each time", async () => {
    const { cli, script, migrate, entries } = await openMigrateScene("a local store");
    script("1-create", CREATE.replace('"Name"', "String(Date.now())"));
    cli.file("migrations/2-relabel.js", RELABEL);
    await cli.run("migrate", "plan", "--out", "plan.json");
    const refused = await migrate("run", "plan.json", "--yes");
    expect([refused.code, refused.error().code, await entries()]).toEqual([6, "PLAN_STALE", []]);
  });

  it("stops a run of a saved plan at the migration that changes something else than on the copy", async () => {
    const { cli, script, migrate, entries } = await openMigrateScene("a local store");
    // The first two executions are those of the plan and of the check on a copy.
    vi.stubGlobal("executions", 0);
    onTestFinished(() => void vi.unstubAllGlobals());
    script("1-create", CREATE.replace('"Name"', '++globalThis.executions < 3 ? "Name" : "Other"'));
    cli.file("migrations/2-relabel.js", RELABEL);
    await cli.run("migrate", "plan", "--out", "plan.json");
    const ran = await migrate("run", "plan.json", "--yes");
    expect(ran.code).toBe(9);
    expect(ran.results.migrations).toMatchObject([
      { outcome: "done" },
      { outcome: "failed", error: { code: "PLAN_STALE" } },
    ]);
    expect((await entries()).map(({ name, state }) => [name, state])).toEqual([["1-create", "done"]]);
  });

  it("foretells the refusal of a step at its line, with its exit code", async () => {
    const { cli, script } = await openMigrateScene("a local store");
    script("1-create", `await step("delete", () => service.deleteForm({ ...object, formId: "frm_unknown" }));`);
    cli.file("migrations/2-relabel.js", RELABEL);
    const plan = await cli.run("migrate", "plan");
    expect(plan.code).toBe(5);
    expect(plan.stdout).toContain("would fail:");
    expect(plan.stderr).toContain("migrations/1-create.ts:5:");
    expect(plan.stdout).toContain("Migrations before it change it");
    expect((await cli.run("migrate", "plan", "--no-rehearse")).code).toBe(0);
  });
});

describe("migrate plan on a server", () => {
  it("states that the steps of a script and the plans after it are not known yet", async () => {
    const scene = await openMigrateScene("a server");
    const { cli, script, entries } = scene;
    script("1-create", CREATE);
    cli.file("migrations/2-relabel.js", RELABEL);
    const before = await writesOf(scene);
    const plan = await cli.run("migrate", "plan");
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain("A script: its steps are known when it runs.");
    expect(plan.stdout).toContain("Compared with the current state.");
    expect([await writesOf(scene), await entries()]).toEqual([before, []]);
    const saved = await cli.run("migrate", "plan", "--out", "plan.json");
    expect(saved.stderr).toContain("the saved plan does not contain the changes of 2-relabel");
    expect((await cli.run("migrate", "run", "plan.json", "--yes")).code).toBe(0);
  });
});

describe.each(PLACES)("a saved plan on %s", (place) => {
  it.each([1, 3])("of %i of four migrations runs only these", async (count) => {
    const { cli, script, migrate } = await openMigrateScene(place);
    const names = ["1-a", "2-b", "3-c", "4-d"];
    for (const name of names) script(name, "");
    const to = names[count - 1]!;
    expect((await cli.run("migrate", "plan", "--to", to, "--out", "plan.json")).code).toBe(0);
    const { results } = await migrate("run", "plan.json", "--yes");
    expect(results.migrations.map(({ name }) => name)).toEqual(names.slice(0, count));
  });

  it("is refused if a migration was edited, added or has run, and if the file was changed", async () => {
    const { cli, script, migrate } = await openMigrateScene(place);
    script("1-create", CREATE);
    const save = async () => expect((await cli.run("migrate", "plan", "--out", "plan.json")).code).toBe(0);
    const refusal = async () => (await migrate("run", "plan.json", "--yes")).error().code;
    await save();
    script("1-create", `${CREATE}\n    // edited`);
    expect(await refusal()).toBe("PLAN_STALE");
    await save();
    script("0-before", "");
    expect(await refusal()).toBe("PLAN_STALE");
    await save();
    cli.file("plan.json", '{"kind": "migrations"}');
    expect(await refusal()).toBe("PLAN_UNUSABLE");
    await save();
    expect((await migrate("run", "--to", "0-before", "--yes")).code).toBe(0);
    expect((await migrate("run", "plan.json", "--yes")).results.migrations.map(({ name }) => name)).toEqual([
      "1-create",
    ]);
  });
});
