/** Edits of contents: what they change, what they keep, and what they refuse. Properties hold for any content. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentChanges } from "../../src/contents/compare.ts";
import {
  addRegion,
  addSection,
  findBlocks,
  moveBlocks,
  removeBlocks,
  renameField,
  replaceBlocks,
  walkBlocks,
} from "../../src/migrations/edits.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { soundDraft, wildDraft } from "../arbitraries/draft.ts";
import { content } from "./transform-scene.ts";

const anySound = soundDraft.map(({ draft }) => draft).filter(({ regions }) => regions.length > 0);
const RUNS = { numRuns: 200 };

const all = () => true;
const idsOf = (draft: DraftContent) => findBlocks(draft, all).map(({ id }) => id);
const kept = { type: "custom_html", source: "system", config: { label: "Text" } } satisfies Block;

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** Two sections and a sidebar: `email` is in a column of the first section. */
function page(): DraftContent {
  const [phone, email, notes] = content({ phone: "Phone", email: "E-mail", notes: "Notes" }).blocks as [
    Block,
    Block,
    Block,
  ];
  const inside = ({ regionKey: _outer, ...block }: Block): Block => block;
  const column: Block = { id: "column", type: "column", source: "system", children: [inside(email)] };
  const section: Block = {
    id: "section",
    type: "section",
    source: "system",
    regionKey: "main",
    config: { label: "Contact" },
  };
  return {
    ...content({}),
    regions: [
      { key: "main", label: "Main", layout: "stack" },
      { key: "side", label: "Side", layout: "sidebar" },
    ],
    blocks: [
      { ...section, children: [inside(phone), column] },
      { ...notes, regionKey: "side" },
    ],
    scriptBindings: [
      { id: "s_1", scriptId: "rate_guard", hook: "fieldChange", target: { fieldKey: "email" } },
      { id: "s_2", scriptId: "rate_guard", hook: "onBlockRender", target: { blockId: "b_phone" } },
    ],
  };
}

it("visits each block with its parent, its region and its path", () => {
  const seen: unknown[] = [];
  walkBlocks(page(), ({ id }, { parent, region, path }) => seen.push([id, parent?.id, region, path]));
  expect(seen).toEqual([
    ["section", undefined, "main", "blocks[0]"],
    ["b_phone", "section", "main", "blocks[0].children[0]"],
    ["column", "section", "main", "blocks[0].children[1]"],
    ["b_email", "column", "main", "blocks[0].children[1].children[0]"],
    ["b_notes", undefined, "side", "blocks[1]"],
  ]);
});

it("finds blocks by their members", () => {
  const ids = (select: Parameters<typeof findBlocks>[1]) => findBlocks(page(), select).map(({ id }) => id);
  expect(ids({ type: "field", region: "main" })).toEqual(["b_phone", "b_email"]);
  expect(ids({ field: "notes" })).toEqual(["b_notes"]);
  expect(ids({ label: "Contact", source: "system" })).toEqual(["section"]);
  expect(ids(({ children }) => children !== undefined)).toEqual(["section", "column"]);
  expect(ids({ id: "b_phone", region: "side" })).toEqual([]);
});

describe("replaceBlocks", () => {
  it("keeps the id and the region of the replaced block", () => {
    const after = replaceBlocks(page(), { field: "notes" }, kept);
    expect(after.blocks[1]).toEqual({ ...kept, id: "b_notes", regionKey: "side" });
    expect(contentChanges(after, page()).every(({ path }) => path.startsWith("blocks[1]"))).toBe(true);
  });

  it("replaces a block by several ones, with the ids that they have", () => {
    const after = replaceBlocks(page(), { field: "email" }, (block) => [block, { ...kept, id: "new" }]);
    expect(idsOf(after)).toEqual(["section", "b_phone", "column", "b_email", "new", "b_notes"]);
  });

  it("continues with the children of a block that stays as it is", () => {
    const after = replaceBlocks(page(), all, (block) =>
      block.type === "field" ? { ...block, grid: { colSpan: 6 } } : undefined,
    );
    expect(findBlocks(after, ({ grid }) => grid?.colSpan === 6).map(({ id }) => id)).toEqual([
      "b_phone",
      "b_email",
      "b_notes",
    ]);
  });

  it("refuses to remove a block that a script binding refers to", () => {
    expect(() => removeBlocks(page(), { field: "phone" })).toThrow(
      'the script binding rate_guard (onBlockRender) refers to the block "b_phone", which is removed',
    );
    expect(idsOf(removeBlocks(page(), { field: "email" }))).not.toContain("b_email");
  });

  it("returns the same content if nothing matches, and removes exactly what matches", () => {
    fc.assert(
      fc.property(wildDraft.map(withoutBindings), fc.nat(), (draft, at) => {
        frozen(draft);
        expect(replaceBlocks(draft, () => false, kept)).toBe(draft);
        const blocks = findBlocks(draft, all);
        const chosen = blocks[at % Math.max(blocks.length, 1)];
        const after = removeBlocks(draft, (block) => block === chosen);
        const inside = chosen ? 1 + findBlocks({ ...draft, blocks: chosen.children ?? [] }, all).length : 0;
        expect(findBlocks(after, all)).toHaveLength(blocks.length - inside);
      }),
      RUNS,
    );
  });
});

