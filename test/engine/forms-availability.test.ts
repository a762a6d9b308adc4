/** What a form can do, from what is published and what the object has now. */

import { describe, expect, it } from "vitest";
import { availabilityOf, type LiveContent } from "../../src/engine/availability.ts";
import type { Known, KnownField } from "../../src/schemas/draft-known.ts";
import type { Block } from "../../src/schemas/draft.ts";
import type { Mode } from "../../src/schemas/form.ts";

const layout = { id: "lay_1", name: "Profile" };

const aField = (key: string, isRequired = false): KnownField => ({
  id: `fld_${key}`,
  key,
  name: key,
  type: "TEXT",
  isRequired,
  hasDefault: false,
  valueCount: 0,
  options: [],
});

const known: Known = { surface: "DYNAMIC_OBJECT", fields: [aField("name", true), aField("city")], scripts: [] };

const block = (fieldKey: string, members: Partial<Block> = {}): Block => ({
  id: `b_${fieldKey}`,
  type: "field",
  source: "dynamic_field",
  ref: { fieldKey },
  regionKey: "main",
  ...members,
});

function live(modes: Mode[], blocks: Block[]): LiveContent {
  const regions = [{ key: "main", label: "Main", layout: "grid" as const, columns: 12 }];
  const content = { schemaVersion: 1, regions, blocks, stagedFieldDefinitions: [], scriptBindings: [], metadata: null };
  return { id: "ver_1", modes, content };
}

describe("what a form can do", () => {
  const form = { isActive: true, types: ["VIEW", "CREATE"] as Mode[] };

  it("is nothing without a layout", () => {
    expect(availabilityOf({ form, layout: undefined, live: undefined, known })).toEqual({
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
    const answer = availabilityOf({ form, layout, live: published, known });
    expect(Object.keys(answer.layoutAvailability)).toEqual(["VIEW", "CREATE"]);
    expect(answer.usableTypes).toEqual(["VIEW", "CREATE"]);
  });

  it("is judged for each mode alone: an error in CREATE does not spoil VIEW", () => {
    const published = live(["VIEW", "CREATE"], [block("name", { supportedModes: ["VIEW"] })]);
    const answer = availabilityOf({ form, layout, live: published, known });
    expect(answer.layoutAvailability).toMatchObject({ VIEW: { state: "PUBLISHED" }, CREATE: { state: "INVALID" } });
    expect(answer.usableTypes).toEqual(["VIEW"]);
  });

  it("names what is wrong and the way out", () => {
    const published = live(["VIEW"], [block("gone")]);
    const { layoutWarnings } = availabilityOf({ form, layout, live: published, known });
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
    expect(availabilityOf({ form: view, layout, live: published, known }).usableTypes).toEqual(["VIEW"]);
  });

  it("is not spoilt by a script binding to a block of another mode", () => {
    const published = live(["VIEW", "CREATE"], [block("name"), block("city", { supportedModes: ["CREATE"] })]);
    published.content.scriptBindings.push({ scriptId: "s", hook: "onRender", target: { blockId: "b_city" } });
    expect(availabilityOf({ form, layout, live: published, known }).usableTypes).toEqual(["VIEW", "CREATE"]);
  });
});
