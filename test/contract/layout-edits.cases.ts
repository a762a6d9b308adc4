/** The cases about edits of published layouts: what happens with drafts, refusals, and interruptions. */

import { describe, expect, it } from "vitest";
import { editLayout, type EditOptions, type LayoutEdit } from "../../src/layout-edits/edit-layout.ts";
import { contentToSave } from "../../src/lists/versions.ts";
import { findBlocks } from "../../src/migrations/edits.ts";
import type { OperationName } from "../../src/schemas/operations.ts";
import { mapCalls } from "../../src/service.ts";
import { refusal } from "./forms/world.ts";
import { fieldBlocks, intake, inWorld, type LayoutsWorld } from "./layouts/world.ts";
import type { ContractService, Provider } from "./provider.ts";

/** Shows the field `notes` after the other fields. */
const addNotes: LayoutEdit = (content) =>
  findBlocks(content, { field: "notes" }).length > 0
    ? null
    : { ...content, blocks: [...content.blocks, ...fieldBlocks("notes")] };

const WITH_PHONE = { blocks: fieldBlocks("full_name", "email", "phone"), metadata: { owner: "talent" } };

/** Publishes `intake`, and saves a draft that also shows `phone`. */
async function withDraft({ newForm, publishNew, save }: LayoutsWorld) {
  const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
  const { versionId } = await publishNew(layoutId, intake);
  const { draftVersionId } = await save(layoutId, WITH_PHONE);
  return { layoutId, versionId, draftVersionId };
}

/** Returns the fields that the published version and the draft show. */
async function fieldsOf({ service }: Pick<LayoutsWorld, "service">, layoutId: string) {
  const versions = await service.listVersions({ layoutId });
  const fields = (status: string) =>
    versions.find((version) => version.status === status)?.blocks.map(({ ref }) => ref?.fieldKey);
  return { published: fields("PUBLISHED"), draft: fields("DRAFT") };
}

const BEFORE = { published: ["full_name", "email"], draft: ["full_name", "email", "phone"] };
const EDITED = ["full_name", "email", "notes"];
const EDITED_DRAFT = ["full_name", "email", "phone", "notes"];

const WRITES = new Set<OperationName>(["saveDraft", "publishLayout"]);

class Interrupted extends Error {}

/** A service that fails at a write, and at all later requests: instead of the write, or after it. */
function interrupted(service: ContractService, { at, isDone }: { at: number; isDone: boolean }): ContractService {
  let count = 0;
  let isWriting = false;
  return mapCalls(service, (call, name) => async (input, options) => {
    const isWrite = WRITES.has(name);
    if (isWrite) count++;
    // A write can read versions before it is sent.
    if (count < at || (!isWrite && isWriting)) return call(input, options);
    if (isWrite && count === at && isDone) {
      isWriting = true;
      await call(input, options);
      isWriting = false;
    }
    throw new Interrupted();
  });
}

