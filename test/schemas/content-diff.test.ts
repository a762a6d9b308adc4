import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyLayoutEdits, editedLayout } from "../arbitraries/layout-edits.ts";
import { timed } from "../cpu-time.ts";
import { addMissingIds } from "../../src/contents/ids.ts";
import { diffContent } from "../../src/schemas/content-diff.ts";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { canonicalJson, toJson } from "../../src/schemas/json.ts";
import { renderDiff } from "../../src/terminal/diff.ts";
import { plain } from "../../src/terminal/style.ts";
import { json } from "../documents/arbitrary-json.ts";

const field = (id: string, more: object = {}) => ({ id, type: "field", ...more });
const blocks = (...list: object[]) => ({ blocks: list });
const lines = (before: unknown, after: unknown) => renderDiff(diffContent(before, after), plain).trim().split("\n");

describe("diffContent", () => {
  it("returns no changes for equal contents, for any order of their members", () => {
    expect(diffContent({ a: 1, b: { c: [1], d: null } }, { b: { d: null, c: [1] }, a: 1 })).toEqual([]);
    fc.assert(
      fc.property(json, (value) => {
        expect(diffContent(value, structuredClone(value))).toEqual([]);
      }),
    );
  });

  it("returns changes for different values", () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        fc.pre(canonicalJson(a) !== canonicalJson(b));
        expect(diffContent({ list: [a, 1] }, { list: [b, 1] })).not.toEqual([]);
      }),
    );
  });

  it("identifies a block by its id", () => {
    expect(lines(blocks(field("a"), field("b", { label: "B" })), blocks(field("b", { label: "C" })))).toEqual([
      "- blocks[0] (a): field",
      '~ blocks[0].label (b): "B" → "C"',
    ]);
  });

  it("returns the fewest moves that explain an order", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => field(id));
    expect(lines(blocks(a!, b!, c!, d!), blocks(d!, a!, b!, c!))).toEqual(["> blocks[0] (d): moved from blocks[3]"]);
  });

  it("returns a move to another parent as a move, with other changes of the block", () => {
    const before = blocks(field("a", { label: "A" }), { id: "tabs", type: "tabs", children: [] });
    const after = blocks({ id: "tabs", type: "tabs", children: [field("a", { label: "B" })] });
    expect(diffContent(before, after)).toEqual([
      { kind: "moved", path: "blocks[0].children[0]", id: "a", before: "blocks[0]", after: "blocks[0].children[0]" },
      { kind: "changed", path: "blocks[0].children[0].label", id: "a", before: "A", after: "B" },
    ]);
  });

  it("returns blocks that were wrapped into a new section as moved, and the section as added", () => {
    const after = blocks({ id: "s", type: "section", children: [field("a"), field("b")] });
    expect(lines(blocks(field("a"), field("b")), after)).toEqual([
      "+ blocks[0] (s): section",
      "> blocks[0].children[0] (a): moved from blocks[0]",
      "> blocks[0].children[1] (b): moved from blocks[1]",
    ]);
  });

  it("identifies regions by key, staged fields by draftId and bindings by id", () => {
    const content = (columns: number, name: string, hook: string) => ({
      regions: [{ key: "main", columns }],
      stagedFieldDefinitions: [{ draftId: "main", name }],
      scriptBindings: [{ id: "main", hook }],
    });
    expect(lines(content(1, "A", "x"), content(2, "B", "y"))).toEqual([
      "~ regions[0].columns (main): 1 → 2",
      '~ stagedFieldDefinitions[0].name (main): "A" → "B"',
      '~ scriptBindings[0].hook (main): "x" → "y"',
    ]);
  });

  it("compares by position if ids are missing or repeated", () => {
    expect(lines(blocks({ type: "field" }), blocks({ type: "tab" }, { type: "field" }))).toEqual([
      '~ blocks[0].type: "field" → "tab"',
      "+ blocks[1]: field",
    ]);
    expect(lines(blocks(field("a"), field("a")), blocks(field("a"), field("a", { x: 1 })))).toEqual([
      "+ blocks[1].x: 1",
    ]);
  });

  it("returns the same changes if both contents share their equal blocks", () => {
    const listOf = (children: fc.Arbitrary<object[]>) =>
      fc.array(fc.record({ label: fc.constantFrom("A", "B"), children }), { maxLength: 4 });
    const trees = listOf(listOf(listOf(fc.constant([]))));
    let shared = 0;
    fc.assert(
      fc.property(trees, anyLayoutEdits, (tree, edits) => {
        const regions = [{ key: "main", label: "Main", layout: "grid" }];
        const before = addMissingIds({ regions, blocks: tree, scriptBindings: [] } as unknown as DraftContent, "b");
        const after = editedLayout(before, edits);
        const sharing = toJson(after, before) as DraftContent;
        if (sharing !== before && sharing.blocks.some((block) => before.blocks.includes(block))) shared++;
        expect(diffContent(before, sharing)).toEqual(diffContent(before, after));
      }),
      { numRuns: 2_000 },
    );
    expect(shared).toBeGreaterThan(200);
  });

  it("compares a list of words as one value", () => {
    expect(lines({ modes: ["VIEW"] }, { modes: ["VIEW", "EDIT"] })).toEqual(['~ modes: ["VIEW"] → ["VIEW","EDIT"]']);
  });

  it("distinguishes null from a missing member", () => {
    expect(lines({ config: null }, {})).toEqual(["- config: null"]);
    expect(lines({}, { config: null })).toEqual(["+ config: null"]);
  });

  it("compares ten thousand blocks in reverse order in time", async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => field(`b${index}`, { config: { index } }));
    const { result, busy } = await timed(() => diffContent(blocks(...many), blocks(...many.toReversed())));
    expect(result).toHaveLength(9999);
    expect(busy).toBeLessThan(3000);
  });
});

describe("renderDiff", () => {
  it("escapes invisible characters, and truncates long values", () => {
    const [line] = lines({ a: "x\u202Ey" }, { a: "z".repeat(500) });
    expect(line).toMatch(/^~ a: "x\\u202ey" → "z+…$/);
    expect(line!.length).toBeLessThan(160);
  });

  it("is empty if nothing changed", () => {
    expect(renderDiff([], plain)).toBe("");
  });
});
