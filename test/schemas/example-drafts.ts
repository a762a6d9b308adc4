/** A small valid draft, and the parts of it that tests change. */

import type { LayoutCatalog, CatalogField } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent, Region, ScriptBinding, StagedField } from "../../src/schemas/draft.ts";

export function aKnownField(key: string, type: string, more: Partial<CatalogField> = {}): CatalogField {
  return {
    id: `fld_${key}`,
    key,
    name: key,
    type,
    isRequired: false,
    hasDefault: false,
    valueCount: 0,
    options: [],
    ...more,
  };
}

export const FIELDS: readonly CatalogField[] = [
  aKnownField("full_name", "TEXT", { isRequired: true }),
  aKnownField("level", "SELECT", { isRequired: true, hasDefault: true, options: ["junior", "senior"], valueCount: 3 }),
  aKnownField("notes", "TEXTAREA", { valueCount: 412 }),
  aKnownField("phone", "PHONE"),
  aKnownField("intro", "HTML_SECTION"),
  aKnownField("owner", "REFERENCE"),
  aKnownField("items", "SUBORDINATE_OBJECT_REFERENCE"),
];

export const KNOWN = {
  surface: "DYNAMIC_OBJECT",
  modes: ["CREATE", "VIEW", "EDIT"],
  fields: FIELDS,
  scripts: ["rate_guard", "scr_1"],
} as const satisfies LayoutCatalog;

export function aRegion(more: Partial<Region> = {}): Region {
  return { key: "main", label: "Main", layout: "grid", columns: 12, displayOrder: 0, ...more };
}

export function aBlock(type: Block["type"], more: Partial<Block> = {}): Block {
  const label = type === "tab" || type === "section" ? { config: { label: "A label" } } : {};
  return { type, source: "system", ...label, ...more };
}

/** A block for the field of an object. Without a region, it is a child of another block. */
export function aField(key: string, more: Partial<Block> = {}): Block {
  return { id: `f_${key}`, type: "field", source: "dynamic_field", ref: { fieldKey: key }, ...more };
}

/** The block that every valid draft has. CREATE requires only its field. */
export const NAME: Block = aField("full_name", { regionKey: "main", requiredPolicy: "required", displayOrder: 0 });

/** A staged creation of a field. If `more` has an action, key, name and type have no default values. */
export function aStaged(more: Partial<StagedField> = {}): StagedField {
  const created = { key: "po_number", name: "PO number", type: "TEXT" };
  return { draftId: "d_po", action: "create", ...(more.action ? {} : created), ...more };
}

/** A block for a staged field. */
export function aStagedBlock(draftId: string, more: Partial<Block> = {}): Block {
  return { type: "field", source: "draft_custom_field", ref: { draftFieldDefinitionId: draftId }, ...more };
}

export function aBinding(more: Partial<ScriptBinding> = {}): ScriptBinding {
  return { id: "b_1", scriptId: "rate_guard", hook: "fieldReadonly", target: { fieldKey: "full_name" }, ...more };
}

export function aDraft(more: Partial<DraftContent> = {}): DraftContent {
  return {
    schemaVersion: 1,
    regions: [aRegion()],
    blocks: [NAME],
    stagedFieldDefinitions: [],
    scriptBindings: [],
    metadata: null,
    ...more,
  };
}

/**
 * The valid draft with these blocks after its first block. By default, all blocks are in the region of the first block.
 */
export function withBlocks(...blocks: Block[]): DraftContent {
  return aDraft({
    blocks: [NAME, ...blocks.map((block, index) => ({ regionKey: "main", displayOrder: index + 1, ...block }))],
  });
}

/** The valid draft with these staged fields. No block shows them. */
export function withStaged(...staged: StagedField[]): DraftContent {
  return aDraft({ stagedFieldDefinitions: staged });
}
