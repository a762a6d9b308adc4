/**
 * A transform with `drafts: "rebase"` publishes the changed layout and saves the changed draft again. With
 * `drafts: "publish"`, it publishes the changed draft. `down` brings both contents back.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLocal, openMigrations, storeTarget } from "../../src/index.ts";
import { contentDigest } from "../../src/contents/compare.ts";
import { contentOf } from "../../src/lists/versions.ts";
import type { Transform } from "../../src/migrations/definition.ts";
import type { Replaced } from "../../src/migrations/record.ts";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { type FullService, mapCalls, type Service } from "../../src/service.ts";
import { contractOrganizations } from "../contract/organizations.ts";
import { temporaryFolder } from "../temporary.ts";
import { CANDIDATE, content, openScene, relabel } from "./transform-scene.ts";

/** Adds a mark to each label. A second call for the same content would add another mark. */
const mark: Transform = {
  drafts: "rebase",
  layout(layout) {
    for (const block of layout.blocks) block.config = { ...block.config, label: `${String(block.config?.["label"])}!` };
    return layout;
  },
};

const PUBLISHED = content({ full_name: "Name" });
const DRAFT = { ...content({ full_name: "Name", email: "Mail" }), metadata: { owner: "ana" } };
const MARKED = { published: ["Name!"], draft: ["Name!", "Mail!"] };

describe("a layout with a draft of other content", () => {
  it("is published as changed, and its changed draft is saved again, without a confirmation", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, DRAFT);
    const project = scene.project(mark);
    const { plan, rehearsal } = await project.plan();
    const [resource] = plan.resources;
    expect(resource).toMatchObject({
      action: "update",
      needs: [],
      effects: ["the unpublished draft will be saved again, and will stay unpublished"],
      steps: [
        { request: { operation: "saveDraft" } },
        { request: { operation: "publishLayout" } },
        { request: { operation: "saveDraft", isRebase: true } },
      ],
    });
    expect(resource!.changes).toMatchObject([{ path: "layout.blocks[0].config.label", after: "Name!" }]);
    expect(rehearsal).toBeUndefined();
    const { result, left } = await scene.run(mark);
    expect([result.outcome, left]).toEqual(["applied", []]);
    expect(await scene.labels(layoutId)).toEqual(MARKED);
    expect((await scene.contents(layoutId)).draft?.metadata).toMatchObject({ owner: "ana" });
  });

  it("keeps a draft that the function does not change", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, DRAFT);
    await scene.run({
      ...mark,
      layout: (layout, about) => (layout.blocks.length > 1 ? null : mark.layout!(layout, about)),
    });
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name!"], draft: ["Name", "Mail"] });
  });

  it("is published with its draft, without a confirmation", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, DRAFT);
    const { plan } = await scene.project({ ...mark, drafts: "publish" }).plan();
    const id = (await scene.contents(layoutId)).draft!.id;
    expect(plan.resources).toMatchObject([
      {
        needs: [],
        effects: [`the unpublished draft ${id} will be published with the changes`],
        steps: [{ request: { operation: "saveDraft" } }, { request: { operation: "publishLayout" } }],
      },
    ]);
    const { result, left } = await scene.run({ ...mark, drafts: "publish" });
    expect([result.outcome, left]).toEqual(["applied", []]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name!", "Mail!"], draft: undefined });
    expect((await scene.contents(layoutId)).published?.metadata).toMatchObject({ owner: "ana" });
  });

  it("is published with a draft that the function does not change", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, DRAFT);
    await scene.run({
      drafts: "publish",
      layout: (layout, about) => (layout.blocks.length > 1 ? null : mark.layout!(layout, about)),
    });
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name", "Mail"], draft: undefined });
  });

  it("keeps its draft unpublished if only the draft changes", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, DRAFT);
    await scene.run({
      drafts: "publish",
      layout: (layout, about) => (layout.blocks.length > 1 ? mark.layout!(layout, about) : null),
    });
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name"], draft: ["Name!", "Mail!"] });
  });

  it("is left out if its draft can't be published", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, content({ full_name: "Name", unknown_field: "?" }));
    const { left } = await scene.run({ ...mark, drafts: "publish" });
    expect(left).toMatchObject([{ reason: expect.stringContaining("its draft is invalid") as string }]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name"], draft: ["Name", "?"] });
  });

  it("is left out by default, with the possible ways", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", PUBLISHED, DRAFT);
    const { left } = await scene.run({ ...mark, drafts: "leave" });
    expect(left).toMatchObject([{ hint: expect.stringContaining('drafts: "rebase"') as string }]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name"], draft: ["Name", "Mail"] });
  });
});

