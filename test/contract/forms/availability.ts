/** The cases about the availability of forms in each of their modes. */

import { describe, expect, it } from "vitest";
import type { Form, Mode } from "../../../src/schemas/form.ts";
import { isNotAccepted } from "../in-world.ts";
import type { Provider } from "../provider.ts";
import { CANDIDATE, field, type FormsWorld, inWorld, REQUIRED_FIELDS } from "./world.ts";

/** Reads a form alone (R57). Returns the form, the state of each mode and the usable modes. */
async function read({ service }: FormsWorld, { id: formId }: Form) {
  const form = await service.getForm({ ...CANDIDATE, formId });
  const states = Object.entries(form.layoutAvailability).map(([mode, { state }]) => [mode, state]);
  return { form, states: Object.fromEntries(states) as Record<Mode, string>, usable: form.usableTypes };
}

/** Adds a field to the candidate object, like an administrator of the organization. */
async function addField({ local }: FormsWorld, key: string, required: boolean): Promise<void> {
  const candidate = {
    key: "candidate",
    name: "Candidate",
    fields: [{ key, name: key, type: "TEXT" as const, required }],
  };
  await local.seed({
    organizations: [
      {
        key: "northwind",
        name: "Northwind Staffing",
        modules: [{ key: "staffing", name: "Staffing", objects: [candidate] }],
      },
    ],
  });
}

