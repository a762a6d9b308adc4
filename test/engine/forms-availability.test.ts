/** Checks the availability of forms. It depends on the published version and the current fields of the object. */

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

/** Checks the published content, then the modes of the form. Returns the availability that a list of forms shows. */
function tell(input: Pick<Parameters<typeof availabilityOf>[0], "form" | "layout">, published?: Published) {
  const verdict = published && checkContent(published.content, published.modes, known);
  return availabilityOf({
    ...input,
    live: published && verdict && { id: published.id, modes: published.modes, verdict },
  });
}

describe("the availability of a form", () => {
  const form = { isActive: true, types: ["VIEW", "CREATE"] as Mode[] };

  it("is MISSING without a layout", () => {
    expect(tell({ form, layout: undefined })).toEqual({
      layoutAvailability: { VIEW: { state: "MISSING" }, CREATE: { state: "MISSING" } },
      usableTypes: [],
      layoutWarnings: [
        { type: "VIEW", code: "LAYOUT_MISSING", message: expect.any(String) },
        { type: "CREATE", code: "LAYOUT_MISSING", message: expect.any(String) },
      ],
    });
  });

  it("lists only the modes of the form, in their order (R22)", () => {
    const published = live(["CREATE", "VIEW", "EDIT"], [block("name")]);
    const answer = tell({ form, layout }, published);
    expect(Object.keys(answer.layoutAvailability)).toEqual(["VIEW", "CREATE"]);
    expect(answer.usableTypes).toEqual(["VIEW", "CREATE"]);
  });

  it("is computed per mode: an error in CREATE does not affect VIEW", () => {
    const published = live(["VIEW", "CREATE"], [block("name", { supportedModes: ["VIEW"] })]);
    const answer = tell({ form, layout }, published);
    expect(answer.layoutAvailability).toMatchObject({ VIEW: { state: "PUBLISHED" }, CREATE: { state: "INVALID" } });
    expect(answer.usableTypes).toEqual(["VIEW"]);
  });

  it("states the problem and the next step", () => {
    const published = live(["VIEW"], [block("gone")]);
    const { layoutWarnings } = tell({ form, layout }, published);
    expect(layoutWarnings[0]?.message).toContain("gone");
    expect(layoutWarnings[1]?.message).toContain("formctl layouts edit lay_1");
  });

  it("ignores staged fields that were applied with the version", () => {
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

  it("ignores script bindings to blocks of other modes", () => {
    const published = live(["VIEW", "CREATE"], [block("name"), block("city", { supportedModes: ["CREATE"] })]);
    published.content.scriptBindings.push({ scriptId: "s", hook: "onRender", target: { blockId: "b_city" } });
    expect(tell({ form, layout }, published).usableTypes).toEqual(["VIEW", "CREATE"]);
  });
});