class Interrupted extends Error {}

/** Fails at a write, and at all later ones: instead of the write, or after it. */
function interrupting(direct: FullService): {
  service: Partial<Service>;
  interrupt: (at: number, isDone: boolean) => void;
} {
  let place: { at: number; isDone: boolean } | undefined;
  let count = 0;
  const service = mapCalls(direct, (call, name) => async (input, options) => {
    if (!place || !(name === "saveDraft" || name === "publishLayout")) return call(input, options);
    count++;
    if (count < place.at) return call(input, options);
    if (count === place.at && place.isDone) await call(input, options);
    throw new Interrupted();
  });
  return {
    service: { saveDraft: service.saveDraft, publishLayout: service.publishLayout },
    interrupt(at, isDone) {
      count = 0;
      place = at === 0 ? undefined : { at, isDone };
    },
  };
}

describe("an interrupted run", () => {
  async function interruptedScene(at: number, isDone: boolean, { draft = DRAFT, transform = mark } = {}) {
    let faults!: ReturnType<typeof interrupting>;
    const scene = await openScene((direct) => (faults = interrupting(direct)).service);
    const { layoutId } = await scene.form("Intake", PUBLISHED, draft);
    faults.interrupt(at, isDone);
    const { replaced, result } = await scene.run(transform);
    expect(result.outcome).not.toBe("applied");
    faults.interrupt(0, false);
    return { scene, layoutId, recorded: JSON.parse(JSON.stringify(replaced)) as Replaced[] };
  }

  const places = [1, 2, 3].flatMap((at) => [
    { at, isDone: false },
    { at, isDone: true },
  ]);

  it.each(places)("is completed by the next one: write $at, done: $isDone", async ({ at, isDone }) => {
    const { scene, layoutId, recorded } = await interruptedScene(at, isDone);
    const { left } = await scene.run(mark, { recorded });
    expect([left, await scene.labels(layoutId)]).toEqual([[], MARKED]);
    expect((await scene.contents(layoutId)).draft?.metadata).toMatchObject({ owner: "ana" });
    const again = await scene.run(mark, { recorded });
    expect([again.result.outcome, again.left]).toEqual(["unchanged", []]);
    expect(await scene.labels(layoutId)).toEqual(MARKED);
  });

  it.each(places.slice(0, 4))(
    "that publishes the draft is completed by the next one: write $at, done: $isDone",
    async ({ at, isDone }) => {
      const transform = { ...mark, drafts: "publish" as const };
      const { scene, layoutId, recorded } = await interruptedScene(at, isDone, { transform });
      const marked = { published: ["Name!", "Mail!"], draft: undefined };
      const { left } = await scene.run(transform, { recorded });
      expect([left, await scene.labels(layoutId)]).toEqual([[], marked]);
      const again = await scene.run(transform, { recorded });
      expect([again.result.outcome, again.left, await scene.labels(layoutId)]).toEqual(["unchanged", [], marked]);
    },
  );

  it.each(places.slice(0, 3))(
    "that would publish the draft is reverted: write $at, done: $isDone",
    async ({ at, isDone }) => {
      const transform = { ...mark, drafts: "publish" as const };
      const { scene, layoutId, recorded } = await interruptedScene(at, isDone, { transform });
      expect(await scene.back(recorded)).toEqual([]);
      expect(await scene.labels(layoutId)).toEqual({ published: ["Name"], draft: ["Name", "Mail"] });
    },
  );

  it("publishes no draft as changed that another user has put into the record", async () => {
    const transform = { ...mark, drafts: "publish" as const };
    const { scene, layoutId, recorded } = await interruptedScene(1, true, { transform });
    const forged = recorded.map((each) => ({
      ...each,
      formerDraft: { ...each.formerDraft!, draft: content({ phone: "Phone" }) as never },
    }));
    const { left } = await scene.run(transform, { recorded: forged });
    expect(left).toMatchObject([{ reason: "the record does not contain its former draft" }]);
    expect(await scene.back(forged)).toMatchObject([{ reason: "the record does not contain its former draft" }]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name"], draft: ["Name!", "Mail!"] });
  });

  it("is not reverted to an earlier version that another user names in the record", async () => {
    const scene = await openScene();
    const { layoutId } = await scene.form("Intake", content({ phone: "Phone" }));
    const earlier = (await scene.contents(layoutId)).published!;
    await scene.publish(layoutId, PUBLISHED);
    await scene.save(layoutId, DRAFT);
    const { replaced } = await scene.run({ drafts: "publish", layout: relabel("New") });
    const named = replaced.map((each) => ({
      ...each,
      publishedVersionId: earlier.id,
      sha256: contentDigest(contentOf(earlier)),
    }));
    expect(await scene.back(named, { overwrite: true })).toHaveLength(1);
    expect(await scene.labels(layoutId)).toEqual({ published: ["New", "New"], draft: undefined });
  });

  it("is completed if only the former draft matches", async () => {
    const transform: Transform = { ...mark, match: { showsField: "email" } };
    const { scene, layoutId, recorded } = await interruptedScene(2, true, { transform });
    const { left } = await scene.run(transform, { recorded });
    expect([left, await scene.labels(layoutId)]).toEqual([[], MARKED]);
  });

  it("does not overwrite a draft that another user saved since", async () => {
    const { scene, layoutId, recorded } = await interruptedScene(2, true);
    await scene.save(layoutId, content({ phone: "Phone" }));
    const { left } = await scene.run(mark, { recorded });
    expect(left).toMatchObject([
      { reason: expect.stringContaining("saved after the interrupted run") as string, isMeant: true },
    ]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name!"], draft: ["Phone"] });
    await scene.run(mark, { recorded, allowReplace: true });
    expect(await scene.labels(layoutId)).toEqual(MARKED);
  });

  it("saves no draft that another user has changed in the record", async () => {
    const { scene, layoutId, recorded } = await interruptedScene(2, true);
    const forged = recorded.map((each) => ({
      ...each,
      rebased: { ...each.rebased!, draft: content({ phone: "Phone" }) as never },
    }));
    const { left } = await scene.run(mark, { recorded: forged });
    expect(left).toMatchObject([{ reason: "the record does not contain its former draft" }]);
    expect(await scene.labels(layoutId)).toEqual({ published: ["Name!"], draft: undefined });
  });

  it("is not reverted before its draft is saved again", async () => {
    const { scene, layoutId, recorded } = await interruptedScene(1, true);
    expect(await scene.back(recorded)).toMatchObject([{ hint: "Complete the migration: formctl migrate run" }]);
    await scene.run(mark, { recorded });
    expect(await scene.labels(layoutId)).toEqual(MARKED);
  });
});

describe("migrations in YAML with drafts: rebase or publish", () => {
  const addSection = (id: string, drafts = "rebase") =>
    `match: { objects: [staffing/candidate] }
drafts: ${drafts}
edits:
  - addSection: { id: ${id}, label: ${id}, region: main, blocks: [] }
`;

  async function openStore(files: Record<string, string>) {
    const folder = temporaryFolder();
    const store = join(folder.path, "store.db");
    const local = await openLocal(store, { create: true });
    onTestFinished(async () => {
      await local.close();
      folder.remove();
    });
    await local.seed(contractOrganizations);
    mkdirSync(join(folder.path, "migrations"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, "migrations", name), text);
    const direct = await local.service("northwind");
    const faults = interrupting(direct);
    const { viewLayoutId: layoutId } = await direct.createForm({
      ...CANDIDATE,
      body: { name: "Intake", types: ["VIEW"] },
    });
    let mutations = 0;
    const save = async (draft: DraftContent) => {
      const body = { ...draft, schemaVersion: 1 as const, clientMutationId: `write ${++mutations}` };
      return (await direct.saveDraft({ layoutId, body })).draftVersionId;
    };
    const draftVersionId = await save({ ...DRAFT, ...PUBLISHED });
    await direct.publishLayout({ layoutId, body: { clientMutationId: "publish", draftVersionId } });
    await save(DRAFT);
    const service = async () => ({ ...direct, ...faults.service });
    const target = storeTarget({ local, store, organization: "northwind", service });
    const migrations = openMigrations({ root: folder.path, target });
    const ids = async () => {
      const versions = await direct.listVersions({ layoutId });
      const of = (status: string) => versions.find((version) => version.status === status)?.blocks.map(({ id }) => id);
      return { published: of("PUBLISHED"), draft: of("DRAFT") };
    };
    return { migrations, direct, layoutId, interrupt: faults.interrupt, save, ids };
  }

  const [NAME, MAIL, PHONE] = ["b_full_name", "b_email", "b_phone"];

  it("see in the plan of later migrations what the earlier ones save", async () => {
    const { migrations, ids } = await openStore({ "1-a.yaml": addSection("a"), "2-b.yaml": addSection("b") });
    const planned = await migrations.plan({ rehearse: true });
    const effects = planned.migrations.map(({ plan }) => plan!.resources.flatMap((each) => each.effects));
    expect(effects).toEqual([
      ["the unpublished draft will be saved again, and will stay unpublished"],
      ["the unpublished draft will be saved again, and will stay unpublished"],
    ]);
    const rehearsed = planned.migrations.map(({ rehearsal, isProvisional }) => [rehearsal?.refusals, isProvisional]);
    expect(rehearsed).toEqual([
      [[], false],
      [[], false],
    ]);
    expect((await migrations.run({ plan: planned.save() })).outcome).toBe("done");
    expect(await ids()).toEqual({ published: [NAME, "a", "b"], draft: [NAME, MAIL, "a", "b"] });
    const [status] = await migrations.status();
    expect(JSON.stringify(status)).not.toContain("rebased");
  });

  const faults = (...writes: number[]) =>
    writes.flatMap((at) => [false, true].map((isDone) => ({ at, isDone, drafts: "rebase" })));
  const publishing = (all: ReturnType<typeof faults>) => all.map((fault) => ({ ...fault, drafts: "publish" }));

  it.each([...faults(1, 2, 3), ...publishing(faults(1, 2))])(
    "are completed after a fault: $drafts, write $at, done: $isDone",
    async ({ at, isDone, drafts }) => {
      const { migrations, interrupt, ids } = await openStore({ "1-a.yaml": addSection("a", drafts) });
      const saved = (await migrations.plan()).save();
      interrupt(at, isDone);
      expect((await migrations.run({ plan: saved })).outcome).not.toBe("done");
      interrupt(0, false);
      expect((await migrations.run({ plan: saved })).outcome).toBe("done");
      const published = { published: [NAME, MAIL, "a"], draft: undefined };
      expect(await ids()).toEqual(
        drafts === "publish" ? published : { published: [NAME, "a"], draft: [NAME, MAIL, "a"] },
      );
    },
  );

  it("are reverted after a user has restored the version before a published draft", async () => {
    const { migrations, direct, layoutId, ids } = await openStore({ "1-a.yaml": addSection("a", "publish") });
    const before = await ids();
    const former = (await direct.listVersions({ layoutId })).find(({ status }) => status === "PUBLISHED")!;
    await migrations.run();
    const reverted = await migrations.down();
    expect([reverted.outcome, reverted.migrations[0]?.left]).toMatchObject([
      "partial",
      [
        {
          reason: "the migration published its draft, so its former version can't be verified",
          hint: expect.stringContaining(`formctl layouts versions restore ${layoutId} ${former.id}`) as string,
        },
      ],
    ]);
    const body = { clientMutationId: "restore" };
    const { draftVersionId } = await direct.restoreDraft({ layoutId, versionId: former.id, body });
    await direct.publishLayout({ layoutId, body: { clientMutationId: "publish it again", draftVersionId } });
    expect((await migrations.down()).outcome).toBe("done");
    expect(await ids()).toEqual(before);
  });

  it.each(faults(1, 2, 3))(
    "are reverted after a fault: $drafts, write $at, done: $isDone",
    async ({ at, isDone, drafts }) => {
      const { migrations, interrupt, ids } = await openStore({ "1-a.yaml": addSection("a", drafts) });
      const before = await ids();
      expect((await migrations.run()).outcome).toBe("done");
      interrupt(at, isDone);
      expect((await migrations.down()).outcome).not.toBe("done");
      interrupt(0, false);
      expect((await migrations.down()).outcome).toBe("done");
      expect([await ids(), await migrations.status()]).toMatchObject([before, [{ state: "pending" }]]);
    },
  );

  it("are not reverted over a draft that was changed since", async () => {
    const { migrations, save, ids } = await openStore({ "1-a.yaml": addSection("a") });
    await migrations.run();
    await save({ ...DRAFT, ...content({ phone: "Phone" }) });
    const { migrations: results } = await migrations.down();
    expect(results[0]?.left).toMatchObject([
      { reason: expect.stringMatching(/^its layout has the unpublished draft \S+, which would be lost$/) as string },
    ]);
    expect(await ids()).toEqual({ published: [NAME, "a"], draft: [PHONE] });
  });

  it("publish the draft that another user saved between two interrupted runs", async () => {
    const { migrations, interrupt, save, ids } = await openStore({ "1-a.yaml": addSection("a", "publish") });
    interrupt(1, false);
    await migrations.run();
    await save({ ...DRAFT, ...content({ full_name: "Name", phone: "Phone" }) });
    interrupt(2, true);
    await migrations.run();
    interrupt(0, false);
    expect((await migrations.run()).outcome).toBe("done");
    expect(await ids()).toEqual({ published: [NAME, PHONE, "a"], draft: undefined });
  });

  it("save the draft that another user saved between two interrupted runs", async () => {
    const { migrations, interrupt, save, ids } = await openStore({ "1-a.yaml": addSection("a") });
    interrupt(1, false);
    await migrations.run();
    interrupt(0, false);
    await save({ ...DRAFT, ...content({ full_name: "Name", phone: "Phone" }) });
    interrupt(2, true);
    await migrations.run();
    interrupt(0, false);
    expect(await ids()).toEqual({ published: [NAME, "a"], draft: undefined });
    expect((await migrations.run()).outcome).toBe("done");
    expect(await ids()).toEqual({ published: [NAME, "a"], draft: [NAME, PHONE, "a"] });
  });

  it.each([0, 3])("leave a draft that is edited after it was saved, with a fault at write %i", async (at) => {
    const { migrations, direct, layoutId, interrupt, save, ids } = await openStore({ "1-a.yaml": addSection("a") });
    // Forms with the same name are left out, so that the migration is not done.
    for (const name of ["Twin", "Twin"]) await direct.createForm({ ...CANDIDATE, body: { name, types: ["VIEW"] } });
    interrupt(at, true);
    expect((await migrations.run()).outcome).toBe("partial");
    interrupt(0, false);
    expect((await migrations.run()).outcome).toBe("partial");
    const draft = (await direct.listVersions({ layoutId })).find(({ status }) => status === "DRAFT")!;
    await save({ ...DRAFT, regions: draft.regions, blocks: draft.blocks.slice(1) });
    const { migrations: results } = await migrations.run({ allowReplace: true });
    expect(results.flatMap(({ left }) => left.map(({ address }) => address))).toEqual(["staffing/candidate/Twin"]);
    expect(await ids()).toEqual({ published: [NAME, "a"], draft: [MAIL, "a"] });
  });

  it("are refused with another word", async () => {
    const { migrations } = await openStore({ "1-a.yaml": addSection("a", "merge") });
    await expect(migrations.plan()).rejects.toThrow("must be one of leave, rebase, publish");
  });
});
