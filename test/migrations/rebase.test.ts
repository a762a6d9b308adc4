/** A transform with `drafts: "rebase"` publishes the changed layout and saves the changed draft again. */

import { describe, expect, it } from "vitest";
import type { Transform } from "../../src/migrations/definition.ts";
import type { Replaced } from "../../src/migrations/record.ts";
import { type FullService, mapCalls, type Service } from "../../src/service.ts";
import { content, openScene } from "./transform-scene.ts";

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
      effects: ["the unpublished draft will be saved again with the changes, and will stay unpublished"],
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
  interrupt(at: number, isDone: boolean): void;
} {
  let place: { at: number; isDone: boolean } | undefined;
  let count = 0;
  const service = mapCalls(direct, (call, name) => async (input, options) => {
    if (!place || !(name === "saveDraft" || name === "publishLayout")) return call(input, options);
    count++;
    if (count < place.at || (count === place.at && place.isDone)) await call(input, options);
    if (count >= place.at) throw new Interrupted();
    return call(input, options);
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
  async function interruptedScene(at: number, isDone: boolean, draft = DRAFT) {
    let faults!: ReturnType<typeof interrupting>;
    const scene = await openScene((direct) => (faults = interrupting(direct)).service);
    const { layoutId } = await scene.form("Intake", PUBLISHED, draft);
    faults.interrupt(at, isDone);
    const { replaced, result } = await scene.run(mark);
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
