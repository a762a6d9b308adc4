/** What a form can do, from what is published and what the object has now. */

import { describe, expect, it } from "vitest";
import { availabilityOf } from "../../src/engine/availability.ts";
import { checkContent } from "../../src/engine/verdict.ts";
import type { LayoutCatalog, CatalogField } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import type { Mode } from "../../src/schemas/form.ts";

const layout = { id: "lay_1", name: "Profile" };

const aField = (key: string, isRequired = false): CatalogField => ({
  id: `fld_${key}`,
  key,
  name: key,
  type: "TEXT",
  isRequired,
  hasDefault: false,
  valueCount: 0,
  options: [],
});

const known: LayoutCatalog = { surface: "DYNAMIC_OBJECT", fields: [aField("name", true), aField("city")], scripts: [] };

const block = (fieldKey: string, members: Partial<Block> = {}): Block => ({
  id: `b_${fieldKey}`,
  type: "field",
  source: "dynamic_field",
  ref: { fieldKey },
  regionKey: "main",
  ...members,
});

type Published = { id: string; modes: Mode[]; content: DraftContent };

function live(modes: Mode[], blocks: Block[]): Published {
  const regions = [{ key: "main", label: "Main", layout: "grid" as const, columns: 12 }];
  const content = { schemaVersion: 1, regions, blocks, stagedFieldDefinitions: [], scriptBindings: [], metadata: null };
  return { id: "ver_1", modes, content };
}

/** As a list of forms tells it: the published content judged, then the form's modes looked up. */
function tell(input: Pick<Parameters<typeof availabilityOf>[0], "form" | "layout">, published?: Published) {
  const verdict = published && checkContent(published.content, published.modes, known);
  return availabilityOf({
    ...input,
    live: published && verdict && { id: published.id, modes: published.modes, verdict },
  });
}

describe("what a form can do", () => {
  const form = { isActive: true, types: ["VIEW", "CREATE"] as Mode[] };

  it("is nothing without a layout", () => {
    expect(tell({ form, layout: undefined })).toEqual({
      layoutAvailability: { VIEW: { state: "MISSING" }, CREATE: { state: "MISSING" } },
      usableTypes: [],
      layoutWarnings: [
        { type: "VIEW", code: "LAYOUT_MISSING", message: expect.any(String) },
        { type: "CREATE", code: "LAYOUT_MISSING", message: expect.any(String) },
      ],
    });
  });

  it("is told for the form's modes only, in their order (R22)", () => {
    const published = live(["CREATE", "VIEW", "EDIT"], [block("name")]);
    const answer = tell({ form, layout }, published);
    expect(Object.keys(answer.layoutAvailability)).toEqual(["VIEW", "CREATE"]);
    expect(answer.usableTypes).toEqual(["VIEW", "CREATE"]);
  });

  it("is judged for each mode alone: an error in CREATE does not spoil VIEW", () => {
    const published = live(["VIEW", "CREATE"], [block("name", { supportedModes: ["VIEW"] })]);
    const answer = tell({ form, layout }, published);
    expect(answer.layoutAvailability).toMatchObject({ VIEW: { state: "PUBLISHED" }, CREATE: { state: "INVALID" } });
    expect(answer.usableTypes).toEqual(["VIEW"]);
  });

  it("names what is wrong and the way out", () => {
    const published = live(["VIEW"], [block("gone")]);
    const { layoutWarnings } = tell({ form, layout }, published);
    expect(layoutWarnings[0]?.message).toContain("gone");
    expect(layoutWarnings[1]?.message).toContain("formctl layouts publish lay_1");
  });

  it("is not spoilt by fields that were staged, which were committed with the version", () => {
    const published = live(["VIEW"], [block("name")]);
    published.content.stagedFieldDefinitions.push({
      draftId: "d",
      action: "create",
      key: "name",
      name: "N",
      type: "TEXT",
    });
    const view = { isActive: true, types: ["VIEW"] as Mode[] };
    expect(tell({ form: view, layout }, published).usableTypes).toEqual(["VIEW"]);
  });

  it("is not spoilt by a script binding to a block of another mode", () => {
    const published = live(["VIEW", "CREATE"], [block("name"), block("city", { supportedModes: ["CREATE"] })]);
    published.content.scriptBindings.push({ scriptId: "s", hook: "onRender", target: { blockId: "b_city" } });
    expect(tell({ form, layout }, published).usableTypes).toEqual(["VIEW", "CREATE"]);
  });
});
