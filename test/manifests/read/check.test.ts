/** A manifest keeps its staged changes after they are carried out. It must still be valid. */

import { describe, expect, it } from "vitest";
import { isAboutAppliedChange } from "../../../src/manifests/read/check.ts";
import { checkDraft } from "../../../src/schemas/draft-checks.ts";
import type { LayoutCatalog, CatalogField } from "../../../src/schemas/catalog.ts";
import type { DraftContent, StagedField } from "../../../src/schemas/draft.ts";

const field = (key: string, type: string): CatalogField => {
  return { id: `fld_${key}`, key, name: key, type, isRequired: false, hasDefault: false, valueCount: 0, options: [] };
};

/** The errors of a draft that stages one change on an object with these fields. */
function errors(staged: StagedField, fields: CatalogField[]): string[] {
  const content: DraftContent = {
    schemaVersion: 1,
    regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
    blocks: [],
    stagedFieldDefinitions: [staged],
    scriptBindings: [],
    metadata: null,
  };
  const known: LayoutCatalog = { surface: "DYNAMIC_OBJECT", modes: ["VIEW"], fields };
  return checkDraft(content, known)
    .filter(({ severity }) => severity === "error")
    .filter((each) => !isAboutAppliedChange(each, content, known))
    .map(({ code }) => code);
}

const create: StagedField = { draftId: "d_po", action: "create", key: "po_number", name: "PO number", type: "TEXT" };

describe("a staged change that is carried out", () => {
  it("may stay in the manifest", () => {
    expect(errors(create, [])).toEqual([]);
    expect(errors(create, [field("po_number", "TEXT")])).toEqual([]);
    expect(errors({ draftId: "d_gone", action: "delete", key: "pay_rate" }, [])).toEqual([]);
    expect(errors({ draftId: "d_gone", action: "unlink", key: "pay_rate" }, [])).toEqual([]);
  });

  it("is distinguished from one that can't be carried out", () => {
    expect(errors(create, [field("po_number", "NUMBER")])).toEqual(["STAGED_KEY_TAKEN"]);
    expect(errors({ draftId: "d_up", action: "update", key: "pay_rate", name: "Pay" }, [])).toEqual([
      "STAGED_TARGET_UNKNOWN",
    ]);
    expect(errors({ draftId: "d_odd", action: "create", key: "odd", name: "Odd", type: "SELECT" }, [])).toEqual([
      "STAGED_OPTIONS_MISSING",
    ]);
  });
});
