/** The preview of a content: labels, order, positions, problems and changes. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildPreview } from "../../src/preview/build.ts";
import type { Preview, PreviewBlock } from "../../src/preview/model.ts";
import { inMode } from "../../src/preview/modes.ts";
import { allBlocks, allProblems } from "../../src/preview/walk.ts";
import type { CatalogField, LayoutCatalog } from "../../src/schemas/catalog.ts";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import type { Block, DraftContent, Region } from "../../src/schemas/draft.ts";
import { anyKnown, soundDraft, wildDraft } from "../arbitraries/draft.ts";
import { propertyRuns } from "../effort.ts";

const MAIN: Region = { key: "main", label: "Main", layout: "grid", columns: 12 };

function contentOf(blocks: Block[], members: Partial<DraftContent> = {}): DraftContent {
  return {
    schemaVersion: 1,
    regions: [MAIN],
    blocks,
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
    ...members,
  };
}

function field(id: string, members: Partial<Block> = {}): Block {
  return { id, type: "field", source: "dynamic_field", ref: { fieldKey: id }, regionKey: "main", ...members };
}

function group(id: string, type: string, children: Block[], members: Partial<Block> = {}): Block {
  return { id, type, source: "system", regionKey: "main", children, ...members };
}

const NAME: CatalogField = {
  id: "fld_1",
  key: "name",
  name: "Full name",
  type: "TEXT",
  isRequired: true,
  hasDefault: false,
  valueCount: 0,
  options: [],
};

function previewOf(content: DraftContent, catalog: LayoutCatalog = {}, before?: DraftContent): Preview {
  const problems = checkDraft(content, catalog);
  const compareWith = before && { content: before, name: "version 1" };
  return buildPreview({ title: "Test", content, catalog, problems, compareWith });
}

const blocksOf = ({ regions }: Preview): PreviewBlock[] => regions.flatMap(({ blocks }) => allBlocks(blocks));
const blockOf = (preview: Preview, id: string) => blocksOf(preview).find((block) => block.id === id)!;
const ids = (blocks: readonly PreviewBlock[]) => blocks.map(({ id }) => id);

describe("labels and fields", () => {
  it.each<[string, Partial<Block>, string, boolean]>([
    ["its label", { config: { label: "Label", title: "Title" } }, "Label", true],
    ["its title", { config: { label: " ", title: "Title" } }, "Title", true],
    ["the name of its field", {}, "Full name", true],
    ["the key of what it shows", { ref: { fieldKey: "unknown" } }, "unknown", true],
    ["words for its type", { type: "relation_table", source: "system", ref: {} }, "Relation table", false],
  ])("names a block by %s", (_, members, label, isLabelled) => {
    const preview = previewOf(contentOf([field("name", members)]), { fields: [NAME] });
    expect(blockOf(preview, "name")).toMatchObject({ label, isLabelled });
  });

  it("has the type of a known field, and whether the field requires a value", () => {
    const known = blockOf(previewOf(contentOf([field("name")]), { fields: [NAME] }), "name");
    expect(known).toMatchObject({ isRequired: true, field: { key: "name", type: "TEXT", staged: undefined } });
    const unknown = blockOf(previewOf(contentOf([field("name")])), "name");
    expect(unknown).toMatchObject({ isRequired: false, field: { key: "name", name: undefined, type: undefined } });
  });

  it.each(["required", "system_locked"])("requires a value for the policy %s", (requiredPolicy) => {
    const preview = previewOf(contentOf([field("a", { requiredPolicy, config: { readOnly: true } }), field("b")]));
    expect(blockOf(preview, "a")).toMatchObject({ isRequired: true, isReadOnly: true });
    expect(blockOf(preview, "b")).toMatchObject({ isRequired: false, isReadOnly: false });
  });

  it("names the staged change of a field", () => {
    const create = { draftId: "d_1", action: "create", name: "PO", key: "po", type: "NUMBER" };
    const remove = { draftId: "d_2", action: "delete", key: "name" };
    const blocks = [
      field("po", { source: "draft_custom_field", ref: { draftFieldDefinitionId: "d_1" } }),
      field("name"),
    ];
    const preview = previewOf(contentOf(blocks, { stagedFieldDefinitions: [create, remove] }), { fields: [NAME] });
    expect(blockOf(preview, "po")).toMatchObject({
      label: "PO",
      field: { key: "po", type: "NUMBER", staged: "create" },
    });
    expect(blockOf(preview, "name").field?.staged).toBe("delete");
  });

  it("has the columns of a table, and the text of a custom_html block without tags and scripts", () => {
    const html = "<p>Read&nbsp;the <b>terms</b></p><script>alert(1)</script>";
    const blocks = [
      field("t", { type: "relation_table", config: { columns: ["label", { key: "amount" }, 3] } }),
      group("h", "custom_html", [], { config: { html } }),
    ];
    const preview = previewOf(contentOf(blocks));
    expect(blockOf(preview, "t").columns).toEqual(["label", "amount"]);
    expect(blockOf(preview, "h").text).toBe("Read the terms");
  });
});

describe("order, positions and modes", () => {
  it("sorts regions and blocks by display order, and keeps the order of the list for equal ones", () => {
    const regions = [
      { ...MAIN, displayOrder: 2 },
      { key: "top", layout: "stack", displayOrder: 1 },
    ];
    const blocks = [field("c", { displayOrder: 2 }), field("a", { displayOrder: 1 }), field("b", { displayOrder: 1 })];
    const preview = previewOf(contentOf(blocks, { regions }));
    expect(preview.regions.map(({ key, label }) => [key, label])).toEqual([
      ["top", "top"],
      ["main", "Main"],
    ]);
    expect(ids(preview.regions[1]!.blocks)).toEqual(["a", "b", "c"]);
  });

  it("keeps positions within the columns, and ignores invalid numbers", () => {
    const regions = [{ ...MAIN, columns: 6 }];
    const blocks = [
      field("a", { grid: { colSpan: 9, colStart: 5 } }),
      field("b", { grid: { colSpan: 2, colStart: 6, rowStart: 2, rowSpan: 3 } }),
      field("c", { grid: { colSpan: -1, colStart: 0.5 } }),
    ];
    const preview = previewOf(contentOf(blocks, { regions }));
    expect(preview.regions[0]!.blocks.map(({ grid }) => grid)).toEqual([
      { span: 6, start: 1, row: undefined, rowSpan: 1 },
      { span: 2, start: 5, row: 2, rowSpan: 3 },
      { span: 6, start: undefined, row: undefined, rowSpan: 1 },
    ]);
  });

  it("has 12 columns in a section, and one in a stack and a sidebar", () => {
    const regions = [MAIN, { key: "side", layout: "sidebar", columns: 4 }];
    const narrow = { colSpan: 4 };
    const blocks = [
      group("s", "section", [field("a", { grid: narrow })]),
      field("b", { regionKey: "side", grid: narrow }),
    ];
    const preview = previewOf(contentOf(blocks, { regions }));
    expect(blockOf(preview, "a").grid.span).toBe(4);
    expect(blockOf(preview, "b").grid.span).toBe(1);
    expect(preview.regions.map(({ columns, width }) => [columns, width])).toEqual([
      [12, 12],
      [1, 4],
    ]);
  });

  it("collects blocks of unknown regions in a last region", () => {
    const preview = previewOf(contentOf([field("a"), field("b", { regionKey: "gone" })]));
    expect(preview.regions.map(({ key, blocks }) => [key, ids(blocks)])).toEqual([
      ["main", ["a"]],
      ["", ["b"]],
    ]);
  });

  it("shows a block in the modes that it, its parents and the layout have", () => {
    const section = group("s", "section", [field("a", { supportedModes: ["CREATE", "VIEW"] })], {
      supportedModes: ["VIEW", "EDIT"],
    });
    expect(blockOf(previewOf(contentOf([section])), "a").modes).toEqual(["VIEW"]);
    expect(blockOf(previewOf(contentOf([section]), { modes: ["EDIT"] }), "a").modes).toEqual([]);
  });

  it("has the modes of the layout, or else those in which a block is shown", () => {
    const content = contentOf([field("a", { supportedModes: ["VIEW"] })]);
    expect(previewOf(content).modes).toEqual(["VIEW"]);
    expect(previewOf(content, { modes: ["VIEW", "EDIT"] }).modes).toEqual(["VIEW", "EDIT"]);
  });

  it("reduces a preview to one mode without losing a problem", () => {
    const section = group("s", "section", [field("a", { supportedModes: ["VIEW"], regionKey: "gone" })]);
    const preview = previewOf(contentOf([section, field("b", { supportedModes: ["EDIT"] })]));
    const reduced = inMode(preview, "EDIT");
    expect(ids(blocksOf(reduced))).toEqual(["s", "b"]);
    expect(blockOf(reduced, "b").modes).toEqual(["EDIT"]);
    expect(allProblems(reduced)).toHaveLength(allProblems(preview).length);
    expect(reduced.problems.map(({ code }) => code)).toContain("REGION_UNKNOWN");
  });
});

describe("problems", () => {
  it("assigns each problem to its block, its region, or the layout", () => {
    const regions = [MAIN, { key: "empty", layout: "grid", label: "Empty" }];
    const section = group("s", "section", [field("a", { grid: { colSpan: 99 } })], { config: { label: "S" } });
    const preview = previewOf(contentOf([section], { regions }), { modes: ["CREATE", "VIEW"], fields: [NAME] });
    const codes = (part: { problems: Preview["problems"] }) => part.problems.map(({ code }) => code).toSorted();
    expect(codes(blockOf(preview, "a"))).toEqual(["COLSPAN_EXCEEDS_COLUMNS", "FIELD_UNKNOWN"]);
    expect(codes(blockOf(preview, "s"))).toEqual([]);
    expect(codes(preview.regions[1]!)).toEqual(["REGION_COLUMNS_MISSING", "REGION_EMPTY"]);
    expect(codes(preview)).toEqual(["REQUIRED_FIELD_MISSING"]);
  });

  it("assigns a problem without a path by the id of its block, and one with an unknown path to the layout", () => {
    const problem = { severity: "error", code: "X", message: "wrong" } as const;
    const problems = [
      { ...problem, blockId: "a" },
      { ...problem, path: "blocks[7].ref" },
      { ...problem, blockId: "none" },
    ];
    const preview = buildPreview({ title: "Test", content: contentOf([field("a")]), catalog: {}, problems });
    expect(blockOf(preview, "a").problems).toEqual([problems[0]]);
    expect(preview.problems).toEqual(problems.slice(1));
  });
});

describe("changes", () => {
  const before = contentOf([
    group("deal", "section", [field("a"), field("b"), field("c")], { config: { label: "Deal" } }),
    group("old", "section", [field("d")]),
    field("e", { config: { label: "E" }, grid: { colSpan: 6 } }),
  ]);

  it("marks added, changed and moved blocks with their differences", () => {
    const after = contentOf([
      group("deal", "section", [field("c"), field("a"), field("b")], { config: { label: "Deal" } }),
      group("old", "section", [field("d")]),
      field("e", { config: { label: "É" }, grid: { colSpan: 6, colStart: 2 }, requiredPolicy: "required" }),
      field("f"),
    ]);
    const preview = previewOf(after, {}, before);
    expect(blockOf(preview, "c").change).toEqual({ kind: "moved", details: ['moved from position 3 in "Deal"'] });
    expect(blockOf(preview, "e").change?.kind).toBe("changed");
    expect(blockOf(preview, "e").change?.details.toSorted()).toEqual([
      "grid.colStart: not set → 2",
      'label: "E" → "É"',
      'requiredPolicy: not set → "required"',
    ]);
    expect(blockOf(preview, "f").change).toEqual({ kind: "added", details: [] });
    expect(["a", "b", "d", "old", "deal"].map((id) => blockOf(preview, id).change)).toEqual(Array(5).fill(undefined));
    expect(preview.comparedWith).toBe("version 1");
  });

  it("keeps removed blocks at their old place, with the blocks in them", () => {
    const after = contentOf([
      group("deal", "section", [field("a"), field("c")], { config: { label: "Deal" } }),
      field("e"),
    ]);
    const preview = previewOf(after, {}, before);
    expect(ids(preview.regions[0]!.blocks)).toEqual(["deal", "old", "e"]);
    expect(ids(blockOf(preview, "deal").children)).toEqual(["a", "b", "c"]);
    expect(blockOf(preview, "b")).toMatchObject({
      path: "removed:blocks[0].children[1]",
      change: { kind: "removed", details: [] },
    });
    expect(ids(blockOf(preview, "old").children)).toEqual(["d"]);
    expect(blockOf(preview, "d").change?.kind).toBe("removed");
  });

  it("shows a block once that moved out of a removed section", () => {
    const preview = previewOf(contentOf([field("d")]), {}, before);
    expect(blocksOf(preview).filter(({ id }) => id === "d")).toMatchObject([
      { path: "blocks[0]", change: { kind: "moved", details: ['moved from position 1 in "Section"'] } },
    ]);
    expect(ids(blockOf(preview, "old").children)).toEqual([]);
  });

  it("marks removed regions with their blocks, and changes of scripts", () => {
    const regions = [MAIN, { key: "side", layout: "sidebar", label: "Side" }];
    const old = contentOf([field("a"), field("x", { regionKey: "side" })], { regions });
    const binding = { id: "bind", scriptId: "guard", hook: "onRender" };
    const preview = previewOf(contentOf([field("a")], { scriptBindings: [binding] }), {}, old);
    expect(preview.regions.map(({ path, change }) => [path, change?.kind])).toEqual([
      ["regions[0]", undefined],
      ["removed:regions[1]", "removed"],
    ]);
    expect(ids(preview.regions[1]!.blocks)).toEqual(["x"]);
    expect(preview.changes).toMatchObject([{ kind: "added", path: "scriptBindings[0]" }]);
  });

  it("shows a removed block once if several regions have the key of its region", () => {
    const preview = previewOf(contentOf([], { regions: [MAIN, MAIN] }), {}, contentOf([field("a")]));
    expect(ids(blocksOf(preview))).toEqual(["a"]);
  });

  it("ignores default values that a server adds", () => {
    const saved = contentOf([field("a", { requiredPolicy: "optional", children: [], displayOrder: 0 })]);
    expect(blocksOf(previewOf(contentOf([field("a")]), {}, saved)).map(({ change }) => change)).toEqual([undefined]);
  });
});

describe("random drafts", () => {
  const pathsOf = (blocks: readonly Block[], at: string): string[] =>
    blocks.flatMap((block, index) => [`${at}[${index}]`, ...pathsOf(block.children ?? [], `${at}[${index}].children`)]);

  it("shows each block and each problem exactly once", () => {
    fc.assert(
      fc.property(wildDraft, anyKnown, (content, catalog) => {
        const preview = previewOf(content, catalog);
        expect(
          blocksOf(preview)
            .map(({ path }) => path)
            .toSorted(),
        ).toEqual(pathsOf(content.blocks, "blocks").toSorted());
        const texts = (problems: readonly object[]) => problems.map((problem) => JSON.stringify(problem)).toSorted();
        expect(texts(allProblems(preview))).toEqual(texts(checkDraft(content, catalog)));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("shows each existing block once, and all paths once, when it is compared with any other draft", () => {
    fc.assert(
      fc.property(wildDraft, wildDraft, anyKnown, (content, old, catalog) => {
        const preview = previewOf(content, catalog, old);
        const paths = blocksOf(preview).map(({ path }) => path);
        expect(new Set(paths).size).toBe(paths.length);
        const existing = paths.filter((path) => !path.startsWith("removed:"));
        expect(existing.toSorted()).toEqual(pathsOf(content.blocks, "blocks").toSorted());
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("has no changes compared with the same draft, and shows as removed what the reverse shows as added", () => {
    const changed = (preview: Preview, kind: string) =>
      blocksOf(preview)
        .flatMap(({ id, change }) => (id !== undefined && change?.kind === kind ? [id] : []))
        .toSorted();
    fc.assert(
      fc.property(soundDraft, soundDraft, ({ draft: one }, { draft: other }) => {
        expect(blocksOf(previewOf(one, {}, one)).every(({ change }) => change === undefined)).toBe(true);
        expect(changed(previewOf(one, {}, other), "removed")).toEqual(changed(previewOf(other, {}, one), "added"));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
