import { describe, expect, it } from "vitest";
import { checkDraft } from "../../src/schemas/draft-checks.ts";
import type { CatalogField } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { cpuTime } from "../cpu-time.ts";
import { aBinding, aBlock, aDraft, aField, aKnownField, aRegion, aStaged, KNOWN } from "./example-drafts.ts";

type Sized = { draft: DraftContent; fields: readonly CatalogField[] };

/** Returns a valid draft whose sections have ten blocks each. Each field has one block for CREATE and one for VIEW. */
function rightDraft(blocks: number): Sized {
  const fields = Array.from({ length: blocks / 2 }, (_, index) => aKnownField(`field_${index}`, "TEXT"));
  const sections: Block[] = [];
  for (let at = 0; at < fields.length; at += 5) {
    const children = fields
      .slice(at, at + 5)
      .flatMap(({ key }) => [
        aField(key, { id: `c_${key}`, grid: { colSpan: 6 }, supportedModes: ["CREATE", "EDIT"] }),
        aField(key, { id: `v_${key}`, grid: { colSpan: 6 }, supportedModes: ["VIEW"] }),
      ]);
    sections.push(aBlock("section", { id: `s_${at}`, regionKey: "main", children }));
  }
  const scriptBindings = fields
    .slice(0, 200)
    .map(({ key }, index) => aBinding({ id: `b_${index}`, target: { fieldKey: key } }));
  return { draft: aDraft({ blocks: sections, scriptBindings }), fields };
}

/**
 * Returns a draft whose blocks all have the same place, order and field. A careless look-up would visit all of them
 * repeatedly.
 */
function crowdedDraft(blocks: number): Sized {
  const grid = { colStart: 1, colSpan: 12, rowStart: 1 };
  const draft = aDraft({
    regions: [aRegion({ layout: "dashboard_grid" })],
    blocks: Array.from({ length: blocks }, () =>
      aField("notes", { id: "same", regionKey: "main", displayOrder: 0, grid }),
    ),
    stagedFieldDefinitions: Array.from({ length: blocks / 100 }, () => aStaged({ key: "notes" })),
    scriptBindings: Array.from({ length: 200 }, () => aBinding({ target: { blockId: "smae" } })),
  });
  return { draft, fields: KNOWN.fields };
}

/** Checks drafts of 10,000 and 100,000 blocks. Returns the codes of the small draft. */
async function checkBothSizes(make: (blocks: number) => Sized): Promise<string[]> {
  const check = ({ draft, fields }: Sized) => checkDraft(draft, { ...KNOWN, fields });
  const [small, large] = [make(10_000), make(100_000)];
  const smallTime = await cpuTime(() => check(small));
  const largeTime = await cpuTime(() => check(large));
  expect(smallTime).toBeLessThan(1_000);
  // Ten times the blocks should take ten times the time. A look-up in all other blocks would take a hundred times the
  // time.
  expect(largeTime).toBeLessThan(40 * Math.max(smallTime, 5));
  return check(small).map(({ code }) => code);
}

describe("the time of a check grows with the draft and not with its square", () => {
  it("with a valid draft", async () => {
    expect(await checkBothSizes(rightDraft)).toEqual([]);
  });

  it("with all problems at one path", async () => {
    const codes = await checkBothSizes(crowdedDraft);
    expect(codes).toHaveLength(501);
    expect(new Set(codes)).toEqual(
      new Set(["BLOCK_ID_DUPLICATE", "FIELD_DUPLICATE", "GRID_OVERLAP", "DISPLAY_ORDER_TIE", "TOO_MANY_DIAGNOSTICS"]),
    );
  });

  it("with a full dashboard", async () => {
    const make = (blocks: number): Sized => {
      const tiles = Array.from({ length: blocks }, (_, index) => {
        const grid = { colStart: 1 + (index % 12), colSpan: 1, rowStart: 1 + Math.floor(index / 12) };
        return aBlock("custom_html", { regionKey: "main", displayOrder: blocks - index, grid });
      });
      return { draft: aDraft({ regions: [aRegion({ layout: "dashboard_grid" })], blocks: tiles }), fields: [] };
    };
    expect(await checkBothSizes(make)).toEqual(["MODE_NO_EDITABLE_FIELD", "MODE_NO_EDITABLE_FIELD"]);
  });

  it("with invalid bindings only", async () => {
    const make = (blocks: number): Sized => {
      const { draft, fields } = rightDraft(blocks);
      const scriptBindings = draft.scriptBindings.map((binding) => ({ ...binding, target: { blockId: "c_feild_1" } }));
      return { draft: { ...draft, scriptBindings }, fields };
    };
    expect(new Set(await checkBothSizes(make))).toEqual(new Set(["BINDING_TARGET_UNKNOWN"]));
  });
});
