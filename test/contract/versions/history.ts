/** The cases about the versions of a layout, and about copying a version into the draft. */

import { describe, expect, it } from "vitest";
import { conflictOf, invalidAt, MISSING, refusal } from "../forms/world.ts";
import { codesOf, fieldBlocks, intake, inWorld, type LayoutsWorld } from "../layouts/world.ts";
import type { Provider } from "../provider.ts";

function restorer({ service, mutation }: LayoutsWorld, layoutId: string) {
  return (versionId: string) => service.restoreDraft({ layoutId, versionId, body: mutation() });
}

export function historyCases(provider: Provider): void {
  describe("the versions of a layout", () => {
    it(
      "are listed with their content, newest first, the draft among them (R93, R108)",
      inWorld(provider, async ({ service, newForm, publishNew, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const numbers = async () =>
          (await service.listVersions({ layoutId })).map((version) => `${version.version} ${version.status}`);
        expect(await numbers()).toEqual(["1 DRAFT"]);
        await publishNew(layoutId, intake);
        expect(await numbers()).toEqual(["1 PUBLISHED"]);
        await save(layoutId, intake);
        await publishNew(layoutId, intake);
        expect(await numbers()).toEqual(["2 PUBLISHED", "1 ARCHIVED"]);
        await save(layoutId, intake);
        expect(await numbers()).toEqual(["3 DRAFT", "2 PUBLISHED", "1 ARCHIVED"]);
        for (const version of await service.listVersions({ layoutId })) {
          expect(version).toMatchObject(intake);
          expect(await service.getVersion({ layoutId, versionId: version.id })).toEqual(version);
        }
      }),
    );

    it(
      "are missing under another layout, and when they never were (R94, R105)",
      inWorld(provider, async (world) => {
        const [one, other] = [await world.newForm(["CREATE"]), await world.newForm(["CREATE"])];
        const { versionId } = await world.publishNew(one.viewLayoutId, intake);
        for (const at of [
          { layoutId: other.viewLayoutId, versionId },
          { layoutId: one.viewLayoutId, versionId: "ver_nobody" },
        ]) {
          expect(await refusal(world.service.getVersion(at))).toEqual(MISSING);
          expect(await refusal(restorer(world, at.layoutId)(at.versionId))).toEqual(MISSING);
        }
      }),
    );
  });

  describe("restoring a version into the draft", () => {
    it(
      "copies its content to a new draft with its source, and publishes nothing (R54, R55, R95)",
      inWorld(provider, async (world) => {
        const { service, newForm, publishNew, save } = world;
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const binding = { id: "b1", scriptId: "rate_guard", hook: "onRender", target: { blockId: "f_email" } };
        const first = await publishNew(layoutId, { ...intake, scriptBindings: [binding], metadata: { a: 1 } });
        const second = await publishNew(layoutId, { blocks: fieldBlocks("full_name", "email", "notes") });
        const thrownAway = await save(layoutId, { blocks: [] });
        world.clock.advance(1000);

        const restored = await restorer(world, layoutId)(first.versionId);
        expect(restored.draftVersion).toEqual({
          ...first.publishedVersion,
          id: restored.draftVersionId,
          version: 3,
          status: "DRAFT",
          sourceVersionId: first.versionId,
          createdAt: world.clock.now.toISOString(),
          publishedAt: null,
        });
        expect(restored.validation).toEqual(restored.draftVersion.validation);
        expect(restored.stagedFieldDefinitions).toEqual([]);
        expect(restored.draftVersionId).not.toBe(thrownAway.draftVersionId);
        expect(restored.layout).toMatchObject({
          status: "ACTIVE",
          currentVersionId: second.versionId,
          latestDraftVersionId: restored.draftVersionId,
        });
        expect((await service.listVersions({ layoutId })).map((version) => version.id)).toEqual([
          restored.draftVersionId,
          second.versionId,
          first.versionId,
        ]);
      }),
    );

    it(
      "creates a draft if there is none, also from the published version",
      inWorld(provider, async (world) => {
        const { viewLayoutId: layoutId } = await world.newForm(["CREATE"]);
        const live = await world.publishNew(layoutId, intake);
        expect(live.layout.latestDraftVersionId).toBeNull();
        const restored = await restorer(world, layoutId)(live.versionId);
        expect(restored.draftVersion).toMatchObject({ version: 2, blocks: live.publishedVersion.blocks });
        expect((await world.publish(layoutId, restored.draftVersionId)).versionId).toBe(restored.draftVersionId);
      }),
    );

    it(
      "is refused for the draft itself",
      inWorld(provider, async (world) => {
        const { viewLayoutId: layoutId } = await world.newForm(["CREATE"]);
        const { draftVersionId, draftVersion } = await world.save(layoutId, intake);
        const { clientMutationId } = world.mutation();
        const body = { clientMutationId };
        const refused = await refusal(world.service.restoreDraft({ layoutId, versionId: draftVersionId, body }));
        expect(refused).toEqual(conflictOf("VERSION_IS_DRAFT"));
        expect(refused.body.clientMutationId).toBe(clientMutationId);
        expect(await world.service.listVersions({ layoutId })).toEqual([draftVersion]);
      }),
    );

    it(
      "does not stage fields again that were applied when the version was published",
      inWorld(provider, async (world) => {
        const { viewLayoutId: layoutId } = await world.newForm(["VIEW"]);
        const { versionId } = await world.publishNew(layoutId, {
          blocks: [{ ...fieldBlocks("x")[0]!, source: "draft_custom_field", ref: { draftFieldDefinitionId: "d1" } }],
          stagedFieldDefinitions: [{ draftId: "d1", action: "create", name: "PO", key: "po", type: "TEXT" }],
        });
        const restored = await restorer(world, layoutId)(versionId);
        expect(restored.draftVersion).toMatchObject({
          stagedFieldDefinitions: [],
          blocks: [{ source: "dynamic_field", ref: { fieldKey: "po" } }],
        });
        expect(restored.validation.state).toBe("valid");
      }),
    );

    it(
      "succeeds with a deleted field: the draft is invalid",
      inWorld(provider, async (world) => {
        const { viewLayoutId: layoutId } = await world.newForm(["VIEW"]);
        const old = await world.publishNew(layoutId, { blocks: fieldBlocks("full_name", "notes") });
        const { draftVersionId } = await world.save(layoutId, {
          blocks: fieldBlocks("full_name"),
          stagedFieldDefinitions: [{ draftId: "d1", action: "delete", key: "notes" }],
        });
        const confirmFieldChanges = [{ draftId: "d1", confirmValueClear: true }];
        await world.publish(layoutId, draftVersionId, { confirmFieldChanges });

        const restored = await restorer(world, layoutId)(old.versionId);
        expect(restored.validation.state).toBe("invalid");
        expect(codesOf(restored.validation.errors)).toEqual(["FIELD_UNKNOWN"]);
        expect(await refusal(world.publish(layoutId, restored.draftVersionId))).toEqual(conflictOf("DRAFT_INVALID"));
      }),
    );

    it(
      "clears the source of the draft when it is saved again",
      inWorld(provider, async (world) => {
        const { viewLayoutId: layoutId } = await world.newForm(["CREATE"]);
        const { versionId } = await world.publishNew(layoutId, intake);
        const restored = await restorer(world, layoutId)(versionId);
        expect(restored.draftVersion.sourceVersionId).toBe(versionId);
        expect((await world.save(layoutId, intake)).draftVersion.sourceVersionId).toBeNull();
      }),
    );

    it(
      "needs a clientMutationId and nothing else",
      inWorld(provider, async ({ service, newForm, publishNew, mutation }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const { versionId } = await publishNew(layoutId, intake);
        const restore = (body: Record<string, unknown>) =>
          service.restoreDraft({ layoutId, versionId, body: body as { clientMutationId: string } });
        expect(await refusal(restore({}))).toEqual(invalidAt("clientMutationId"));
        expect(await refusal(restore({ ...mutation(), publish: true }))).toEqual(invalidAt("publish"));
      }),
    );
  });
}
