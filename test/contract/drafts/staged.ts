/** The staged fields in the response to a saved draft. */

import { describe, expect, it } from "vitest";
import type { Block, StagedField } from "../../../src/schemas/draft.ts";
import type { Provider } from "../provider.ts";
import { codesOf, contractorPage, fieldBlocks, inWorld, type LayoutsWorld } from "../layouts/world.ts";

/** Saves a draft for VIEW with the name field and these staged changes. Returns the states of the changes. */
async function stage({ newForm, save }: LayoutsWorld, ...stagedFieldDefinitions: StagedField[]) {
  const form = await newForm(["VIEW"]);
  const saved = await save(form.viewLayoutId, { blocks: fieldBlocks("full_name"), stagedFieldDefinitions });
  expect(saved.draftVersion.stagedFieldDefinitions).toEqual(stagedFieldDefinitions);
  return { ...saved, states: saved.stagedFieldDefinitions };
}

export function stagedCases(provider: Provider): void {
  describe("staged fields of a saved draft", () => {
    it(
      "are ready if they need no confirmation",
      inWorld(provider, async (world) => {
        const changes: StagedField[] = [
          { draftId: "d_new", action: "create", name: "PO number", key: "po_number", type: "TEXT", "x-note": [1] },
          { draftId: "d_name", action: "update", key: "home_city", name: "City" },
          { draftId: "d_off", action: "unlink", key: "phone" },
        ];
        const { states } = await stage(world, ...changes);
        expect(states).toEqual(changes.map((change) => ({ ...change, state: "ready", valueImpact: null })));
      }),
    );

    const costly: [what: string, change: Partial<StagedField>, impact: Record<string, unknown>][] = [
      [
        "a change of type that keeps all values",
        { action: "update", key: "notes", type: "TEXT" },
        { reasons: ["TYPE_CHANGE"], valueCount: 412, requires: ["confirmTypeChange"] },
      ],
      [
        "a change of type that loses values",
        { action: "update", key: "notes", type: "NUMBER" },
        {
          reasons: ["TYPE_CHANGE", "VALUE_CLEAR"],
          valueCount: 412,
          requires: ["confirmTypeChange", "confirmValueClear"],
        },
      ],
      [
        "options that are taken away",
        { action: "update", key: "skills", config: { options: ["java", "react"] } },
        { reasons: ["VALUE_CLEAR"], valueCount: 380, requires: ["confirmValueClear"] },
      ],
      [
        "a field with values that is deleted",
        { action: "delete", key: "notes" },
        { reasons: ["VALUE_CLEAR"], valueCount: 412, requires: ["confirmValueClear"] },
      ],
    ];
    it.each(costly)("report what requires confirmation for %s (R92)", (_what, change, impact) =>
      inWorld(provider, async (world) => {
        const { states, validation } = await stage(world, { draftId: "d1", ...change } as StagedField);
        expect(states).toMatchObject([
          { draftId: "d1", state: "needs_confirmation", valueImpact: { ...impact, referencedByLayouts: [] } },
        ]);
        expect(validation).toMatchObject({ state: "valid_with_warnings", errors: [] });
        expect(codesOf(validation.warnings)).toContain("STAGED_NEEDS_CONFIRMATION");
      })(),
    );

    it(
      "may be named by the id of the field",
      inWorld(provider, async (world) => {
        const notes = await world.field("candidate", "notes");
        const change = { draftId: "d1", action: "delete", existingFieldDefinitionId: notes!.id } as const;
        const { states } = await stage(world, change);
        expect(states).toMatchObject([{ state: "needs_confirmation", valueImpact: { valueCount: 412 } }]);
      }),
    );

    it(
      "count the other published layouts of the object that show a field",
      inWorld(provider, async (world) => {
        const shown = (await world.newForm(["VIEW"])).viewLayoutId;
        await world.publishNew(shown, { blocks: fieldBlocks("full_name", "phone") });
        const own = await world.newLayout({
          surface: "DYNAMIC_OBJECT",
          target: { moduleKey: "staffing", objectKey: "candidate" },
        });
        const section: Block = { type: "section", source: "system", regionKey: "main", config: { label: "All" } };
        await world.publishNew(own.id, { blocks: [{ ...section, children: fieldBlocks("notes", "phone") }] });
        // A layout does not show a field if it only mentions the field in a label.
        const other = { ...fieldBlocks("full_name")[0]!, config: { label: "phone" } };
        await world.publishNew((await world.newForm(["VIEW"])).viewLayoutId, { blocks: [other] });
        // Drafts and archived layouts do not count, because no user sees them.
        await world.save((await world.newForm(["VIEW"])).viewLayoutId, { blocks: fieldBlocks("phone") });
        const archived = await world.newLayout({ surface: "DYNAMIC_OBJECT", target: own.target });
        await world.publishNew(archived.id, { blocks: fieldBlocks("phone") });
        await world.service.archiveLayout({ layoutId: archived.id });

        const { states } = await stage(world, { draftId: "d1", action: "delete", key: "phone" });
        expect(states).toMatchObject([
          {
            state: "needs_confirmation",
            valueImpact: { reasons: ["VALUE_CLEAR", "REFERENCED_ELSEWHERE"], referencedByLayouts: [shown, own.id] },
          },
        ]);
        const unlinked = await stage(world, { draftId: "d1", action: "unlink", key: "phone" });
        expect(unlinked.states).toMatchObject([{ state: "ready", valueImpact: null }]);
      }),
    );

    it(
      "are invalid if the draft has errors about them",
      inWorld(provider, async (world) => {
        const { states, validation } = await stage(
          world,
          { draftId: "d1", action: "create", name: "Name", key: "full_name", type: "TEXT" },
          { draftId: "d2", action: "update", key: "home_city", type: "COLOUR" },
          { draftId: "d3", action: "delete", key: "no_such_field" },
          { draftId: "d4", action: "unlink", key: "full_name" },
          { draftId: "d5", action: "unlink", key: "phone" },
        );
        expect(validation.state).toBe("invalid");
        expect(states.map((one) => one.state)).toEqual(["invalid", "invalid", "invalid", "invalid", "ready"]);
      }),
    );

    it(
      "belong to the scope of the layout",
      inWorld(provider, async ({ newLayout, save }) => {
        const layout = await newLayout({ ...contractorPage, surface: "SALES_INVOICE", target: { scopeId: "export" } });
        const change = { draftId: "d1", action: "delete" as const, key: "customs_id", scopeId: "export" };
        const saved = await save(layout.id, { stagedFieldDefinitions: [change] });
        expect(saved.stagedFieldDefinitions).toMatchObject([{ ...change, valueImpact: { valueCount: 12 } }]);
      }),
    );
  });
}