export function availabilityCases(provider: Provider): void {
  describe("the availability of a form", () => {
    it(
      "is nothing before, and everything after its layout is published (R23, R57)",
      inWorld(provider, async (world) => {
        const form = await world.newForm("All", ["CREATE", "VIEW", "EDIT"]);
        await world.publish(form, REQUIRED_FIELDS);
        const now = await read(world, form);
        expect(now.states).toEqual({ CREATE: "PUBLISHED", VIEW: "PUBLISHED", EDIT: "PUBLISHED" });
        expect(now.usable).toEqual(["CREATE", "VIEW", "EDIT"]);
        expect(now.form.layoutWarnings).toEqual([]);
        const { currentVersionId } = await world.reader.getLayout({ layoutId: form.viewLayoutId });
        expect(now.form.layoutAvailability.VIEW).toEqual({
          state: "PUBLISHED",
          layoutId: form.viewLayoutId,
          layoutName: "All",
          versionId: currentVersionId,
        });
        expect(now.form.updatedAt).toBe(form.updatedAt);
      }),
    );

    it(
      "stays as published while a newer draft is worked on, even a broken one",
      inWorld(provider, async (world) => {
        const form = await world.newForm("Intake", ["CREATE"]);
        await world.publish(form, REQUIRED_FIELDS);
        const before = await read(world, form);
        const { validation } = await world.service.saveDraft({
          layoutId: form.viewLayoutId,
          body: { clientMutationId: "broken", schemaVersion: 1, regions: [], blocks: [field("no_such_field")] },
        });
        expect(validation.state).toBe("invalid");
        expect(await read(world, form)).toEqual(before);
      }),
    );

    it(
      "requires a publish for an added mode, but not for a restored one",
      inWorld(provider, async (world) => {
        const form = await world.newForm("Profile", ["VIEW", "EDIT"]);
        const setTypes = (types: Mode[]) =>
          world.service.updateForm({ ...CANDIDATE, formId: form.id, body: { types } });
        await world.publish(form, [field("full_name")]);
        await setTypes(["VIEW", "CREATE"]);
        const added = await read(world, form);
        expect(added).toMatchObject({ states: { VIEW: "PUBLISHED", CREATE: "DRAFT_ONLY" }, usable: ["VIEW"] });
        expect(added.form.layoutAvailability.CREATE).not.toHaveProperty("versionId");
        expect(added.form.layoutWarnings).toMatchObject([{ type: "CREATE", code: "LAYOUT_DRAFT_ONLY" }]);
        await setTypes(["VIEW", "EDIT"]);
        expect(await read(world, form)).toMatchObject({ states: { VIEW: "PUBLISHED", EDIT: "PUBLISHED" } });
        await setTypes(["VIEW", "EDIT", "CREATE"]);
        await world.publish(form, REQUIRED_FIELDS);
        expect((await read(world, form)).usable).toEqual(["VIEW", "EDIT", "CREATE"]);
      }),
    );

    it(
      "counts a mode that was added between saving the draft and publishing it",
      inWorld(provider, async (world) => {
        const form = await world.newForm("Profile", ["VIEW"]);
        const layoutId = form.viewLayoutId;
        const regions = [{ key: "main", label: "Main", layout: "grid" as const, columns: 12 }];
        const body = { clientMutationId: "save", schemaVersion: 1 as const, regions, blocks: [field("full_name")] };
        const { draftVersionId } = await world.service.saveDraft({ layoutId, body });
        await world.service.updateForm({ ...CANDIDATE, formId: form.id, body: { types: ["VIEW", "EDIT"] } });
        await world.service.publishLayout({ layoutId, body: { clientMutationId: "publish", draftVersionId } });
        expect((await read(world, form)).usable).toEqual(["VIEW", "EDIT"]);
      }),
    );

    it(
      "breaks for CREATE when the object gets a required field, until the layout shows it",
      inWorld(provider, async (world) => {
        const form = await world.newForm("All", ["CREATE", "VIEW", "EDIT"]);
        await world.publish(form, REQUIRED_FIELDS);
        await addField(world, "nickname", false);
        expect((await read(world, form)).usable).toEqual(["CREATE", "VIEW", "EDIT"]);

        await addField(world, "national_id", true);
        const broken = await read(world, form);
        expect(broken.states).toEqual({ CREATE: "INVALID", VIEW: "PUBLISHED", EDIT: "PUBLISHED" });
        expect(broken.usable).toEqual(["VIEW", "EDIT"]);
        expect(broken.form.layoutAvailability.CREATE).toHaveProperty("versionId");
        expect(broken.form.layoutWarnings).toMatchObject([{ type: "CREATE", code: "LAYOUT_INVALID" }]);
        expect(broken.form.layoutWarnings[0]!.message).toContain("national_id");

        await world.publish(form, [...REQUIRED_FIELDS, field("national_id")]);
        expect((await read(world, form)).usable).toEqual(["CREATE", "VIEW", "EDIT"]);
      }),
    );

    it(
      "breaks in the modes that show a field which another layout has deleted",
      inWorld(provider, async (world) => {
        const form = await world.newForm("Profile", ["VIEW", "EDIT"]);
        await world.publish(form, [field("full_name"), field("notes", ["VIEW"])]);
        const { viewLayoutId: layoutId } = await world.newForm("Cleaner", ["VIEW"]);
        const { fields } = (await world.local.show()).organizations
          .flatMap(({ modules }) => modules)
          .flatMap(({ objects }) => objects)
          .find(({ key }) => key === "candidate")!;
        const notes = fields.find(({ key }) => key === "notes")!;
        const { draftVersionId } = await world.service.saveDraft({
          layoutId,
          body: {
            clientMutationId: "delete-notes",
            schemaVersion: 1,
            regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
            blocks: [field("full_name")],
            stagedFieldDefinitions: [
              { draftId: "d_notes", action: "delete", existingFieldDefinitionId: notes.id, key: "notes" },
            ],
          },
        });
        const confirmFieldChanges = [{ draftId: "d_notes", confirmValueClear: true }];
        const body = { clientMutationId: "publish-deletion", draftVersionId, confirmFieldChanges };
        await world.service.publishLayout({ layoutId, body });
        const broken = await read(world, form);
        expect(broken.states).toEqual({ VIEW: "INVALID", EDIT: "PUBLISHED" });
        expect(broken.usable).toEqual(["EDIT"]);
      }),
    );

    it(
      "is nothing while the form is inactive, though its layout is published (R84)",
      inWorld(provider, async (world) => {
        const form = await world.newForm("Intake", ["CREATE"], { isActive: false });
        await world.publish(form, REQUIRED_FIELDS);
        expect(await read(world, form)).toMatchObject({ states: { CREATE: "PUBLISHED" }, usable: [] });
        const activate = () => world.service.updateForm({ ...CANDIDATE, formId: form.id, body: { isActive: true } });
        if (await isNotAccepted(provider, "updateForm", ["isActive"], activate)) return;
        await activate();
        expect((await read(world, form)).usable).toEqual(["CREATE"]);
      }),
    );

    it(
      "needs something to see in VIEW, and something to fill in in EDIT (R23)",
      inWorld(provider, async (world) => {
        const form = await world.newForm("Profile", ["VIEW", "EDIT"]);
        await world.publish(form, [field("full_name", ["EDIT"])]);
        const published = { VIEW: "PUBLISHED", EDIT: "PUBLISHED" };
        expect(await read(world, form)).toMatchObject({ states: published, usable: ["EDIT"] });
        await world.publish(form, [field("full_name", undefined, { readOnly: true })]);
        expect(await read(world, form)).toMatchObject({ states: published, usable: ["VIEW"] });
      }),
    );
  });
}
