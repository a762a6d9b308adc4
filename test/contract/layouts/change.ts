/** Changing and archiving layouts. */

import { describe, expect, it } from "vitest";
import type { Input } from "../../../src/schemas/operations.ts";
import type { FullService } from "../../../src/service.ts";
import { CANDIDATE, conflictOf, invalidAt, MISSING, refusal } from "../forms/world.ts";
import type { Provider } from "../provider.ts";
import { contractorDraft, intake, inWorld, type Layout, type LayoutsWorld } from "./world.ts";

type Patch = Input<"updateLayout">["body"];

const SECOND = 1000;

function patcher({ service, clock }: LayoutsWorld, { id: layoutId }: { id: string }) {
  return async (body: Patch): Promise<Layout> => {
    clock.advance(SECOND);
    return service.updateLayout({ layoutId, body });
  };
}

export function changeCases(provider: Provider): void {
  describe("changing a layout", () => {
    it(
      "replaces name and metadata, each alone and metadata as a whole (R87)",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout({ metadata: { a: 1, b: 2 } });
        const patch = patcher(world, layout);
        const renamed = await patch({ name: " Contractor page " });
        expect(renamed).toEqual({ ...layout, name: "Contractor page", updatedAt: world.clock.now.toISOString() });
        const other = await patch({ metadata: { c: 3 } });
        expect(other).toEqual({ ...renamed, metadata: { c: 3 }, updatedAt: world.clock.now.toISOString() });
        expect(await world.reader.getLayout({ layoutId: layout.id })).toEqual(other);
      }),
    );

    it(
      "clears metadata with null, and keeps {} for {} (R33)",
      inWorld(provider, async (world) => {
        const patch = patcher(world, await world.newLayout({ metadata: { a: 1 } }));
        expect(await patch({ metadata: {} })).toMatchObject({ metadata: {} });
        expect(await patch({ metadata: null })).toMatchObject({ metadata: null });
      }),
    );

    it(
      "changes nothing, including updatedAt, for an update without changes",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout({ metadata: { a: 1, b: [2] }, supportedModes: ["VIEW", "EDIT"] });
        const patch = patcher(world, layout);
        expect(await patch({})).toEqual(layout);
        const same = { name: layout.name, metadata: { b: [2], a: 1 }, supportedModes: ["EDIT", "VIEW"] as const };
        expect(await patch({ ...same, supportedModes: [...same.supportedModes] })).toEqual(layout);
      }),
    );

    it(
      "replaces the modes of a layout of the organization itself",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout({ supportedModes: ["VIEW"] });
        const changed = await patcher(world, layout)({ supportedModes: ["EDIT", "CREATE"] });
        expect(changed).toMatchObject({ supportedModes: ["EDIT", "CREATE"], name: layout.name });
        const draft = await world.save(layout.id, contractorDraft);
        expect(draft.draftVersion.supportedModes).toEqual(["EDIT", "CREATE"]);
      }),
    );

    it(
      "keeps the version that is published for the modes that it was published for",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout({ supportedModes: ["VIEW"] });
        const { publishedVersion } = await world.publishNew(layout.id, contractorDraft);
        const changed = await patcher(world, layout)({ supportedModes: ["VIEW", "EDIT"] });
        expect(changed.currentVersion).toMatchObject({ id: publishedVersion.id, supportedModes: ["VIEW"] });
      }),
    );

    it(
      "refuses another surface or target, of whatever shape, and even the same (R87)",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout();
        const patch = patcher(world, layout);
        expect(await refusal(patch({ surface: "USER", name: "x" }))).toEqual(invalidAt("surface"));
        expect(await refusal(patch({ surface: null, target: 7 }))).toEqual(invalidAt("surface", "target"));
        expect(await refusal(patch({ target: layout.target }))).toEqual(invalidAt("target"));
        expect(await world.reader.getLayout({ layoutId: layout.id })).toEqual(layout);
      }),
    );

    it(
      "refuses names, metadata and modes that are none",
      inWorld(provider, async (world) => {
        const patch = patcher(world, await world.newLayout());
        expect(await refusal(patch({ name: " " }))).toEqual(invalidAt("name"));
        expect(await refusal(patch({ name: null as unknown as string }))).toEqual(invalidAt("name"));
        expect(await refusal(patch({ name: "n".repeat(201) }))).toEqual(invalidAt("name"));
        expect(await refusal(patch({ supportedModes: [] }))).toEqual(invalidAt("supportedModes"));
        expect(await refusal(patch({ status: "ACTIVE" } as Patch))).toEqual(invalidAt("status"));
      }),
    );

    it(
      "refuses surface, target and modes of a form's layout, though they be what they are (R8, R88)",
      inWorld(provider, async (world) => {
        const form = await world.newForm(["VIEW"]);
        const layout = await world.reader.getLayout({ layoutId: form.viewLayoutId });
        const patch = patcher(world, layout);
        for (const body of [
          { supportedModes: ["VIEW" as const] },
          { surface: layout.surface },
          { target: layout.target, name: "x" },
        ]) {
          expect(await refusal(patch(body))).toEqual(conflictOf("LAYOUT_FORM_OWNED"));
        }
        expect(await world.reader.getLayout({ layoutId: layout.id })).toEqual(layout);
      }),
    );

    it(
      "renames a form's layout, not the form (R21, R87)",
      inWorld(provider, async (world) => {
        const form = await world.newForm(["VIEW"], "Profile");
        await patcher(world, { id: form.viewLayoutId })({ name: "Profile page", metadata: { owner: "talent" } });
        const found = await world.service.getForm({ ...CANDIDATE, formId: form.id });
        expect(found).toMatchObject({ name: "Profile", viewLayoutName: "Profile page" });
      }),
    );
  });

  describe("archiving a layout", () => {
    const below: [
      name: string,
      request: (service: FullService, at: { layoutId: string; versionId: string }) => unknown,
    ][] = [
      ["reading it", (service, { layoutId }) => service.getLayout({ layoutId })],
      ["changing it", (service, { layoutId }) => service.updateLayout({ layoutId, body: { name: "x" } })],
      ["listing its versions", (service, { layoutId }) => service.listVersions({ layoutId })],
      ["reading a version", (service, at) => service.getVersion(at)],
      [
        "saving a draft",
        (service, { layoutId }) =>
          service.saveDraft({
            layoutId,
            body: { clientMutationId: "late", schemaVersion: 1, regions: [], blocks: [] },
          }),
      ],
      [
        "publishing",
        (service, { layoutId, versionId }) =>
          service.publishLayout({ layoutId, body: { clientMutationId: "late", draftVersionId: versionId } }),
      ],
      ["restoring", (service, at) => service.restoreDraft({ ...at, body: { clientMutationId: "late" } })],
      [
        "assigning it",
        (service, { layoutId }) => service.replaceAssignments({ layoutId, body: { clientMutationId: "late" } }),
      ],
      ["archiving it again", (service, { layoutId }) => service.archiveLayout({ layoutId })],
    ];
    it.each(below)("makes %s a 404 (R56)", (_name, request) =>
      inWorld(provider, async ({ service, newLayout, publishNew, save }) => {
        const layout = await newLayout();
        const { versionId } = await publishNew(layout.id, contractorDraft);
        await save(layout.id, contractorDraft);
        await service.archiveLayout({ layoutId: layout.id });
        expect(await refusal(request(service, { layoutId: layout.id, versionId }) as Promise<unknown>)).toEqual(
          MISSING,
        );
      })(),
    );

    it(
      "returns no content, and hides the layout only (R56, R97)",
      inWorld(provider, async ({ service, reader, newLayout }) => {
        const [gone, kept] = [await newLayout(), await newLayout()];
        expect(await service.archiveLayout({ layoutId: gone.id })).toBeUndefined();
        expect((await reader.listLayouts({})).map((layout) => layout.id)).toEqual([kept.id]);
      }),
    );

    it(
      "looks like a layout that never was",
      inWorld(provider, async ({ service, newLayout }) => {
        const layout = await newLayout();
        await service.archiveLayout({ layoutId: layout.id });
        const archived = await refusal(service.getLayout({ layoutId: layout.id }));
        const never = await refusal(service.getLayout({ layoutId: "lay_nobody" }));
        expect(JSON.stringify(archived.body).replaceAll(layout.id, "lay_nobody")).toBe(JSON.stringify(never.body));
      }),
    );

    it(
      "gives the organization default free for another layout",
      inWorld(provider, async ({ service, newLayout, mutation }) => {
        const [first, second] = [await newLayout(), await newLayout()];
        const makeDefault = ({ id: layoutId }: Layout) =>
          service.replaceAssignments({ layoutId, body: { ...mutation(), organizationDefault: true } });
        await makeDefault(first);
        expect(await refusal(makeDefault(second))).toEqual(conflictOf("ASSIGNMENT_DEFAULT_TAKEN"));
        await service.archiveLayout({ layoutId: first.id });
        expect((await makeDefault(second)).assignments).toMatchObject([{ isDefault: true }]);
      }),
    );

    it(
      "is refused for a form's layout, which lives and dies with its form (R98)",
      inWorld(provider, async ({ service, reader, newForm, publishNew }) => {
        const form = await newForm(["CREATE"]);
        const layoutId = form.viewLayoutId;
        await publishNew(layoutId, intake);
        expect(await refusal(service.archiveLayout({ layoutId }))).toEqual(conflictOf("LAYOUT_FORM_OWNED"));
        expect(await service.getForm({ ...CANDIDATE, formId: form.id })).toMatchObject({ usableTypes: ["CREATE"] });
        await service.deleteForm({ ...CANDIDATE, formId: form.id });
        expect(await refusal(reader.getLayout({ layoutId }))).toEqual(MISSING);
        expect(await refusal(service.listVersions({ layoutId }))).toEqual(MISSING);
      }),
    );
  });
}
