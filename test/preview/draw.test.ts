/** The terminal drawing of a preview. Drawings of the northwind layouts are in layouts-preview.test.ts. */

import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { buildPreview } from "../../src/preview/build.ts";
import { drawPreview } from "../../src/preview/drawing/draw.ts";
import type { Preview } from "../../src/preview/model.ts";
import { allBlocks, allProblems } from "../../src/preview/walk.ts";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import type { Block, DraftContent, Region } from "../../src/schemas/draft.ts";
import { visible } from "../../src/terminal/escape.ts";
import { coloured, plain } from "../../src/terminal/style.ts";
import { textWidth } from "../../src/terminal/width.ts";
import { anyKnown, wildDraft } from "../arbitraries/draft.ts";
import { propertyRuns } from "../effort.ts";

const anyPreview = fc
  .record({ content: wildDraft, catalog: anyKnown, old: fc.option(wildDraft) })
  .map(({ content, catalog, old }) => {
    const compareWith = old ? { content: old, name: "version 1" } : undefined;
    return buildPreview({ title: "Test", content, catalog, problems: checkDraft(content, catalog), compareWith });
  });

/** Removes what a line break in a box adds: spaces and borders. */
const squeezed = (text: string) => text.replace(/[\s│┌┐└┘╭╮╰╯─╌╎━]/g, "");

function draw(preview: Preview, width: number, ascii = false): string {
  return drawPreview(preview, { width, style: plain, ascii });
}

