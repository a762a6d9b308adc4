/** Publishing staged fields: confirmations, and all changes or none (R92). */

import { describe, expect, it } from "vitest";
import type { Block, StagedField } from "../../../src/schemas/draft.ts";
import { conflictOf, invalidAt, refusal } from "../forms/world.ts";
import {
  codesOf,
  contractorPage,
  fieldBlocks,
  inWorld,
  type LayoutsWorld,
  type PublishBody,
} from "../layouts/world.ts";
import type { Provider } from "../provider.ts";

type Confirmations = NonNullable<PublishBody["confirmFieldChanges"]>;

const PO: StagedField = { draftId: "d_po", action: "create", name: "PO number", key: "po_number", type: "TEXT" };

const poBlock: Block = {
  id: "f_po",
  type: "field",
  source: "draft_custom_field",
  ref: { draftFieldDefinitionId: "d_po", "x-note": "kept" },
  regionKey: "main",
  displayOrder: 1,
  config: { label: "PO number" },
};

/** Saves a draft with staged changes for a new VIEW form. Returns the draft and a function that publishes it. */
async function stage(world: LayoutsWorld, changes: StagedField[], blocks: Block[] = fieldBlocks("full_name")) {
  const { viewLayoutId: layoutId } = await world.newForm(["VIEW"]);
  const saved = await world.save(layoutId, { blocks, stagedFieldDefinitions: changes });
  expect(saved.validation.errors).toEqual([]);
  const publish = (confirmFieldChanges?: Confirmations) =>
    world.publish(layoutId, saved.draftVersionId, confirmFieldChanges && { confirmFieldChanges });
  return { layoutId, saved, publish };
}

