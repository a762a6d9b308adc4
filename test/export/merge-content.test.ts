/**
 * Merges of a layout file with the target. Checks the meaning of the result, and which parts of the file keep their
 * text.
 */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toYaml } from "../../src/documents/write-yaml.ts";
import { readDocument } from "../../src/documents/document.ts";
import { editYaml } from "../../src/documents/edit-yaml.ts";
import { sameContent } from "../../src/contents/compare.ts";
import { contentForFile } from "../../src/export/exported.ts";
import { type LayoutSides, mergeContent } from "../../src/export/merge-content.ts";
import { Merging } from "../../src/export/merge-values.ts";
import { identityOf } from "../../src/documents/item-identity.ts";
import { substitute, escapePlaceholders } from "../../src/manifests/read/environment.ts";
import { contentOf } from "../../src/lists/versions.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { isJsonObject, type JsonObject } from "../../src/schemas/json.ts";
import { soundDraft } from "../arbitraries/draft.ts";
import { anyLayoutEdits as edits, editedLayout as edited, numbered } from "../arbitraries/layout-edits.ts";
import { propertyRuns } from "../effort.ts";

/** A content from a server: each block has an id. */
const content = soundDraft.map(({ draft }) => {
  let count = 0;
  const name = (blocks: readonly Block[]): Block[] =>
    blocks.map(({ id, ...block }) => ({
      id: id ?? `blk_${count++}`,
      ...block,
      ...(block.children && { children: name(block.children) }),
    }));
  return { ...draft, blocks: name(draft.blocks) };
});

const anyContent = fc.tuple(content, fc.boolean()).map(([plain, isNumbered]) => (isNumbered ? numbered(plain) : plain));

/** Removes the ids of some blocks: a file may leave ids to the server. */
function withoutIds(before: DraftContent, every: number): DraftContent {
  const bound = new Set(before.scriptBindings.map(({ target }) => target?.blockId));
  let count = 0;
  const strip = (blocks: readonly Block[]): Block[] =>
    blocks.map(({ id, ...block }) => ({
      ...(bound.has(id) || count++ % every > 0 ? { id } : {}),
      ...block,
      ...(block.children && { children: strip(block.children) }),
    }));
  return { ...before, blocks: strip(before.blocks) };
}

function merge(file: DraftContent, target: DraftContent, base: DraftContent | undefined) {
  const merging = new Merging();
  const raw = escaped(contentForFile(file)) as JsonObject;
  const merged = mergeContent({ ...sidesOf(raw, target), base }, merging, []);
  return { raw, merged, meant: meaning(merged), conflicts: merging.conflicts };
}

function sidesOf(raw: JsonObject, target: DraftContent): LayoutSides {
  const isApplied = () => false;
  return {
    raw,
    file: meaning(raw),
    target,
    base: undefined,
    surface: "DYNAMIC_OBJECT",
    isApplied,
    read: meaning,
  };
}

function idsIn(blocks: unknown): unknown[] {
  const list = (blocks ?? []) as { id?: string; children?: unknown }[];
  return list.flatMap(({ id, children }) => [...(id === undefined ? [] : [id]), ...idsIn(children)]);
}

/** Escapes placeholders: in a file, other text must not look like a placeholder. */
function escaped(value: unknown): unknown {
  if (typeof value === "string") return escapePlaceholders(value);
  if (Array.isArray(value)) return value.map(escaped);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escaped(member)]));
}

/** The content of a file after the substitution of placeholders. */
function meaning(value: JsonObject): DraftContent {
  return contentOf(substitute({ value, text: JSON.stringify(value) }, {}).value as JsonObject);
}