function withoutBindings(draft: DraftContent): DraftContent {
  return { ...draft, scriptBindings: [] };
}

describe("renameField", () => {
  it("renames references, targets of script bindings and staged changes, and removes ids of the field", () => {
    const before = page();
    const [section] = before.blocks as [Block];
    const block = section.children![1]!.children![0]!;
    block.ref = { fieldKey: "email", fieldId: "fld_1", fieldDefinitionId: "fld_1" };
    before.stagedFieldDefinitions = [{ draftId: "d_1", action: "create", key: "email", name: "E-mail", type: "EMAIL" }];
    const after = renameField(frozen(before), "email", "work_email");
    expect(findBlocks(after, { id: "b_email" })[0]!.ref).toEqual({ fieldKey: "work_email" });
    expect(after.scriptBindings[0]!.target).toEqual({ fieldKey: "work_email" });
    expect(after.stagedFieldDefinitions[0]!.key).toBe("work_email");
    expect(JSON.stringify(after)).not.toContain('"email"');
  });

  it("refuses an invalid key, a key that the layout shows, and a staged change with the id of the field", () => {
    expect(() => renameField(page(), "email", "Work e-mail")).toThrow('"Work e-mail" is not a valid key of a field');
    expect(() => renameField(page(), "email", "phone")).toThrow("the layout shows both email and phone");
    const staged = { draftId: "d_1", action: "update", key: "email", existingFieldDefinitionId: "fld_1" } as const;
    expect(() => renameField({ ...page(), stagedFieldDefinitions: [staged] }, "email", "mail")).toThrow(
      "the staged change d_1 names the field email by its id",
    );
  });

  it("changes only blocks that show the field, and back again", () => {
    fc.assert(
      fc.property(anySound, fc.nat(), (draft, at) => {
        frozen(draft);
        const keys = findBlocks(draft, all).flatMap(({ ref }) => ref?.fieldKey ?? ref?.relationFieldKey ?? []);
        const key = keys[at % Math.max(keys.length, 1)];
        expect(renameField(draft, "absent", "other")).toBe(draft);
        if (key === undefined) return;
        const after = renameField(draft, key, "renamed");
        const changed = contentChanges(after, draft);
        const shown = findBlocks(draft, { field: key });
        expect(new Set(changed.map(({ id }) => id))).toEqual(new Set(shown.map(({ id }) => id)));
        expect(idsOf(after)).toEqual(idsOf(draft));
        expect(renameField(after, "renamed", key)).toEqual(draft);
      }),
      RUNS,
    );
  });
});