export function stagedFieldCases(provider: Provider): void {
  describe("publishing staged fields", () => {
    it(
      "creates a field, and its blocks then show the field itself",
      inWorld(provider, async (world) => {
        const settings = { config: { required: false, defaultValue: "none", hint: "x" }, presentation: { width: 2 } };
        const { publish, layoutId } = await stage(
          world,
          [{ ...PO, ...settings }],
          [...fieldBlocks("notes"), { ...poBlock, children: [] }],
        );
        const published = await publish();
        const field = await world.field("candidate", "po_number");
        expect(field).toMatchObject({
          name: "PO number",
          type: "TEXT",
          required: false,
          default: "none",
          options: [],
          valueCount: 0,
        });
        expect(published.committedFieldDefinitions).toEqual([
          { draftId: "d_po", action: "create", fieldDefinitionId: field!.id, key: "po_number" },
        ]);
        expect(published.publishedVersion.blocks[1]).toEqual({
          ...poBlock,
          source: "dynamic_field",
          ref: { fieldKey: "po_number", "x-note": "kept" },
          children: [],
        });
        expect(published.publishedVersion.stagedFieldDefinitions).toEqual([]);
        expect(published.validation).toMatchObject({ state: "valid" });
        expect(await world.service.listVersions({ layoutId })).toEqual([published.publishedVersion]);
      }),
    );

    it(
      "adds new fields after those of the object, with their choices, for blocks at every depth",
      inWorld(provider, async (world) => {
        const section: Block = { type: "section", source: "system", regionKey: "main", config: { label: "More" } };
        const level: StagedField = {
          draftId: "d_level",
          action: "create",
          name: "Level",
          key: "level",
          type: "SELECT",
          config: { options: ["a", { value: "b", label: "B" }] },
        };
        const levelBlock = { ...poBlock, id: "f_level", ref: { draftFieldDefinitionId: "d_level" }, displayOrder: 2 };
        const { publish } = await stage(world, [PO, level], [{ ...section, children: [poBlock, levelBlock] }]);
        const { publishedVersion } = await publish();
        expect(publishedVersion.blocks[0]!.children).toMatchObject([
          { source: "dynamic_field", ref: { fieldKey: "po_number" } },
          { source: "dynamic_field", ref: { fieldKey: "level" } },
        ]);
        expect(await world.field("candidate", "level")).toMatchObject({ type: "SELECT", options: ["a", "b"] });
        const [staffing] = (await world.local.show()).organizations
          .flatMap((one) => one.modules)
          .filter((one) => one.key === "staffing");
        const keys = staffing!.objects.find((one) => one.key === "candidate")!.fields.map((one) => one.key);
        expect(keys.slice(-3)).toEqual(["notes", "po_number", "level"]);
      }),
    );

    it(
      "changes name, type and settings of a field, and keeps members that are not given",
      inWorld(provider, async (world) => {
        const before = await world.field("candidate", "skills");
        const { publish } = await stage(world, [
          { draftId: "d1", action: "update", key: "skills", name: "Abilities", config: { required: true, hint: "x" } },
          { draftId: "d2", action: "update", key: "seniority", name: "Level" },
          { draftId: "d3", action: "update", key: "day_rate", config: { hint: "per day" } },
        ]);
        const { committedFieldDefinitions } = await publish();
        expect(committedFieldDefinitions).toMatchObject([
          { draftId: "d1", action: "update", fieldDefinitionId: before!.id, key: "skills" },
          { draftId: "d2", action: "update", key: "seniority" },
          { draftId: "d3", action: "update", key: "day_rate" },
        ]);
        expect(await world.field("candidate", "skills")).toEqual({
          ...before,
          name: "Abilities",
          required: true,
          config: { required: true, hint: "x" },
        });
        expect(await world.field("candidate", "seniority")).toMatchObject({
          name: "Level",
          required: true,
          options: ["junior", "mid", "senior"],
          default: "mid",
          valueCount: 900,
        });
        const dayRate = await world.field("candidate", "day_rate");
        expect(dayRate!.config).toEqual({ currency: "EUR", hint: "per day" });
      }),
    );

    it(
      "keeps a field that is only unlinked from this layout",
      inWorld(provider, async (world) => {
        const before = await world.field("candidate", "notes");
        const { publish } = await stage(world, [{ draftId: "d1", action: "unlink", key: "notes" }]);
        expect((await publish()).committedFieldDefinitions).toEqual([
          { draftId: "d1", action: "unlink", fieldDefinitionId: before!.id, key: "notes" },
        ]);
        expect(await world.field("candidate", "notes")).toEqual(before);
      }),
    );

    const confirmed: [
      what: string,
      change: Partial<StagedField> & { key: string },
      confirm: string[],
      after: unknown,
    ][] = [
      [
        "a lossless change of type",
        { action: "update", key: "notes", type: "TEXT" },
        ["confirmTypeChange"],
        { type: "TEXT", valueCount: 412 },
      ],
      [
        "a lossy change of type",
        { action: "update", key: "notes", type: "NUMBER" },
        ["confirmTypeChange", "confirmValueClear"],
        { type: "NUMBER", valueCount: 0 },
      ],
      [
        "a lossless change to many choices",
        { action: "update", key: "seniority", type: "MULTI_SELECT" },
        ["confirmTypeChange"],
        { type: "MULTI_SELECT", valueCount: 900, options: ["junior", "mid", "senior"] },
      ],
      [
        "options that are taken away",
        { action: "update", key: "skills", config: { options: ["java"] } },
        ["confirmValueClear"],
        { options: ["java"] },
      ],
      ["a delete of a field with values", { action: "delete", key: "notes" }, ["confirmValueClear"], null],
    ];
    it.each(confirmed)(
      "requires exactly the confirmations of %s, and then applies it",
      (_what, change, confirm, after) =>
        inWorld(provider, async (world) => {
          const { key } = change;
          const before = await world.field("candidate", key);
          const { publish, layoutId, saved } = await stage(world, [{ draftId: "d1", ...change } as StagedField]);
          const given = (members: string[]) => [
            { draftId: "d1", ...Object.fromEntries(members.map((one) => [one, true])) },
          ];
          const tooFew = [undefined, [], ...confirm.map((left) => given(confirm.filter((one) => one !== left)))];
          for (const confirmations of tooFew) {
            const refused = await refusal(publish(confirmations));
            expect(refused).toEqual(conflictOf("FIELD_CHANGES_UNCONFIRMED"));
            expect(refused.body.impacts).toEqual([
              { draftId: "d1", fieldKey: key, action: change.action, ...saved.stagedFieldDefinitions[0]!.valueImpact },
            ]);
            expect(refused.body.clientMutationId).toEqual(expect.any(String));
          }
          expect(await world.field("candidate", key)).toEqual(before);
          expect(await world.service.listVersions({ layoutId })).toEqual([saved.draftVersion]);

          const { validation } = await publish(given(confirm));
          // The published version contains no pending confirmations.
          expect(codesOf(validation.warnings)).not.toContain("STAGED_NEEDS_CONFIRMATION");
          const field = await world.field("candidate", key);
          expect(field === undefined).toBe(after === null);
          expect({ ...field }).toMatchObject(after ?? {});
        })(),
    );

    it(
      "treats a confirmation of false as missing",
      inWorld(provider, async (world) => {
        const { publish } = await stage(world, [{ draftId: "d1", action: "delete", key: "notes" }]);
        const refused = await refusal(publish([{ draftId: "d1", confirmValueClear: false, confirmTypeChange: true }]));
        expect(refused).toEqual(conflictOf("FIELD_CHANGES_UNCONFIRMED"));
      }),
    );

    it(
      "requires confirmation to delete a field that another published layout shows, even if no value is lost",
      inWorld(provider, async (world) => {
        const { viewLayoutId: other } = await world.newForm(["VIEW"], "Other");
        const created = await stage(world, [PO], [poBlock]);
        await created.publish();
        await world.publishNew(other, { blocks: fieldBlocks("full_name", "po_number") });
        await world.publishNew(created.layoutId, { blocks: fieldBlocks("full_name") });

        const { publish } = await stage(world, [{ draftId: "d1", action: "delete", key: "po_number" }]);
        const refused = await refusal(publish());
        expect(refused).toEqual(conflictOf("FIELD_CHANGES_UNCONFIRMED"));
        expect(refused.body.impacts).toEqual([
          {
            draftId: "d1",
            fieldKey: "po_number",
            action: "delete",
            reasons: ["REFERENCED_ELSEWHERE"],
            valueCount: 0,
            referencedByLayouts: [other],
            requires: ["confirmValueClear"],
          },
        ]);
        await publish([{ draftId: "d1", confirmValueClear: true }]);
        expect(await world.field("candidate", "po_number")).toBeUndefined();
      }),
    );

    it(
      "requires no confirmation to delete a field without effects",
      inWorld(provider, async (world) => {
        const { publish, layoutId } = await stage(world, [PO], [poBlock]);
        await publish();
        // The published version of the layout still shows the field. This publication replaces that version.
        const { draftVersionId } = await world.save(layoutId, {
          blocks: fieldBlocks("full_name"),
          stagedFieldDefinitions: [{ draftId: "d1", action: "delete", key: "po_number" }],
        });
        await world.publish(layoutId, draftVersionId);
        expect(await world.field("candidate", "po_number")).toBeUndefined();
      }),
    );

    it(
      "changes nothing while one of several changes is not confirmed, and names only that one",
      inWorld(provider, async (world) => {
        const { publish } = await stage(
          world,
          [
            PO,
            { draftId: "d_type", action: "update", key: "home_city", type: "TEXTAREA" },
            { draftId: "d_gone", action: "delete", key: "notes" },
          ],
          [poBlock],
        );
        const refused = await refusal(publish([{ draftId: "d_type", confirmTypeChange: true }]));
        expect(refused.body.impacts!.map((impact) => impact.draftId)).toEqual(["d_gone"]);
        expect(await world.field("candidate", "po_number")).toBeUndefined();
        expect(await world.field("candidate", "home_city")).toMatchObject({ type: "TEXT" });
        await publish([
          { draftId: "d_type", confirmTypeChange: true },
          { draftId: "d_gone", confirmValueClear: true },
          { draftId: "d_po" },
        ]);
        expect(await world.field("candidate", "po_number")).toBeDefined();
        expect(await world.field("candidate", "home_city")).toMatchObject({ type: "TEXTAREA", valueCount: 310 });
        expect(await world.field("candidate", "notes")).toBeUndefined();
      }),
    );

    it(
      "refuses a confirmation of a change that is not staged",
      inWorld(provider, async (world) => {
        const { publish, layoutId, saved } = await stage(world, [PO], [poBlock]);
        const refused = await refusal(publish([{ draftId: "d_po" }, { draftId: "d_else", confirmValueClear: true }]));
        expect(refused).toEqual(invalidAt("confirmFieldChanges[1].draftId"));
        expect(await world.service.listVersions({ layoutId })).toEqual([saved.draftVersion]);
      }),
    );

    it(
      "reports an invalid draft before missing confirmations",
      inWorld(provider, async (world) => {
        const { viewLayoutId: layoutId } = await world.newForm(["VIEW"]);
        const { draftVersionId } = await world.save(layoutId, {
          blocks: fieldBlocks("notes"),
          stagedFieldDefinitions: [{ draftId: "d1", action: "delete", key: "notes" }],
        });
        const refused = await refusal(world.publish(layoutId, draftVersionId));
        expect(refused).toEqual(conflictOf("DRAFT_INVALID"));
        expect(refused.body.validation!.errors).toMatchObject([{ code: "STAGED_STILL_PLACED" }]);
      }),
    );

    it(
      "makes other layouts with a deleted field invalid, without changing their versions",
      inWorld(provider, async (world) => {
        const other = await world.newForm(["VIEW"], "Other");
        const shown = await world.publishNew(other.viewLayoutId, { blocks: fieldBlocks("notes") });
        const { publish } = await stage(world, [{ draftId: "d1", action: "delete", key: "notes" }]);
        await publish([{ draftId: "d1", confirmValueClear: true }]);
        const found = await world.service.getForm({
          moduleKey: "staffing",
          objectKey: "candidate",
          formId: other.id,
        });
        expect(found.layoutAvailability).toMatchObject({ VIEW: { state: "INVALID", versionId: shown.versionId } });
        const at = { layoutId: other.viewLayoutId, versionId: shown.versionId };
        expect(await world.service.getVersion(at)).toEqual(shown.publishedVersion);
      }),
    );

    it(
      "distinguishes fields of the same key with and without a scope",
      inWorld(provider, async (world) => {
        const invoices = { ...contractorPage, surface: "SALES_INVOICE" as const };
        const scoped = await world.newLayout({ ...invoices, target: { scopeId: "export" } });
        const shown = { ...poBlock, source: "custom_field" as const, ref: { fieldKey: "customs_id" } };
        await world.publishNew(scoped.id, { blocks: [shown] });
        const { id: layoutId } = await world.newLayout({ ...invoices, target: {} });
        const create = { ...PO, key: "customs_id" };
        await world.publishNew(layoutId, { blocks: [poBlock], stagedFieldDefinitions: [create] });

        const remove = { draftId: "d1", action: "delete" as const, key: "customs_id" };
        const { stagedFieldDefinitions, draftVersionId } = await world.save(layoutId, {
          stagedFieldDefinitions: [remove],
        });
        expect(stagedFieldDefinitions).toEqual([{ ...remove, state: "ready", valueImpact: null }]);
        await world.publish(layoutId, draftVersionId);
        const { validation } = await world.save(scoped.id, { blocks: [shown] });
        expect(validation.errors).toEqual([]);
      }),
    );

    it(
      "applies to the custom fields of the surface and scope for other layouts",
      inWorld(provider, async (world) => {
        const layout = await world.newLayout({
          ...contractorPage,
          surface: "SALES_INVOICE",
          target: { scopeId: "export" },
        });
        const { draftVersionId } = await world.save(layout.id, {
          blocks: [poBlock],
          stagedFieldDefinitions: [
            { ...PO, scopeId: "export" },
            { draftId: "d1", action: "delete", key: "customs_id" },
          ],
        });
        const impacts = (await refusal(world.publish(layout.id, draftVersionId))).body.impacts;
        expect(impacts).toMatchObject([{ fieldKey: "customs_id", valueCount: 12 }]);
        const { publishedVersion, committedFieldDefinitions } = await world.publish(layout.id, draftVersionId, {
          confirmFieldChanges: [{ draftId: "d1", confirmValueClear: true }],
        });
        const [northwind] = (await world.local.show()).organizations.filter((one) => one.key === "northwind");
        const exports = northwind!.customFields.filter((one) => one.surface === "SALES_INVOICE");
        expect(exports).toMatchObject([{ key: "po_number", scopeId: "export", type: "TEXT" }]);
        const [created] = committedFieldDefinitions;
        expect(created!.fieldDefinitionId).toBe(exports[0]!.id);
        expect(publishedVersion.blocks).toMatchObject([
          { source: "custom_field", ref: { fieldKey: "po_number", fieldDefinitionId: exports[0]!.id } },
        ]);
      }),
    );
  });
}