export function layoutEditCases(provider: Provider): void {
  describe("editing a published layout", () => {
    it.each<EditOptions>([{}, { drafts: "publish" }, { drafts: "rebase", keep: new Map<string, string>() }])(
      "publishes the edited version without a draft, whatever happens with drafts: %j",
      async (options) =>
        inWorld(provider, async (world) => {
          const { service, newForm, publishNew, save } = world;
          const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
          await publishNew(layoutId, intake);
          const edited = await editLayout(service, layoutId, addNotes, options);
          expect(edited).toEqual({
            outcome: "published",
            publishedVersionId: expect.stringMatching(/./) as string,
            draftVersionId: null,
          });
          expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED, draft: undefined });
          expect(await editLayout(service, layoutId, addNotes, options)).toEqual({ ...edited, outcome: "unchanged" });
          // A draft with the published content is no work of a user.
          const [published] = await service.listVersions({ layoutId });
          await save(layoutId, contentToSave(published!));
          const removeNotes: LayoutEdit = (content) => ({ ...content, blocks: content.blocks.slice(0, 2) });
          expect((await editLayout(service, layoutId, removeNotes, options)).outcome).toBe("published");
          expect(await fieldsOf(world, layoutId)).toEqual({ published: ["full_name", "email"], draft: undefined });
        })(),
    );

    it(
      "leaves out a layout with another draft",
      inWorld(provider, async (world) => {
        const { layoutId, versionId, draftVersionId } = await withDraft(world);
        expect(await editLayout(world.service, layoutId, addNotes)).toEqual({
          outcome: "left",
          publishedVersionId: versionId,
          draftVersionId,
        });
        expect(await fieldsOf(world, layoutId)).toEqual(BEFORE);
      }),
    );

    it(
      "publishes the edited draft",
      inWorld(provider, async (world) => {
        const { layoutId } = await withDraft(world);
        const edited = await editLayout(world.service, layoutId, addNotes, { drafts: "publish" });
        expect(edited).toMatchObject({ outcome: "published", draftVersionId: null });
        expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED_DRAFT, draft: undefined });
      }),
    );

    it(
      "publishes the edited version and saves the edited draft again",
      inWorld(provider, async (world) => {
        const { layoutId, versionId } = await withDraft(world);
        const keep = new Map<string, string>();
        const edited = await editLayout(world.service, layoutId, addNotes, { drafts: "rebase", keep });
        expect(edited.outcome).toBe("rebased");
        expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED, draft: EDITED_DRAFT });
        const versions = await world.service.listVersions({ layoutId });
        const draft = versions.find(({ status }) => status === "DRAFT")!;
        expect(contentToSave(draft).metadata).toEqual({ owner: "talent" });
        expect(versions.map(({ id, status }) => [id, status])).toEqual([
          [edited.draftVersionId, "DRAFT"],
          [edited.publishedVersionId, "PUBLISHED"],
          [versionId, "ARCHIVED"],
        ]);
        expect(keep.size).toBe(0);
        const again = await editLayout(world.service, layoutId, addNotes, { drafts: "rebase", keep });
        expect(again).toEqual({ ...edited, outcome: "unchanged" });
      }),
    );

    it(
      "edits only the draft where the published version needs no change, or none is published",
      inWorld(provider, async (world) => {
        const { service, newForm, publishNew, save } = world;
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        await save(layoutId, intake);
        expect((await editLayout(service, layoutId, addNotes)).outcome).toBe("saved");
        expect(await fieldsOf(world, layoutId)).toEqual({ published: undefined, draft: EDITED });
        const { versionId } = await publishNew(layoutId, { blocks: fieldBlocks("full_name", "email", "notes") });
        await save(layoutId, WITH_PHONE);
        expect((await editLayout(service, layoutId, addNotes)).outcome).toBe("left");
        const edited = await editLayout(service, layoutId, addNotes, { drafts: "rebase", keep: new Map() });
        expect(edited).toMatchObject({ outcome: "saved", publishedVersionId: versionId });
        expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED, draft: EDITED_DRAFT });
      }),
    );

    it.each(["publish", "rebase"] as const)(
      "saves the former draft again if the service refuses to publish: %s",
      async (drafts) =>
        inWorld(provider, async (world) => {
          const { layoutId } = await withDraft(world);
          const keep = new Map<string, string>();
          const showUnknown: LayoutEdit = (content) => ({ ...content, blocks: fieldBlocks("unknown") });
          const edit = () => editLayout(world.service, layoutId, showUnknown, { drafts, keep });
          expect(await refusal(edit())).toMatchObject({ status: 409, code: "DRAFT_INVALID" });
          expect(await fieldsOf(world, layoutId)).toEqual(BEFORE);
          expect(keep.size).toBe(0);
          await editLayout(world.service, layoutId, addNotes, { drafts: "rebase", keep });
          expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED, draft: EDITED_DRAFT });
        })(),
    );

    it(
      "refuses an edit that changes its own result, and writes nothing",
      inWorld(provider, async (world) => {
        const { layoutId } = await withDraft(world);
        const wrong: unknown[] = [
          (content: { blocks: unknown[] }) => ({
            ...content,
            blocks: [...content.blocks, { ...fieldBlocks("notes")[0], id: `n${content.blocks.length}` }],
          }),
          () => undefined,
          async () => null,
        ];
        for (const edit of wrong)
          await expect(
            editLayout(world.service, layoutId, edit as LayoutEdit, { drafts: "publish" }),
          ).rejects.toMatchObject({ code: "INVALID_VALUE" });
        expect(await fieldsOf(world, layoutId)).toEqual(BEFORE);
      }),
    );

    it(
      "ends before its first write if the signal is aborted",
      inWorld(provider, async (world) => {
        const { layoutId } = await withDraft(world);
        const signal = AbortSignal.abort(new Error("enough"));
        const edit = editLayout(world.service, layoutId, addNotes, { drafts: "publish", signal });
        await expect(edit).rejects.toThrow("enough");
        expect(await fieldsOf(world, layoutId)).toEqual(BEFORE);
      }),
    );

    it(
      "passes the signal to each read before its first write",
      inWorld(provider, async ({ service, newForm, publishNew }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        await publishNew(layoutId, intake);
        const { signal } = new AbortController();
        const reads: [OperationName, boolean][] = [];
        const observed = mapCalls(service, (call, name) => async (input, options) => {
          if (WRITES.has(name)) throw new Interrupted();
          reads.push([name, options?.signal === signal]);
          return call(input, options);
        });
        await expect(editLayout(observed, layoutId, addNotes, { signal })).rejects.toThrow(Interrupted);
        expect(reads).toEqual([
          ["listVersions", true],
          ["getLayout", true],
        ]);
      }),
    );
  });

  describe("an edit that is interrupted", () => {
    const places = [1, 2, 3].flatMap((at) => [
      { at, isDone: false },
      { at, isDone: true },
    ]);

    it.each(places)("is completed by the next one, with the draft: write $at, done: $isDone", async (place) =>
      inWorld(provider, async (world) => {
        const { layoutId } = await withDraft(world);
        const options: EditOptions = { drafts: "rebase", keep: new Map<string, string>() };
        const first = editLayout(interrupted(world.service, place), layoutId, addNotes, options);
        await expect(first).rejects.toThrow(Interrupted);
        await editLayout(world.service, layoutId, addNotes, options);
        expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED, draft: EDITED_DRAFT });
        expect(options).toMatchObject({ keep: new Map() });
        expect((await editLayout(world.service, layoutId, addNotes, options)).outcome).toBe("unchanged");
      })(),
    );

    it.each(places.slice(0, 4))("publishes the draft with the next one: write $at, done: $isDone", async (place) =>
      inWorld(provider, async (world) => {
        const { layoutId } = await withDraft(world);
        const first = editLayout(interrupted(world.service, place), layoutId, addNotes, { drafts: "publish" });
        await expect(first).rejects.toThrow(Interrupted);
        await editLayout(world.service, layoutId, addNotes, { drafts: "publish" });
        expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED_DRAFT, draft: undefined });
      })(),
    );

    it(
      "keeps both drafts if another user saved one since",
      inWorld(provider, async (world) => {
        const { layoutId } = await withDraft(world);
        const keep = new Map<string, string>();
        const options: EditOptions = { drafts: "rebase", keep };
        const first = editLayout(interrupted(world.service, { at: 2, isDone: true }), layoutId, addNotes, options);
        await expect(first).rejects.toThrow(Interrupted);
        const { draftVersionId } = await world.save(layoutId, { blocks: fieldBlocks("email") });
        const refused = await refusal(editLayout(world.service, layoutId, addNotes, options));
        expect(refused).toMatchObject({
          code: "DRAFT_STALE",
          body: { message: expect.stringContaining(draftVersionId) as string },
        });
        expect(await fieldsOf(world, layoutId)).toEqual({ published: EDITED, draft: ["email"] });
        expect(keep.get(layoutId)).toContain("phone");
      }),
    );

    it(
      "overwrites no version that another user writes between two requests",
      inWorld(provider, async (world) => {
        for (const at of [1, 2]) {
          const { layoutId } = await withDraft(world);
          let count = 0;
          const service = mapCalls(world.service, (call, name) => async (input, options) => {
            if (WRITES.has(name) && ++count === at) await world.save(layoutId, { blocks: fieldBlocks("email") });
            return call(input, options);
          });
          const keep = new Map<string, string>();
          await expect(editLayout(service, layoutId, addNotes, { drafts: "rebase", keep })).rejects.toMatchObject({
            code: at === 1 ? "DRAFT_STALE" : "STOPPED_AFTER_WRITE",
          });
          expect(await fieldsOf(world, layoutId)).toEqual({ published: BEFORE.published, draft: ["email"] });
          // The former draft was overwritten by the other user before the edit, or is kept.
          expect(keep.size).toBe(at - 1);
        }
      }),
    );
  });
}