describe("random drafts", () => {
  it("draws no line that is wider than the terminal", () => {
    fc.assert(
      fc.property(anyPreview, fc.integer({ min: 24, max: 220 }), fc.boolean(), (preview, width, ascii) => {
        for (const line of draw(preview, width, ascii).split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("draws the same text with and without colours", () => {
    fc.assert(
      fc.property(anyPreview, fc.integer({ min: 24, max: 120 }), (preview, width) => {
        const inColour = drawPreview(preview, { width, style: coloured, ascii: false });
        const trimmed = stripVTControlCharacters(inColour).replace(/ +$/gm, "");
        expect(trimmed).toBe(draw(preview, width));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("shows every label and every problem completely", () => {
    fc.assert(
      fc.property(anyPreview, (preview) => {
        const shown = squeezed(draw(preview, 40));
        const blocks = preview.regions.flatMap((region) => [region, ...allBlocks(region.blocks)]);
        for (const block of blocks) {
          if ("isLabelled" in block && !block.isLabelled) continue;
          expect(shown).toContain(squeezed(visible(block.label)));
        }
        for (const { message } of allProblems(preview)) expect(shown).toContain(squeezed(visible(message)));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

const REGION: Region = { key: "main", label: "Main", layout: "grid", columns: 12 };

function drawn(blocks: Block[], width: number, regions: Region[] = [REGION]): string[] {
  const content: DraftContent = {
    schemaVersion: 1,
    regions,
    blocks: blocks.map((block) => ({ regionKey: "main", ...block })),
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
  const preview = buildPreview({ title: "Test", content, catalog: {}, problems: [] });
  return draw(preview, width).trimEnd().split("\n").slice(3);
}

function leaf(label: string, grid: Block["grid"] = {}): Block {
  return { type: "button", source: "system", config: { label }, grid };
}

describe("the grid", () => {
  it("draws blocks next to each other by their columns, and continues in the next row", () => {
    const blocks = [leaf("A", { colSpan: 6 }), leaf("B", { colSpan: 3 }), leaf("C", { colSpan: 6 })];
    expect(drawn(blocks, 60).join("\n")).toMatchInlineSnapshot(`
      "━━ Main ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      ╭─ A ────────────────────────╮ ╭─ B ─────────────╮
      │ button                     │ │ button          │
      ╰────────────────────────────╯ ╰─────────────────╯
      ╭─ C ────────────────────────╮
      │ button                     │
      ╰────────────────────────────╯"
    `);
  });

  it("leaves the columns before colStart free", () => {
    expect(drawn([leaf("A", { colSpan: 6, colStart: 7 })], 60)[1]).toMatch(/^ {31}╭─ A ─+╮$/);
  });

  it("draws all blocks one below the other on a narrow terminal", () => {
    const lines = drawn([leaf("A", { colSpan: 6 }), leaf("B", { colSpan: 6 })], 40);
    expect(lines.filter((line) => /^╭─ [AB] ─{34}╮$/.test(line))).toHaveLength(2);
  });

  it("widens blocks that would be too narrow", () => {
    const lines = drawn(
      Array.from({ length: 6 }, (_, index) => leaf(`B${index}`, { colSpan: 2 })),
      60,
    );
    expect(lines[1]!.match(/╭/g)).toHaveLength(3);
  });

  it("draws a dashboard block over the rows that it spans", () => {
    const board: Region = { ...REGION, layout: "dashboard_grid" };
    const blocks = [
      leaf("Tall", { colSpan: 6, colStart: 1, rowStart: 1, rowSpan: 2 }),
      leaf("Upper", { colSpan: 6, colStart: 7, rowStart: 1 }),
      leaf("Lower", { colSpan: 6, colStart: 7, rowStart: 2 }),
    ];
    expect(drawn(blocks, 60, [board]).join("\n")).toMatchInlineSnapshot(`
      "━━ Main ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      ╭─ Tall ─────────────────────╮ ╭─ Upper ───────────────────╮
      │ button                     │ │ button                    │
      │                            │ ╰───────────────────────────╯
      │                            │ ╭─ Lower ───────────────────╮
      │                            │ │ button                    │
      ╰────────────────────────────╯ ╰───────────────────────────╯"
    `);
  });

  it("moves a block to a later row if its position is taken", () => {
    const board: Region = { ...REGION, layout: "dashboard_grid" };
    const position = { colSpan: 12, colStart: 1, rowStart: 1 };
    const lines = drawn([leaf("One", position), leaf("Two", position)], 60, [board]);
    expect(lines.filter((line) => line.startsWith("╭"))).toHaveLength(2);
  });
});

describe("texts", () => {
  it("aligns borders after wide characters", () => {
    const lines = drawn([leaf("氏名", { colSpan: 6 }), leaf("🎉 é", { colSpan: 6 })], 60);
    expect(lines.slice(1).map((line) => stringWidth(line))).toEqual([60, 60, 60]);
  });

  it("wraps a label that does not fit into the border", () => {
    const lines = drawn([leaf("a label that is longer than its block", { colSpan: 4 })], 60);
    expect(lines.slice(1, 5).map((line) => line.trim())).toEqual([
      "╭─────────────────╮",
      expect.stringContaining("a label that is"),
      expect.stringContaining("longer than its"),
      expect.stringContaining("block"),
    ]);
  });

  it("makes control characters of labels visible", () => {
    expect(drawn([leaf("\u001B[31mred\u202E")], 60)[1]).toContain("\\u001b[31mred\\u202e");
  });

  it("uses only ASCII characters with ascii", () => {
    const preview = buildPreview({
      title: "Test",
      content: {
        schemaVersion: 1,
        regions: [REGION, { key: "t", label: "T", layout: "tabs" }],
        blocks: [
          { ...leaf("A"), id: "a", regionKey: "main", config: { label: "B" } },
          { type: "tab", source: "system", regionKey: "t", config: { label: "Tab" }, children: [leaf("C")] },
          { type: "section", source: "system", regionKey: "main", children: [leaf("D")] },
        ],
        stagedFieldDefinitions: [],
        scriptBindings: [],
        metadata: null,
      },
      catalog: {},
      problems: [{ severity: "error", code: "X", message: "m".repeat(500), path: "blocks[0]" }],
      compareWith: {
        content: {
          schemaVersion: 1,
          regions: [REGION],
          blocks: [
            { ...leaf("A"), id: "a", regionKey: "main" },
            { ...leaf("Z"), id: "z", regionKey: "main" },
          ],
          stagedFieldDefinitions: [],
          scriptBindings: [],
          metadata: null,
        },
        name: "version 1",
      },
    });
    expect(draw(preview, 80)).toContain("━");
    // oxlint-disable-next-line no-control-regex
    expect(draw(preview, 80, true)).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it("draws only the open tab if there is no room for the titles of all tabs", () => {
    const tabs = Array.from({ length: 9 }, (_, index) => ({
      type: "tab",
      source: "system",
      config: { label: `Tab number ${index}` },
      children: [leaf("In")],
    }));
    const lines = drawn(tabs, 60, [{ ...REGION, layout: "tabs" }]);
    expect(lines[1]).toBe("Tab number 0 tab 1 of 9");
  });
});

it.each([1e12, -1, 0.1])("draws a grid with %s columns, which a file or a server may contain", (columns) => {
  const content: DraftContent = {
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", displayOrder: 0, columns }],
    blocks: [{ id: "a", type: "field", source: "dynamic_field", ref: { fieldKey: "a" }, regionKey: "main" }],
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
  };
  const preview = buildPreview({ title: "Test", content, catalog: {}, problems: [] });
  const lines = draw(preview, 80).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(preview.regions[0]!.columns).toBeLessThanOrEqual(1_000);
});
