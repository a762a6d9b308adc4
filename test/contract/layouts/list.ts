/** The cases about reading layouts: the list, its filters, and one layout by its id. */

import { describe, expect, it } from "vitest";
import type { Input } from "../../../src/schemas/operations.ts";
import { CANDIDATE, invalidAt, MISSING, PLACEMENT, refusal } from "../forms/world.ts";
import { isNotOffered } from "../in-world.ts";
import type { Provider } from "../provider.ts";
import { contractorDraft, isFilteredHere, inWorld } from "./world.ts";

type Query = NonNullable<Input<"listLayouts">["query"]>;

export function listCases(provider: Provider): void {
  describe("listing layouts", () => {
    it(
      "lists those of the organization, form-owned ones too, oldest first",
      inWorld(provider, async ({ as, service, newLayout, newForm }) => {
        if (await isNotOffered(provider, "listLayouts", () => service.listLayouts({}))) return;
        expect(await service.listLayouts({})).toEqual([]);
        const first = await newLayout({ name: "First" });
        const form = await newForm(["VIEW"]);
        const third = await newLayout({ name: "Third" });
        const ids = (await service.listLayouts({})).map((layout) => layout.id);
        expect(ids).toEqual([first.id, form.viewLayoutId, third.id]);
        expect(await (await as("contoso")).listLayouts({})).toEqual([]);
      }),
    );

    it(
      "returns each layout as a single read does",
      inWorld(provider, async ({ service, newLayout, newForm, publishNew, save, mutation, roleId }) => {
        if (await isNotOffered(provider, "listLayouts", () => service.listLayouts({}))) return;
        const card = await newLayout();
        await publishNew(card.id, contractorDraft);
        await save(card.id, contractorDraft);
        const roles = [{ roleId: await roleId("recruiter"), priority: 5 }];
        await service.replaceAssignments({
          layoutId: card.id,
          body: { ...mutation(), organizationDefault: true, roles },
        });
        await newForm(["VIEW", "CREATE"]);
        await newLayout({ name: "Untouched" });
        const listed = await service.listLayouts({});
        expect(listed).toHaveLength(3);
        for (const layout of listed) expect(await service.getLayout({ layoutId: layout.id })).toEqual(layout);
        expect(listed[0]).toMatchObject({ status: "ACTIVE", currentVersion: { status: "PUBLISHED" } });
        expect(listed[0]!.assignments).toHaveLength(2);
      }),
    );

    it(
      "has the modes of the form if a form owns the layout (R59)",
      inWorld(provider, async ({ service, reader, newForm }) => {
        const form = await newForm(["EDIT", "CREATE"]);
        const layoutId = form.viewLayoutId;
        expect((await reader.getLayout({ layoutId })).supportedModes).toEqual(["EDIT", "CREATE"]);
        await service.updateForm({ ...CANDIDATE, formId: form.id, body: { types: ["VIEW", "EDIT"] } });
        expect((await reader.getLayout({ layoutId })).supportedModes).toEqual(["VIEW", "EDIT"]);
        expect((await reader.listLayouts({}))[0]!.supportedModes).toEqual(["VIEW", "EDIT"]);
      }),
    );

    it(
      "narrows the list by every condition that is given",
      inWorld(provider, async ({ service, newLayout, newForm }) => {
        if (await isNotOffered(provider, "listLayouts", () => service.listLayouts({ query: { mode: "VIEW" } }))) return;
        const form = await newForm(["CREATE"]);
        const own = await newLayout({ surface: "DYNAMIC_OBJECT", target: PLACEMENT, supportedModes: ["VIEW"] });
        const scoped = await newLayout({ target: { scopeId: "export" }, supportedModes: ["EDIT"] });
        const card = await newLayout({ target: {}, supportedModes: ["VIEW", "EDIT"] });
        const board = await newLayout({
          surface: "DASHBOARD",
          target: { dashboardKey: "export" },
          supportedModes: ["VIEW"],
        });
        const ids = async (query: Query) => (await service.listLayouts({ query })).map((layout) => layout.id);
        expect(await ids({ surface: "CONTRACTOR" })).toEqual([scoped.id, card.id]);
        expect(await ids({ mode: "VIEW" })).toEqual([own.id, card.id, board.id]);
        expect(await ids({ mode: "CREATE" })).toEqual([form.viewLayoutId]);
        expect(await ids({ moduleKey: "staffing" })).toEqual([form.viewLayoutId, own.id]);
        expect(await ids({ objectKey: "placement" })).toEqual([own.id]);
        expect(await ids({ formId: form.id })).toEqual([form.viewLayoutId]);
        expect(await ids({ scopeId: "export" })).toEqual([scoped.id]);
        expect(await ids({ dashboardKey: "export" })).toEqual([board.id]);
        expect(await ids({ surface: "CONTRACTOR", mode: "VIEW" })).toEqual([card.id]);
        expect(await ids({ moduleKey: "compliance" })).toEqual([]);
        expect(await ids({ objectKey: "place" })).toEqual([]);
      }),
    );

    it(
      "refuses conditions that are none, which over HTTP are not sent",
      inWorld(provider, async ({ service, newLayout }) => {
        if (await isNotOffered(provider, "listLayouts", () => service.listLayouts({}))) return;
        const list = (query: unknown) => service.listLayouts({ query: query as Query });
        await newLayout();
        const none = [{ surface: "PAGE" }, { mode: "PRINT" }].map((query) => () => list(query));
        if (await isFilteredHere(provider, ...none)) return;
        expect(await refusal(list({ surface: "PAGE" }))).toEqual(invalidAt("surface"));
        expect(await refusal(list({ mode: "PRINT" }))).toEqual(invalidAt("mode"));
        expect(await refusal(list({ status: "ACTIVE" }))).toEqual(invalidAt("status"));
      }),
    );

    it(
      "answers 404 for a layout that never was (R105)",
      inWorld(provider, async ({ service, newLayout }) => {
        const { id: layoutId } = await newLayout();
        if (await isNotOffered(provider, "getLayout", () => service.getLayout({ layoutId }))) return;
        expect(await refusal(service.getLayout({ layoutId: "lay_nobody" }))).toEqual(MISSING);
      }),
    );
  });
}
