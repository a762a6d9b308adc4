import { FIELD_TYPES } from "../../src/schemas/words.ts";
import { describe, expect, it } from "vitest";
import type { StagedField } from "../../src/schemas/draft.ts";
import type { CatalogField } from "../../src/schemas/catalog.ts";
import {
  fieldAfter,
  indexFields,
  isLosslessTypeChange,
  stagedChangeNeeds,
  stagedTarget,
} from "../../src/schemas/staged-fields.ts";
import { aKnownField, aStaged } from "./example-drafts.ts";

const notes = aKnownField("notes", "TEXTAREA", { valueCount: 412 });
const empty = aKnownField("empty", "TEXTAREA");
const level = aKnownField("level", "SELECT", { valueCount: 3, options: ["junior", "senior"] });
const update = (more: Partial<StagedField>) => aStaged({ action: "update", ...more });
const remove = aStaged({ action: "delete" });

describe("isLosslessTypeChange", () => {
  it("is a change to the same type, or one of ten others", () => {
    const lossless = FIELD_TYPES.flatMap((from) =>
      FIELD_TYPES.filter((to) => from !== to && isLosslessTypeChange(from, to)).map((to) => `${from} ${to}`),
    );
    expect(lossless.toSorted()).toEqual([
      "DATE DATETIME",
      "EMAIL TEXT",
      "NUMBER DECIMAL",
      "PHONE TEXT",
      "SELECT MULTI_SELECT",
      "TEXT TEXTAREA",
      "TEXTAREA TEXT",
      "URL TEXT",
    ]);
    for (const type of FIELD_TYPES) expect(isLosslessTypeChange(type, type)).toBe(true);
  });

  it("knows no types that are not ours", () => {
    expect(isLosslessTypeChange("constructor", "TEXT")).toBe(false);
  });
});

describe("stagedChangeNeeds", () => {
  const cases: [
    about: string,
    staged: StagedField,
    field: CatalogField | undefined,
    elsewhere: boolean,
    reasons: string[],
    requires: string[],
  ][] = [
    ["a new field", aStaged(), undefined, false, [], []],
    ["an unknown field", remove, undefined, true, [], []],
    ["an unlinked field", aStaged({ action: "unlink" }), notes, true, [], []],
    ["another name", update({ name: "Remarks" }), notes, true, [], []],
    ["the same type", update({ type: "TEXTAREA" }), notes, false, [], []],
    ["a wider type", update({ type: "TEXT" }), notes, false, ["TYPE_CHANGE"], ["confirmTypeChange"]],
    [
      "another type",
      update({ type: "DATE" }),
      notes,
      false,
      ["TYPE_CHANGE", "VALUE_CLEAR"],
      ["confirmTypeChange", "confirmValueClear"],
    ],
    ["another type without values", update({ type: "DATE" }), empty, false, ["TYPE_CHANGE"], ["confirmTypeChange"]],
    [
      "a removed choice",
      update({ config: { options: ["junior"] } }),
      level,
      false,
      ["VALUE_CLEAR"],
      ["confirmValueClear"],
    ],
    [
      "a removed choice without values",
      update({ config: { options: [] } }),
      { ...level, valueCount: 0 },
      false,
      [],
      [],
    ],
    ["an added choice", update({ config: { options: ["senior", { value: "junior" }, "lead"] } }), level, false, [], []],
    ["choices that are not named", update({ config: { required: true } }), level, false, [], []],
    [
      "a wider choice with one removed",
      update({ type: "MULTI_SELECT", config: { options: ["junior"] } }),
      level,
      false,
      ["TYPE_CHANGE", "VALUE_CLEAR"],
      ["confirmTypeChange", "confirmValueClear"],
    ],
    ["a deleted field with values", remove, notes, false, ["VALUE_CLEAR"], ["confirmValueClear"]],
    ["a deleted field without values", remove, empty, false, [], []],
    ["a deleted field that another layout shows", remove, empty, true, ["REFERENCED_ELSEWHERE"], ["confirmValueClear"]],
    ["a deleted field with both", remove, notes, true, ["VALUE_CLEAR", "REFERENCED_ELSEWHERE"], ["confirmValueClear"]],
  ];

  it.each(cases)("of %s", (_about, staged, field, elsewhere, reasons, requires) => {
    expect(stagedChangeNeeds(staged, field, elsewhere)).toEqual({ reasons, requires });
  });
});

describe("fieldAfter", () => {
  it("is the new field", () => {
    const config = { required: true, defaultValue: "a", options: ["a", { value: "b", label: "B" }, 3] };
    expect(fieldAfter(aStaged({ type: "SELECT", config }), undefined)).toEqual({
      id: "d_po",
      key: "po_number",
      name: "PO number",
      type: "SELECT",
      isRequired: true,
      hasDefault: true,
      valueCount: 0,
      options: ["a", "b"],
    });
  });

  it("keeps what the update does not name, and the key always", () => {
    expect(fieldAfter(update({ key: "other", name: "Grade" }), level)).toEqual({ ...level, name: "Grade" });
    expect(fieldAfter(update({ config: { defaultValue: null } }), { ...level, hasDefault: true })).toEqual(level);
  });

  it("has values only if their type is kept", () => {
    expect(fieldAfter(update({ type: "TEXT" }), notes).valueCount).toBe(412);
    expect(fieldAfter(update({ type: "DATE" }), notes).valueCount).toBe(0);
  });
});

describe("stagedTarget", () => {
  const fields = indexFields([notes, level]);

  it("goes by the id, and by the key if there is no id", () => {
    expect(stagedTarget(update({ key: "level" }), fields)).toBe(level);
    expect(stagedTarget(update({ key: "level", existingFieldDefinitionId: null }), fields)).toBe(level);
    expect(stagedTarget(update({ key: "level", existingFieldDefinitionId: "fld_notes" }), fields)).toBe(notes);
    expect(stagedTarget(update({ key: "level", existingFieldDefinitionId: "fld_gone" }), fields)).toBeUndefined();
    expect(stagedTarget(update({}), fields)).toBeUndefined();
  });
});
