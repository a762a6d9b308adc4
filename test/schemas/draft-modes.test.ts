import { describe, expect, it } from "vitest";
import { toValidation } from "../../src/schemas/diagnostic.ts";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import { contentOfMode, workingModes } from "../../src/schemas/draft-modes.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import type { Mode } from "../../src/schemas/form.ts";
import {
  aBinding,
  aBlock,
  aDraft,
  aField,
  aRegion,
  aStaged,
  FIELDS,
  KNOWN,
  NAME,
  withBlocks,
} from "./example-drafts.ts";

const ALL: Mode[] = ["CREATE", "VIEW", "EDIT"];

/** Returns a tree of ids: `["a", ["b"]]` is a block `a` with a child `b`. */
function ids(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => (block.children ? [block.id, ids(block.children)] : block.id));
}

describe("contentOfMode", () => {
  const section = aBlock("section", {
    id: "s",
    supportedModes: ["VIEW", "EDIT"],
    children: [
      aField("notes", { supportedModes: ["EDIT", "CREATE"] }),
      aField("phone"),
      aBlock("column", { id: "c", supportedModes: ["CREATE"], children: [aField("level")] }),
    ],
  });

  it("keeps the blocks that are effective in the mode, with what is inside of them", () => {
    const draft = withBlocks(section);
    expect(ids(contentOfMode(draft, "EDIT", ALL).blocks)).toEqual(["f_full_name", ["s", ["f_notes", "f_phone"]]]);
    expect(ids(contentOfMode(draft, "VIEW", ALL).blocks)).toEqual(["f_full_name", ["s", ["f_phone"]]]);
    expect(ids(contentOfMode(draft, "CREATE", ALL).blocks)).toEqual(["f_full_name"]);
    expect(contentOfMode(draft, "EDIT", ["VIEW"]).blocks).toEqual([]);
  });

  it("keeps everything else of a block and of the draft, and nothing that is staged or bound", () => {
    const draft: DraftContent = {
      ...withBlocks(aField("notes", { extra: { kept: true } })),
      stagedFieldDefinitions: [aStaged()],
      scriptBindings: [aBinding()],
      metadata: { owner: "ops" },
    };
    expect(contentOfMode(draft, "VIEW", ALL)).toEqual({ ...draft, stagedFieldDefinitions: [], scriptBindings: [] });
  });

  it("does not make a mistake of a tab strip whose tabs are for other modes", () => {
    const tab = aBlock("tab", { supportedModes: ["VIEW"], children: [aField("notes")] });
    const draft = aDraft({
      regions: [aRegion(), aRegion({ key: "strip", layout: "tabs", columns: null, displayOrder: 1 })],
      blocks: [
        NAME,
        aBlock("tabs", { regionKey: "main", displayOrder: 1, children: [tab] }),
        { ...tab, regionKey: "strip", children: [aField("phone")] },
      ],
    });
    expect(checkDraft(draft, KNOWN)).toEqual([]);
    for (const mode of ALL) {
      const { errors } = toValidation(checkDraft(contentOfMode(draft, mode, ALL), { ...KNOWN, modes: [mode] }));
      expect(errors).toEqual([]);
    }
  });

  it("shows that a mode was broken by the object, and only that mode", () => {
    const draft = withBlocks(aField("notes", { supportedModes: ["EDIT"] }));
    const broken = ALL.filter((mode) => {
      const fields = FIELDS.filter((field) => field.key !== "notes");
      const diagnostics = checkDraft(contentOfMode(draft, mode, ALL), { ...KNOWN, modes: [mode], fields });
      return toValidation(diagnostics).state === "invalid";
    });
    expect(broken).toEqual(["EDIT"]);
  });
});

describe("workingModes", () => {
  const only = (...blocks: Block[]) => aDraft({ blocks: blocks.map((block) => ({ ...block, regionKey: "main" })) });
  const cases: [about: string, draft: DraftContent, works: Mode[]][] = [
    ["nothing", only(), []],
    ["containers alone", only(aBlock("section", { children: [aBlock("column")] })), []],
    ["a field", only(aField("notes")), ALL],
    ["a field that is only shown", only(aField("notes", { config: { readOnly: true } })), ["VIEW"]],
    ["text on the page", only(aField("intro")), ["VIEW"]],
    ["content that is no field", only(aBlock("comments")), ["VIEW"]],
    [
      "a relation table",
      only(aBlock("relation_table", { source: "dynamic_relation", ref: { relationFieldKey: "items" } })),
      ALL,
    ],
    [
      "a field in a section for VIEW",
      only(aBlock("section", { supportedModes: ["VIEW"], children: [aField("notes")] })),
      ["VIEW"],
    ],
    ["a built-in field", only(aBlock("field", { source: "built_in", ref: { builtInFieldKey: "name" } })), ALL],
  ];

  it.each(cases)("with %s", (_about, draft, works) => {
    expect(workingModes(draft, ALL, FIELDS)).toEqual(works);
  });

  it("are modes of the layout", () => {
    expect(workingModes(only(aField("notes")), ["EDIT"], FIELDS)).toEqual(["EDIT"]);
  });

  it("count every field if types are unknown", () => {
    expect(workingModes(only(aField("intro")), ALL)).toEqual(ALL);
  });
});