describe("addRegion and addSection", () => {
  it("add at the end, or at a position", () => {
    const withRegion = addRegion(page(), { key: "top", label: "Top", layout: "stack" }, { before: "main" });
    expect(withRegion.regions.map(({ key }) => key)).toEqual(["top", "main", "side"]);
    const section = { id: "more", label: "More", region: "main", blocks: [kept] };
    expect(addSection(page(), section).blocks.map(({ id }) => id)).toEqual(["section", "b_notes", "more"]);
    expect(addSection(page(), { ...section, after: "section" }).blocks.map(({ id }) => id)).toEqual([
      "section",
      "more",
      "b_notes",
    ]);
    const inside = addSection(page(), { id: "more", label: "More", into: "column", blocks: [], columns: 2 });
    expect(findBlocks(inside, { id: "column" })[0]!.children![1]).toEqual({
      id: "more",
      type: "section",
      source: "system",
      config: { label: "More", columns: 2 },
      children: [],
    });
  });

  it("refuse an unknown region or block, and two targets", () => {
    const section = { id: "more", label: "More", blocks: [kept] };
    expect(() => addSection(page(), { ...section, region: "mian" })).toThrow('unknown region "mian"');
    expect(() => addSection(page(), { ...section, into: "absent" })).toThrow('unknown block "absent"');
    expect(() => addSection(page(), { ...section, region: "main", after: "column" })).toThrow('has no block "column"');
    expect(() => addSection(page(), section)).toThrow("specify either region or into");
    expect(() => addRegion(page(), { key: "top", layout: "stack" }, { before: "bottom" })).toThrow(
      'unknown region "bottom"',
    );
  });

  it("add once, and are undone by a removal", () => {
    fc.assert(
      fc.property(anySound, (draft) => {
        frozen(draft);
        const section = { id: "(new)", label: "New", region: draft.regions[0]!.key, blocks: [kept] };
        const after = addSection(draft, section);
        expect(addSection(after, section)).toBe(after);
        expect(contentChanges(after, draft).map(({ kind }) => kind)).toEqual(["added", "added"]);
        expect(removeBlocks(after, { id: "(new)" })).toEqual(draft);
      }),
      RUNS,
    );
  });
});

describe("moveBlocks", () => {
  it("moves blocks with their children to the end of a region or block, without those that are there", () => {
    const after = moveBlocks(page(), ({ id }) => id === "column" || id === "b_notes" || id === "b_email", {
      region: "side",
    });
    expect(after.blocks.map(({ id, regionKey }) => [id, regionKey])).toEqual([
      ["section", "main"],
      ["b_notes", "side"],
      ["column", "side"],
    ]);
    const into = moveBlocks(page(), { field: "notes" }, { into: "column" });
    expect(findBlocks(into, { id: "column" })[0]!.children!.map(({ id, regionKey }) => [id, regionKey])).toEqual([
      ["b_email", undefined],
      ["b_notes", undefined],
    ]);
  });

  it("refuses an unknown target, and a block inside of itself", () => {
    expect(() => moveBlocks(page(), { field: "notes" }, { region: "sied" })).toThrow('unknown region "sied"');
    expect(() => moveBlocks(page(), { field: "notes" }, { into: "absent" })).toThrow('unknown block "absent"');
    expect(() => moveBlocks(page(), { id: "section" }, { into: "column" })).toThrow(
      '"column" can\'t be moved into itself',
    );
  });

  it("numbers the blocks of a server as before", () => {
    const numbered = structuredClone(page());
    numbered.blocks.forEach((block, index) => (block.displayOrder = index));
    const after = moveBlocks(numbered, { id: "column" }, { region: "side" });
    expect(after.blocks.map(({ displayOrder }) => displayOrder)).toEqual([0, 1, 2]);
  });

  it("keeps every block, and changes nothing the second time", () => {
    fc.assert(
      fc.property(anySound, fc.array(fc.nat(), { maxLength: 4 }), fc.nat(), (draft, chosen, at) => {
        frozen(draft);
        const blocks = findBlocks(draft, all);
        const ids = new Set(chosen.map((index) => blocks[index % Math.max(blocks.length, 1)]?.id));
        const isChosen = ({ id }: Block) => ids.has(id);
        const region = draft.regions[at % draft.regions.length]!.key;
        const after = moveBlocks(draft, isChosen, { region });
        expect(new Set(idsOf(after))).toEqual(new Set(idsOf(draft)));
        expect(findBlocks(after, all)).toHaveLength(blocks.length);
        const regions = new Set<unknown>();
        walkBlocks(after, (block, place) => isChosen(block) && regions.add(place.region));
        expect([...regions].filter((each) => each !== region)).toEqual([]);
        const again = moveBlocks(after, isChosen, { region });
        expect(again).toBe(after);
      }),
      RUNS,
    );
  });
});
