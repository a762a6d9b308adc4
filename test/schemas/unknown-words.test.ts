/**
 * Checks drafts with words that only another server knows. Each word is a warning. No other check applies to such a
 * word.
 */

import { describe, expect, it } from "vitest";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import { checkWords } from "../../src/schemas/draft-checks/unknown-words.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { Draft, DraftFile, OpenDraftFile } from "../../src/schemas/draft-schema.ts";
import { LayoutCreate, OpenLayoutCreate } from "../../src/schemas/layout-schema.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { aBinding, aBlock, aDraft, aField, aRegion, aStaged, KNOWN, NAME, withBlocks } from "./example-drafts.ts";

const codesOf = (draft: DraftContent) => checkDraft(draft, KNOWN).map(({ code }) => code);
const ONE_TYPE = ["BLOCK_TYPE_UNKNOWN"];

describe("a block of an unknown type", () => {
  const kanban = (more: Partial<Block> = {}) => aBlock("kanban", { id: "k", ...more });

  it.each<[string, DraftContent]>([
    ["is in a region", withBlocks(kanban())],
    ["is in tabs", withBlocks(aBlock("tabs", { children: [kanban()] }))],
    [
      "is in a tabs region",
      aDraft({
        regions: [aRegion(), aRegion({ key: "strip", label: "S", layout: "tabs", columns: null, displayOrder: 1 })],
        blocks: [NAME, kanban({ regionKey: "strip" })],
      }),
    ],
    ["is in a field", withBlocks(aField("notes", { children: [kanban()] }))],
    ["holds a column", withBlocks(kanban({ children: [aBlock("column", { children: [aField("notes")] })] }))],
    ["holds a tab", withBlocks(kanban({ children: [aBlock("tab", { children: [aField("notes")] })] }))],
    ["holds a wide block", withBlocks(kanban({ children: [aField("notes", { grid: { colSpan: 24 } })] }))],
    ["takes from a source that its surface lacks", withBlocks(kanban({ source: "dashboard" }))],
    ["takes from a source that needs a ref", withBlocks(kanban({ source: "dynamic_field" }))],
    ["shows a field that does not exist", withBlocks(kanban({ source: "dynamic_field", ref: { fieldKey: "none" } }))],
    [
      "shows a field next to its input",
      withBlocks(kanban({ source: "dynamic_field", ref: { fieldKey: "full_name" } })),
    ],
    [
      "may show what a script is bound to",
      { ...withBlocks(kanban()), scriptBindings: [aBinding({ target: { fieldKey: "lane" } })] },
    ],
    [
      "shows a staged field",
      {
        ...withBlocks(kanban({ source: "draft_custom_field", ref: { draftFieldDefinitionId: "d_po" } })),
        stagedFieldDefinitions: [aStaged()],
      },
    ],
  ])("causes only a warning if it %s", (_, draft) => {
    expect(codesOf(draft)).toEqual(ONE_TYPE);
  });

  it("does not hide problems of other blocks", () => {
    expect(codesOf(withBlocks(kanban(), aField("none")))).toEqual([...ONE_TYPE, "FIELD_UNKNOWN"]);
    expect(codesOf(withBlocks(kanban(), aBlock("column", { children: [aField("notes")] })))).toContain(
      "NESTING_NOT_ALLOWED",
    );
  });

  it("counts as a possible input of each mode", () => {
    const draft = aDraft({ blocks: [kanban({ regionKey: "main" })] });
    expect(checkDraft(draft, { modes: ["CREATE", "VIEW", "EDIT"] }).map(({ code }) => code)).toEqual(ONE_TYPE);
  });
});

describe("the words of a draft", () => {
  const draft = {
    ...withBlocks(
      aBlock("section", { children: [aBlock("feild", { source: "formula", requiredPolicy: "sometimes" })] }),
      aField("none"),
    ),
    schemaVersion: 3,
  };

  it("are checked without the other rules, each at its position", () => {
    expect(checkWords(draft).map(({ severity, code, path }) => [severity, code, path])).toEqual([
      ["warning", "SCHEMA_VERSION_UNKNOWN", "schemaVersion"],
      ["warning", "BLOCK_TYPE_UNKNOWN", "blocks[1].children[0].type"],
      ["warning", "BLOCK_SOURCE_UNKNOWN", "blocks[1].children[0].source"],
      ["warning", "REQUIRED_POLICY_UNKNOWN", "blocks[1].children[0].requiredPolicy"],
    ]);
    expect(checkWords(draft)[1]?.message).toBe(
      'formctl does not know the block type "feild". Did you mean "field"? The server decides',
    );
  });

  it("are accepted in a file for a server, and refused for our engine", () => {
    const file = JSON.parse(JSON.stringify(draft)) as object;
    expect(readShape(OpenDraftFile, file)).toEqual({ ok: true, value: draft });
    const refused = readShape(DraftFile, file);
    expect(refused.ok ? [] : refused.problems.map(({ path }) => path)).toEqual([
      "schemaVersion",
      "blocks[1].children[0].type",
      "blocks[1].children[0].source",
      "blocks[1].children[0].requiredPolicy",
    ]);
    expect(readShape(Draft, { ...file, clientMutationId: "m" }).ok).toBe(false);
  });

  it.each([
    ["a type that is no text", { type: 1 }],
    ["an empty type", { type: "" }],
    ["no type", { type: undefined }],
    ["a child of a wrong shape", { children: [{ type: "field" }] }],
  ])("are refused in either file if they are %s", (_, members) => {
    for (const schema of [OpenDraftFile, DraftFile])
      expect(readShape(schema, withBlocks({ ...aField("notes"), ...members } as Block)).ok).toBe(false);
  });

  it("may include a mode that only the server knows", () => {
    const workspace = withBlocks(aField("notes", { supportedModes: ["WORKSPACE"] }));
    expect(readShape(OpenDraftFile, workspace).ok).toBe(true);
    expect(readShape(DraftFile, workspace).ok).toBe(false);
  });

  it("do not include the layouts of regions", () => {
    expect(readShape(OpenDraftFile, aDraft({ regions: [aRegion({ layout: "carousel" })] })).ok).toBe(false);
  });

  it("are limited in number in either file", () => {
    const many = aDraft({ blocks: Array.from({ length: 10_001 }, () => aBlock("kanban")) });
    expect(readShape(OpenDraftFile, many)).toMatchObject({
      ok: false,
      problems: [{ path: "blocks", message: "must have at most 10000 blocks including children, not 10001" }],
    });
  });
});

describe("a surface that formctl does not know", () => {
  const layout = { surface: "PAGE_X", supportedModes: ["VIEW"], target: { entityId: "e_1" }, name: "Page" };

  it("may have any target on a server, and is refused by our engine", () => {
    expect(readShape(OpenLayoutCreate, layout).ok).toBe(true);
    expect(readShape(LayoutCreate, layout)).toMatchObject({ ok: false, problems: [{ path: "surface" }] });
  });

  it("does not change the targets of surfaces that formctl knows", () => {
    expect(readShape(OpenLayoutCreate, { ...layout, surface: "DASHBOARD" })).toMatchObject({
      ok: false,
      problems: [{ path: "target.dashboardKey" }, { path: "target.entityId" }],
    });
  });
});