describe("a layout file", () => {
  it("means the target if the base is unknown, and contains no block twice", () => {
    fc.assert(
      fc.property(anyContent, edits, fc.integer({ min: 2, max: 5 }), (before, list, every) => {
        const target = edited(before, list);
        const { merged, meant, conflicts } = merge(withoutIds(before, every), target, undefined);
        expect(conflicts).toEqual([]);
        const ids = idsIn(merged["blocks"]);
        expect(new Set(ids).size).toBe(ids.length);
        expect(sameContent(meant, target)).toBe(true);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it("means the target also if it was a different layout", () => {
    fc.assert(
      fc.property(anyContent, anyContent, (before, target) => {
        expect(sameContent(merge(before, target, undefined).meant, target)).toBe(true);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("takes the changes of the target", () => {
    fc.assert(
      fc.property(anyContent, edits, fc.integer({ min: 2, max: 5 }), (before, list, every) => {
        const file = withoutIds(before, every);
        const target = edited(before, list);
        const { meant, conflicts } = merge(file, target, file);
        expect(conflicts).toEqual([]);
        expect(sameContent(meant, target)).toBe(true);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it("stays as it is if only the file has changed", () => {
    fc.assert(
      fc.property(anyContent, edits, (before, list) => {
        const { raw, merged, conflicts } = merge(edited(before, list), before, before);
        expect(conflicts).toEqual([]);
        expect(merged).toEqual(raw);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it("becomes a text with the merged value", () => {
    fc.assert(
      fc.property(anyContent, edits, edits, (before, mine, others) => {
        const text = toYaml(contentForFile(edited(before, mine)));
        const { merged } = merge(edited(before, mine), edited(before, others), before);
        expect(readDocument(editYaml(text, 0, merged, identityOf), "").value).toEqual(
          JSON.parse(JSON.stringify(merged)),
        );
      }),
      { numRuns: propertyRuns(1000) },
    );
  });
});

describe("a result that does not mean the target", () => {
  const [before, target] = ["A", "B"].map((label) =>
    contentOf({ regions: [], blocks: [{ id: "a", type: "custom_html", source: "system", config: { label } }] }),
  ) as [DraftContent, DraftContent];

  it.each<[string, LayoutSides["read"]]>([
    ["another content", () => before],
    ["an invalid layout", () => undefined],
  ])("is refused: %s", (_what, read) => {
    const merging = new Merging();
    const raw = contentForFile(before);
    expect(mergeContent({ ...sidesOf(raw, target), read }, merging, ["layout"])).toBe(raw);
    expect(merging.conflicts).toEqual([{ path: "layout", message: expect.stringContaining("Export it") as string }]);
    expect(mergeContent(sidesOf(raw, target), new Merging(), [])).toEqual(contentForFile(target));
  });
});

it("a placeholder that loses its meaning is a conflict with its path, also in a block that only the file has", () => {
  const section = (id: string, more: object): Block => ({ id, type: "section", source: "system", ...more });
  const layout = (...blocks: Block[]) => contentOf({ regions: [], blocks });
  const raw = {
    ...contentForFile(layout()),
    blocks: [
      section("s", {
        regionKey: "main",
        children: [section("t", { children: [section("u", { regionKey: "${REGION}" })] })],
      }),
    ],
  } as unknown as JsonObject;
  const read = (value: JsonObject) =>
    contentOf(substitute({ value, text: JSON.stringify(value) }, { REGION: "main" }).value as JsonObject);
  const target = layout(section("s", { regionKey: "side" }));
  const base = layout(section("s", { regionKey: "main" }));
  const merging = new Merging();
  mergeContent({ ...sidesOf(raw, target), file: read(raw), base, read }, merging, []);
  expect(merging.conflicts).toEqual([
    {
      path: "blocks[0].children[0].children[0].regionKey",
      message: "contains ${REGION}, whose value differs from the target",
    },
  ]);
});

describe("two changes", () => {
  const field = (id: string, label: string, more: object = {}): Block => ({
    id,
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey: id },
    config: { label },
    ...more,
  });
  const layout = (...blocks: Block[]): DraftContent => contentOf({ blocks, regions: [] });
  const base = layout(field("a", "A"), field("b", "B"), field("c", "C"));
  const labels = ({ blocks }: JsonObject) => (blocks as Block[]).map(({ id, config }) => [id, config?.["label"]]);

  it.each<[string, DraftContent, DraftContent, unknown, string[]]>([
    [
      "of different blocks are both kept",
      layout(field("a", "mine"), field("b", "B"), field("c", "C")),
      layout(field("a", "A"), field("b", "theirs"), field("c", "C")),
      [
        ["a", "mine"],
        ["b", "theirs"],
        ["c", "C"],
      ],
      [],
    ],
    [
      "of one member are a conflict and leave it as the file has it",
      layout(field("a", "mine"), field("b", "B"), field("c", "C")),
      layout(field("a", "theirs"), field("b", "theirs"), field("c", "C")),
      [
        ["a", "mine"],
        ["b", "theirs"],
        ["c", "C"],
      ],
      ["blocks[0].config.label"],
    ],
    [
      "that are equal are not a conflict",
      layout(field("a", "same"), field("b", "B"), field("c", "C")),
      layout(field("a", "same"), field("b", "B"), field("c", "C")),
      [
        ["a", "same"],
        ["b", "B"],
        ["c", "C"],
      ],
      [],
    ],
    [
      "of which one deletes what the other has not changed are both kept",
      layout(field("a", "mine"), field("c", "C")),
      layout(field("a", "A"), field("b", "B")),
      [["a", "mine"]],
      [],
    ],
    [
      "of which one deletes what the other changes are a conflict",
      layout(field("a", "A"), field("c", "mine")),
      layout(field("a", "A"), field("b", "theirs")),
      [
        ["a", "A"],
        ["c", "mine"],
      ],
      ["blocks[1]", "blocks"],
    ],
    [
      "that add and move are both kept",
      layout(field("a", "A"), field("x", "X"), field("b", "B"), field("c", "C")),
      layout(field("c", "C"), field("a", "A"), field("b", "B"), field("y", "Y")),
      [
        ["c", "C"],
        ["a", "A"],
        ["x", "X"],
        ["b", "B"],
        ["y", "Y"],
      ],
      [],
    ],
  ])("%s", (_title, file, target, expected, conflicts) => {
    const result = merge(file, target, base);
    expect(labels(result.merged)).toEqual(expected);
    expect(result.conflicts.map(({ path }) => path)).toEqual(conflicts);
  });

  it("of different members of one object are both kept", () => {
    const withHint = (label: string, hint: string) => layout(field("a", label, { config: { label, hint } }));
    const { merged, conflicts } = merge(withHint("mine", "Hint"), withHint("A", "theirs"), withHint("A", "Hint"));
    expect(conflicts).toEqual([]);
    expect(merged["blocks"]).toMatchObject([{ config: { label: "mine", hint: "theirs" } }]);
  });

  it("of the placement of one block are a conflict and leave it as the file has it", () => {
    const file = layout(field("a", "A", { displayOrder: 5 }), field("b", "B", { regionKey: "main" }), field("c", "C"));
    const target = layout(
      field("a", "A", { displayOrder: 7 }),
      field("b", "B", { regionKey: "side" }),
      field("c", "C", { displayOrder: 9 }),
    );
    const { merged, conflicts } = merge(file, target, base);
    expect(conflicts.map(({ path }) => path)).toEqual(["blocks[0].displayOrder", "blocks[1].regionKey"]);
    expect(merged["blocks"]).toMatchObject([{ displayOrder: 5 }, { regionKey: "main" }, { displayOrder: 9 }]);
  });

  it("are one conflict where one moves a block that the other changes", () => {
    const section = (id: string, ...children: Block[]): Block => ({ id, type: "section", source: "system", children });
    const before = layout(section("s", field("a", "A")), section("t", field("b", "B")));
    const file = layout(section("s", field("a", "mine")), section("t", field("b", "B")));
    const target = layout(section("s"), section("t", field("b", "B"), field("a", "A")));
    const { raw, merged, conflicts } = merge(file, target, before);
    expect(merged).toBe(raw);
    expect(conflicts).toEqual([
      { path: "", message: "the layout has a block that was moved on one side and changed on the other" },
    ]);
  });
});
