/** The cases about saving a draft: which content is replaced or kept, and the validation of the content. */

import { describe, expect, it } from "vitest";
import type { Block } from "../../../src/schemas/draft.ts";
import { CANDIDATE, conflictOf, invalidAt, refusal } from "../forms/world.ts";
import { isNotAccepted } from "../in-world.ts";
import type { Provider } from "../provider.ts";
import {
  codesOf,
  contractorDraft,
  type DraftBody,
  fieldBlocks,
  intake,
  inWorld,
  MAIN,
  type SavedDraft,
} from "../layouts/world.ts";

/** Returns the content of a draft without the members that the store adds. */
function contentOf({ schemaVersion, regions, blocks, scriptBindings, metadata }: SavedDraft["draftVersion"]) {
  return { schemaVersion, regions, blocks, scriptBindings, metadata };
}

export function saveCases(provider: Provider): void {
  describe("saving a draft", () => {
    it(
      "returns the draft, its id, the validation and the layout (R44, R50, R90)",
      inWorld(provider, async ({ service, reader, newForm, save, clock }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        clock.advance(1000);
        const saved = await save(layoutId, intake);
        expect(saved.draftVersion).toMatchObject({
          id: saved.draftVersionId,
          layoutId,
          version: 1,
          status: "DRAFT",
          supportedModes: ["CREATE"],
          schemaVersion: 1,
          regions: [MAIN],
          ...intake,
          stagedFieldDefinitions: [],
          scriptBindings: [],
          metadata: null,
          sourceVersionId: null,
          createdAt: clock.now.toISOString(),
          publishedAt: null,
        });
        expect(saved.validation).toEqual({ state: "valid", errors: [], warnings: [] });
        expect(saved.draftVersion.validation).toEqual(saved.validation);
        expect(saved.stagedFieldDefinitions).toEqual([]);
        expect(saved.layout).toMatchObject({
          latestDraftVersionId: saved.draftVersionId,
          status: "DRAFT",
          updatedAt: clock.now.toISOString(),
        });
        expect(await service.getVersion({ layoutId, versionId: saved.draftVersionId })).toEqual(saved.draftVersion);
        expect(await reader.getLayout({ layoutId })).toEqual(saved.layout);
      }),
    );

    it(
      "replaces the whole draft (R51)",
      inWorld(provider, async ({ newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const binding = { id: "b1", scriptId: "rate_guard", hook: "onRender" };
        await save(layoutId, { ...intake, scriptBindings: [binding], metadata: { owner: "talent" } });
        const second = await save(layoutId, { blocks: fieldBlocks("notes") });
        expect(contentOf(second.draftVersion)).toEqual({
          schemaVersion: 1,
          regions: [MAIN],
          blocks: fieldBlocks("notes"),
          scriptBindings: [],
          metadata: null,
        });
      }),
    );

    it(
      "gives each saved draft a new id, removes the previous draft, and keeps the version number (R45)",
      inWorld(provider, async ({ service, newForm, save }) => {
        const form = await newForm(["CREATE"]);
        const layoutId = form.viewLayoutId;
        const [first] = await service.listVersions({ layoutId });
        const second = await save(layoutId, intake);
        const third = await save(layoutId, intake);
        expect(new Set([first!.id, second.draftVersionId, third.draftVersionId]).size).toBe(3);
        expect(third.draftVersion.version).toBe(1);
        expect(await service.listVersions({ layoutId })).toEqual([third.draftVersion]);
        const gone = await refusal(service.getVersion({ layoutId, versionId: second.draftVersionId }));
        expect(gone.status).toBe(404);
      }),
    );

    it(
      "keeps unknown members at every depth",
      inWorld(provider, async ({ newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const extra = { "x-team": { a: [1, { b: null }] } };
        const block: Block = {
          ...fieldBlocks("full_name")[0]!,
          ...extra,
          ref: { fieldKey: "full_name", ...extra },
          grid: { colSpan: 6, ...extra },
          config: { label: "Name", ...extra },
          modeConfig: { CREATE: { hint: "x" } },
          children: [],
        };
        const body = {
          regions: [{ ...MAIN, config: extra, ...extra }],
          blocks: [block],
          scriptBindings: [
            { id: "b1", scriptId: "rate_guard", hook: "onRender", target: extra, config: extra, ...extra },
          ],
          metadata: extra,
        };
        const { draftVersion } = await save(layoutId, body);
        expect(contentOf(draftVersion)).toEqual({ schemaVersion: 1, ...body });
      }),
    );

    it(
      "adds ids to blocks and bindings without one, at every depth",
      inWorld(provider, async ({ newForm, save, service }) => {
        const { viewLayoutId: layoutId } = await newForm(["VIEW"]);
        const [name, notes] = fieldBlocks("full_name", "notes").map(({ id: _id, ...block }) => block);
        const section: Block = {
          type: "section",
          source: "system",
          regionKey: "main",
          config: { label: "All" },
          children: [name!, { ...notes!, id: "mine" }],
        };
        const { draftVersion } = await save(layoutId, {
          blocks: [section],
          scriptBindings: [
            { scriptId: "rate_guard", hook: "onRender" },
            { id: "b1", scriptId: "rate_guard", hook: "onRender" },
          ],
        });
        const [saved] = draftVersion.blocks;
        const ids = [saved!.id, ...saved!.children!.map((child) => child.id)];
        expect(ids).toEqual([expect.any(String), expect.any(String), "mine"]);
        expect(new Set(ids).size).toBe(3);
        expect(draftVersion.scriptBindings.map((binding) => binding.id)).toEqual([expect.any(String), "b1"]);
        expect(saved).toMatchObject(section);
        expect(await service.getVersion({ layoutId, versionId: draftVersion.id })).toEqual(draftVersion);
      }),
    );

    it(
      "reports a draft as valid, valid with warnings, or invalid (R48, R49)",
      inWorld(provider, async ({ newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        expect((await save(layoutId, intake)).validation.state).toBe("valid");

        const [name, email] = fieldBlocks("full_name", "email");
        const weaker = await save(layoutId, { blocks: [{ ...name!, requiredPolicy: "optional" }, email!] });
        expect(weaker.validation).toMatchObject({ state: "valid_with_warnings", errors: [] });
        expect(weaker.validation.warnings).toMatchObject([
          { code: "REQUIRED_POLICY_WEAKER", severity: "warning", blockId: "f_full_name" },
        ]);

        const broken = await save(layoutId, { blocks: [{ ...name!, regionKey: "mian" }, email!] });
        expect(broken.validation.state).toBe("invalid");
        expect(broken.validation.errors).toContainEqual(
          expect.objectContaining({ code: "REGION_UNKNOWN", severity: "error", path: "blocks[0].regionKey" }),
        );
      }),
    );

    it(
      "saves an invalid draft, and refuses only to publish it (R48)",
      inWorld(provider, async ({ service, newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const saved = await save(layoutId, { blocks: fieldBlocks("nothing_such") });
        expect(saved.validation.state).toBe("invalid");
        expect(await service.listVersions({ layoutId })).toEqual([saved.draftVersion]);
      }),
    );

    it(
      "checks a form's draft for the current modes of the form (R59)",
      inWorld(provider, async ({ service, newForm, save }) => {
        const form = await newForm(["VIEW"]);
        const blocks = fieldBlocks("notes");
        expect((await save(form.viewLayoutId, { blocks })).validation.state).toBe("valid");
        await service.updateForm({ ...CANDIDATE, formId: form.id, body: { types: ["VIEW", "CREATE"] } });
        const { validation, draftVersion } = await save(form.viewLayoutId, { blocks });
        expect(codesOf(validation.errors)).toEqual(["REQUIRED_FIELD_MISSING", "REQUIRED_FIELD_MISSING"]);
        expect(draftVersion.supportedModes).toEqual(["VIEW", "CREATE"]);
      }),
    );

    it(
      "checks against the fields of the object or surface, and the scripts by key and id",
      inWorld(provider, async ({ local, newForm, newLayout, save }) => {
        const form = await newForm(["VIEW"]);
        expect(codesOf((await save(form.viewLayoutId, contractorDraft)).validation.errors)).toContain(
          "SOURCE_NOT_ALLOWED",
        );

        const card = await newLayout();
        expect((await save(card.id, contractorDraft)).validation.state).toBe("valid");
        const customs: Partial<DraftBody> = {
          blocks: [{ ...contractorDraft.blocks![0]!, ref: { fieldKey: "customs_id" } }],
        };
        const exports = await newLayout({ surface: "SALES_INVOICE", target: { scopeId: "export" } });
        expect((await save(exports.id, customs)).validation.state).toBe("valid");
        const others = await newLayout({ surface: "SALES_INVOICE", target: {} });
        expect(codesOf((await save(others.id, customs)).validation.errors)).toEqual(["FIELD_UNKNOWN"]);

        const [northwind] = (await local.show()).organizations.filter((one) => one.key === "northwind");
        const guard = northwind!.scripts.find((script) => script.key === "rate_guard")!;
        const bind = (scriptId: string) => ({ scriptId, hook: "onBlockRender", target: { blockId: "f_risk" } });
        const scriptBindings = [bind(guard.key), bind(guard.id), bind("no_such_script")];
        const { validation } = await save(card.id, { ...contractorDraft, scriptBindings });
        expect(validation.warnings).toMatchObject([{ code: "BINDING_SCRIPT_UNKNOWN" }]);
        expect(validation.warnings[0]!.path).toMatch(/^scriptBindings\[2\]/);
      }),
    );
  });

  describe("saving a draft over the one that is expected", () => {
    it(
      "succeeds if the expected draft is current",
      inWorld(provider, async ({ newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const first = await save(layoutId, intake);
        const saveOver = () => save(layoutId, { ...intake, expectedDraftVersionId: first.draftVersionId });
        if (await isNotAccepted(provider, "saveDraft", ["expectedDraftVersionId"], saveOver)) return;
        const second = await saveOver();
        expect(second.draftVersionId).not.toBe(first.draftVersionId);
      }),
    );

    it(
      "is refused if another draft was saved in the meantime, and names that draft",
      inWorld(provider, async ({ service, newForm, save, mutation }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const first = await save(layoutId, intake);
        const second = await save(layoutId, { blocks: [] });
        const { clientMutationId } = mutation();
        const late = { ...intake, clientMutationId, expectedDraftVersionId: first.draftVersionId };
        const saveLate = () => save(layoutId, late);
        if (await isNotAccepted(provider, "saveDraft", ["expectedDraftVersionId"], saveLate)) return;
        const refused = await refusal(saveLate());
        expect(refused).toEqual(conflictOf("DRAFT_STALE"));
        expect(refused.body).toMatchObject({
          clientMutationId,
          meta: { currentDraftVersionId: second.draftVersionId },
        });
        expect(await service.listVersions({ layoutId })).toEqual([second.draftVersion]);
      }),
    );

    it(
      "is refused after the expected draft was published",
      inWorld(provider, async ({ newForm, publishNew, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const { versionId } = await publishNew(layoutId, intake);
        const saveLate = () => save(layoutId, { ...intake, expectedDraftVersionId: versionId });
        if (await isNotAccepted(provider, "saveDraft", ["expectedDraftVersionId"], saveLate)) return;
        const refused = await refusal(saveLate());
        expect(refused).toEqual(conflictOf("DRAFT_STALE"));
        expect(refused.body.meta).toEqual({ currentDraftVersionId: null });
      }),
    );

    it(
      "of null succeeds without a draft, and is refused with one",
      inWorld(provider, async ({ service, newForm, publishNew, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        await publishNew(layoutId, intake);
        const saveFirst = () => save(layoutId, { ...intake, expectedDraftVersionId: null });
        if (await isNotAccepted(provider, "saveDraft", ["expectedDraftVersionId"], saveFirst)) return;
        const first = await saveFirst();
        const refused = await refusal(save(layoutId, { blocks: [], expectedDraftVersionId: null }));
        expect(refused).toEqual(conflictOf("DRAFT_STALE"));
        expect(refused.body.meta).toEqual({ currentDraftVersionId: first.draftVersionId });
        expect((await service.listVersions({ layoutId }))[0]).toEqual(first.draftVersion);
      }),
    );
  });

  describe("a draft of the wrong shape", () => {
    const block = fieldBlocks("full_name")[0]!;
    const staged = { draftId: "d1", action: "create", name: "PO", key: "po", type: "TEXT" };
    const binding = { scriptId: "rate_guard", hook: "onRender" };
    const wrong: [what: string, members: Record<string, unknown>, fields: string[]][] = [
      ["no clientMutationId", { clientMutationId: undefined }, ["clientMutationId"]],
      ["no schemaVersion", { schemaVersion: undefined }, ["schemaVersion"]],
      ["another schemaVersion", { schemaVersion: 2 }, ["schemaVersion"]],
      ["no regions", { regions: undefined }, ["regions"]],
      ["no blocks", { blocks: undefined }, ["blocks"]],
      ["an unknown member", { block: [] }, ["block"]],
      ["metadata that is text", { metadata: "x" }, ["metadata"]],
      ["a region without a key", { regions: [{ layout: "grid" }] }, ["regions[0].key"]],
      ["a region of an unknown layout", { regions: [{ ...MAIN, layout: "flow" }] }, ["regions[0].layout"]],
      ["a region with half a column", { regions: [{ ...MAIN, columns: 1.5 }] }, ["regions[0].columns"]],
      ["a region without columns to put anything in", { regions: [{ ...MAIN, columns: 0 }] }, ["regions[0].columns"]],
      ["a region key with a slash", { regions: [{ ...MAIN, key: "a/b" }] }, ["regions[0].key"]],
      ["a block of an unknown type", { blocks: [{ ...block, type: "input" }] }, ["blocks[0].type"]],
      ["a block without a source", { blocks: [{ ...block, source: undefined }] }, ["blocks[0].source"]],
      ["an id that is invalid in a path", { blocks: [{ ...block, id: ".." }] }, ["blocks[0].id"]],
      [
        "a child of an unknown type",
        { blocks: [{ ...block, children: [{}] }] },
        ["blocks[0].children[0].type", "blocks[0].children[0].source"],
      ],
      ["a mode that is none", { blocks: [{ ...block, supportedModes: ["PRINT"] }] }, ["blocks[0].supportedModes[0]"]],
      ["a policy that is none", { blocks: [{ ...block, requiredPolicy: "maybe" }] }, ["blocks[0].requiredPolicy"]],
      ["a column span that is text", { blocks: [{ ...block, grid: { colSpan: "6" } }] }, ["blocks[0].grid.colSpan"]],
      [
        "a staged field without an action",
        { stagedFieldDefinitions: [{ ...staged, action: undefined }] },
        ["stagedFieldDefinitions[0].action"],
      ],
      [
        "a new field without name, key and type",
        { stagedFieldDefinitions: [{ draftId: "d1", action: "create" }] },
        ["stagedFieldDefinitions[0].name", "stagedFieldDefinitions[0].key", "stagedFieldDefinitions[0].type"],
      ],
      [
        "a field key in capitals",
        { stagedFieldDefinitions: [{ ...staged, key: "PO" }] },
        ["stagedFieldDefinitions[0].key"],
      ],
      [
        "a field of another scope",
        { stagedFieldDefinitions: [{ ...staged, scopeId: "export" }] },
        ["stagedFieldDefinitions[0].scopeId"],
      ],
      [
        "a binding without a script",
        { scriptBindings: [{ ...binding, scriptId: "" }] },
        ["scriptBindings[0].scriptId"],
      ],
      ["a binding without a hook", { scriptBindings: [{ scriptId: "rate_guard" }] }, ["scriptBindings[0].hook"]],
    ];
    it.each(wrong)("with %s is refused, and nothing is saved", (_what, members, fields) =>
      inWorld(provider, async ({ service, newForm, save }) => {
        const { viewLayoutId: layoutId } = await newForm(["CREATE"]);
        const before = await service.listVersions({ layoutId });
        const refused = await refusal(save(layoutId, members));
        expect(refused).toEqual(invalidAt(...fields));
        expect(refused.body.clientMutationId).toBe("clientMutationId" in members ? undefined : "layouts-case-1");
        expect(await service.listVersions({ layoutId })).toEqual(before);
      })(),
    );
  });
}
