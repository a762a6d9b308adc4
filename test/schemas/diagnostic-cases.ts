/** For each diagnostic: a draft with the problem, and a similar draft without it. */

import type { DiagnosticCode } from "../../src/schemas/diagnostic-codes.ts";
import type { LayoutCatalog } from "../../src/schemas/catalog.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import {
  aBinding,
  aBlock,
  aDraft,
  aField,
  aRegion,
  aStaged,
  aStagedBlock,
  KNOWN,
  NAME,
  withBlocks,
  withStaged,
} from "./example-drafts.ts";

export type DiagnosticCase = {
  wrong: DraftContent;
  /** The diagnostics of the draft with the problem, in order; by default only the code itself. */
  codes?: DiagnosticCode[];
  path?: string;
  right: DraftContent;
  /** The diagnostics of the draft without the problem; by default none. */
  rightCodes?: DiagnosticCode[];
  known?: LayoutCatalog;
  rightKnown?: LayoutCatalog;
};

const sidebar = aRegion({ key: "side", label: "Side", layout: "sidebar", columns: 4, displayOrder: 1 });
const tabsRegion = aRegion({ key: "strip", label: "Strip", layout: "tabs", columns: null, displayOrder: 1 });
const board = aRegion({ key: "board", label: "Board", layout: "dashboard_grid", columns: 4, displayOrder: 1 });
const staged = (item: Parameters<typeof aStaged>[0], ...blocks: Block[]): DraftContent => ({
  ...withBlocks(...blocks),
  stagedFieldDefinitions: [aStaged(item)],
});
const shownPo = aStagedBlock("d_po");
const tile = (id: string, grid: Block["grid"], more: Partial<Block> = {}): Block =>
  aBlock("custom_html", { id, regionKey: "board", ...(grid && { grid }), ...more });
const onBoard = (...blocks: Block[]): DraftContent => {
  const ordered = blocks.map((block, displayOrder) => ({ ...block, displayOrder }));
  return aDraft({ regions: [aRegion(), board], blocks: [NAME, ...ordered] });
};
const chain = (depth: number): Block => {
  let block = aBlock("custom_html");
  for (let level = 1; level < depth; level += 1) block = aBlock("custom_html", { children: [block] });
  return block;
};
const mode = (...modes: Block["supportedModes"] & {}): Partial<Block> => ({ supportedModes: modes });

export const DIAGNOSTIC_CASES: Record<DiagnosticCode, DiagnosticCase> = {
  SCHEMA_VERSION_UNKNOWN: {
    wrong: aDraft({ schemaVersion: 2 }),
    path: "schemaVersion",
    right: aDraft(),
  },
  BLOCK_TYPE_UNKNOWN: {
    wrong: withBlocks(aBlock("kanban", { source: "dynamic_field" })),
    path: "blocks[1].type",
    right: withBlocks(aBlock("custom_html")),
  },
  BLOCK_SOURCE_UNKNOWN: {
    wrong: withBlocks(aBlock("field", { source: "formula", ref: { fieldKey: "none" } })),
    path: "blocks[1].source",
    right: withBlocks(aField("notes")),
  },
  REQUIRED_POLICY_UNKNOWN: {
    wrong: withBlocks(aField("notes", { requiredPolicy: "sometimes" })),
    path: "blocks[1].requiredPolicy",
    right: withBlocks(aField("notes", { requiredPolicy: "optional" })),
  },
  MODE_UNKNOWN: {
    wrong: withBlocks(aField("notes", { supportedModes: ["VIEW", "WORKSPACE"] })),
    path: "blocks[1].supportedModes",
    right: withBlocks(aField("notes", { supportedModes: ["VIEW"] })),
  },
  NO_REGIONS: {
    wrong: aDraft({ regions: [] }),
    path: "regions",
    right: aDraft(),
  },
  REGION_KEY_DUPLICATE: {
    wrong: aDraft({ regions: [aRegion(), aRegion({ displayOrder: 1 })] }),
    path: "regions[1].key",
    right: aDraft({ regions: [aRegion(), aRegion({ key: "Main", displayOrder: 1 })] }),
    rightCodes: ["REGION_EMPTY"],
  },
  DISPLAY_ORDER_TIE: {
    wrong: aDraft({ blocks: [NAME, aField("notes", { regionKey: "main", displayOrder: 0 })] }),
    path: "blocks[1].displayOrder",
    // The two are never shown together: one is for CREATE, the other for VIEW.
    right: aDraft({
      blocks: [
        NAME,
        aField("notes", { regionKey: "main", displayOrder: 1, ...mode("CREATE") }),
        aField("phone", { regionKey: "main", displayOrder: 1, ...mode("VIEW") }),
      ],
    }),
  },
  LABEL_MISSING: {
    wrong: withBlocks(aBlock("section", { config: { label: "  " }, children: [aField("notes")] })),
    path: "blocks[1].config.label",
    right: withBlocks(aBlock("section", { config: { title: "Notes" }, children: [aField("notes")] })),
  },
  LABEL_OVERLONG: {
    wrong: aDraft({ regions: [aRegion({ label: "x".repeat(81) })] }),
    path: "regions[0].label",
    right: aDraft({ regions: [aRegion({ label: "🦊".repeat(80) })] }),
  },
  REGION_COLUMNS_MISSING: {
    wrong: aDraft({ regions: [aRegion({ columns: null })] }),
    path: "regions[0].columns",
    right: aDraft({ regions: [aRegion({ layout: "stack", columns: null })] }),
  },
  REGION_COLUMNS_IGNORED: {
    wrong: aDraft({ regions: [aRegion({ layout: "stack", columns: 6 })] }),
    path: "regions[0].columns",
    right: aDraft({
      regions: [aRegion(), sidebar],
      blocks: [NAME, aField("notes", { regionKey: "side" })],
    }),
  },
  REGION_EMPTY: {
    wrong: aDraft({ regions: [aRegion(), aRegion({ key: "more", displayOrder: 1 })] }),
    path: "regions[1]",
    right: aDraft({
      regions: [aRegion(), aRegion({ key: "more", displayOrder: 1 })],
      blocks: [NAME, aField("notes", { regionKey: "more" })],
    }),
  },
  TABS_EMPTY: {
    wrong: aDraft({ regions: [aRegion(), tabsRegion] }),
    path: "regions[1]",
    right: aDraft({
      regions: [aRegion(), tabsRegion],
      blocks: [NAME, aBlock("section", { regionKey: "strip", children: [aField("notes")] })],
    }),
  },
  SIDEBAR_MULTIPLE: {
    wrong: aDraft({
      regions: [aRegion(), sidebar, { ...sidebar, key: "side_2", displayOrder: 2 }],
      blocks: [NAME, aField("notes", { regionKey: "side" }), aField("phone", { regionKey: "side_2" })],
    }),
    path: "regions[2].layout",
    right: aDraft({ regions: [aRegion(), sidebar], blocks: [NAME, aField("notes", { regionKey: "side" })] }),
  },
  SIDEBAR_ONLY: {
    wrong: aDraft({
      regions: [sidebar],
      blocks: [aField("notes", { regionKey: "side" })],
    }),
    known: { ...KNOWN, modes: ["VIEW"] },
    path: "regions",
    rightKnown: KNOWN,
    right: aDraft({ regions: [aRegion(), sidebar], blocks: [NAME, aField("notes", { regionKey: "side" })] }),
  },

  BLOCK_ID_DUPLICATE: {
    wrong: withBlocks(
      aBlock("section", { id: "s", children: [aField("notes", { id: "n" }), aField("phone", { id: "s" })] }),
    ),
    path: "blocks[1].children[1].id",
    right: withBlocks(
      aBlock("section", { id: "s", children: [aField("notes", { id: "n" }), aField("phone", { id: "S" })] }),
    ),
  },
  REGION_UNKNOWN: {
    wrong: withBlocks(aField("notes", { regionKey: "mian" })),
    path: "blocks[1].regionKey",
    right: withBlocks(aField("notes", { regionKey: "main" })),
  },
  CHILD_REGION_MISMATCH: {
    wrong: aDraft({
      regions: [aRegion(), sidebar],
      blocks: [
        NAME,
        aBlock("section", { regionKey: "main", children: [aField("notes", { regionKey: "side" })] }),
        aField("phone", { regionKey: "side" }),
      ],
    }),
    path: "blocks[1].children[0].regionKey",
    right: aDraft({
      regions: [aRegion(), sidebar],
      blocks: [
        NAME,
        aBlock("section", {
          regionKey: "main",
          children: [aField("notes", { regionKey: "main" }), aField("level", { requiredPolicy: "required" })],
        }),
        aField("phone", { regionKey: "side" }),
      ],
    }),
  },
  NESTING_TOO_DEEP: {
    wrong: withBlocks(chain(17)),
    codes: [
      ...Array.from({ length: 15 }, () => "NESTING_NOT_ALLOWED" as const),
      "NESTING_TOO_DEEP",
      "NESTING_NOT_ALLOWED",
    ],
    path: `blocks[1]${".children[0]".repeat(16)}`,
    right: withBlocks(chain(16)),
    rightCodes: Array.from({ length: 15 }, () => "NESTING_NOT_ALLOWED" as const),
  },
  NESTING_NOT_ALLOWED: {
    wrong: withBlocks(aBlock("column", { children: [aField("notes")] })),
    path: "blocks[1]",
    right: withBlocks(aBlock("section", { children: [aBlock("column", { children: [aField("notes")] })] })),
  },
  TABS_REGION_LEAF: {
    wrong: aDraft({
      regions: [aRegion(), tabsRegion],
      blocks: [
        NAME,
        aBlock("tab", { regionKey: "strip", children: [aField("notes")] }),
        aField("phone", { regionKey: "strip" }),
      ],
    }),
    path: "blocks[2]",
    right: aDraft({
      regions: [aRegion(), tabsRegion],
      blocks: [NAME, aBlock("tab", { regionKey: "strip", children: [aField("notes"), aField("phone")] })],
    }),
  },
  CONTAINER_EMPTY: {
    wrong: withBlocks(aBlock("section", { children: [aBlock("column")] })),
    path: "blocks[1].children[0].children",
    right: withBlocks(aBlock("section", { children: [aBlock("column", { children: [aField("notes")] })] })),
  },
  SOURCE_TYPE_MISMATCH: {
    wrong: withBlocks(aBlock("comments", { source: "dynamic_field" })),
    path: "blocks[1].source",
    right: withBlocks(aBlock("comments", { source: "system" })),
  },
  SOURCE_NOT_ALLOWED: {
    wrong: withBlocks(aBlock("comments", { source: "built_in" })),
    path: "blocks[1].source",
    right: aDraft({ blocks: [aBlock("comments", { source: "built_in", regionKey: "main" })] }),
    rightKnown: { ...KNOWN, surface: "CONTRACTOR", modes: ["VIEW"], fields: [] },
  },
  REF_MISSING: {
    wrong: withBlocks(aField("notes", { ref: { fieldKey: null, fieldId: "fld_notes" } })),
    path: "blocks[1].ref.fieldKey",
    right: withBlocks(aField("notes")),
  },
  FIELD_UNKNOWN: {
    wrong: withBlocks(aField("fulll_name")),
    path: "blocks[1].ref.fieldKey",
    right: { ...withBlocks(aField("po_number")), stagedFieldDefinitions: [aStaged()] },
  },
  RELATION_UNKNOWN: {
    wrong: withBlocks(aBlock("relation_table", { source: "dynamic_relation", ref: { relationFieldKey: "notes" } })),
    path: "blocks[1].ref.relationFieldKey",
    right: withBlocks(aBlock("relation_table", { source: "dynamic_relation", ref: { relationFieldKey: "owner" } })),
  },
  STAGED_REF_UNKNOWN: {
    wrong: withBlocks(aStagedBlock("d_po")),
    path: "blocks[1].ref.draftFieldDefinitionId",
    right: staged({}, shownPo),
  },
  SUBORDINATE_AS_FIELD: {
    wrong: withBlocks(aField("items")),
    path: "blocks[1].type",
    right: withBlocks(aBlock("relation_table", { source: "dynamic_relation", ref: { relationFieldKey: "items" } })),
  },
  FIELD_NOT_EDITABLE: {
    wrong: withBlocks(aField("intro", { requiredPolicy: "required" })),
    path: "blocks[1].requiredPolicy",
    right: withBlocks(aField("intro", { requiredPolicy: "optional" })),
  },
  FIELD_DUPLICATE: {
    wrong: withBlocks(aField("notes", mode("VIEW", "EDIT")), aField("notes", { id: "again", ...mode("EDIT") })),
    path: "blocks[2].ref",
    right: withBlocks(aField("notes", mode("VIEW", "EDIT")), aField("notes", { id: "again", ...mode("CREATE") })),
  },
  FIELD_REPEATED_IN_VIEW: {
    wrong: withBlocks(aField("notes", mode("VIEW", "EDIT")), aField("notes", { id: "again", ...mode("VIEW") })),
    path: "blocks[2].ref",
    // In EDIT the second block only shows the value, so there is one input.
    right: withBlocks(
      aField("notes", mode("VIEW", "EDIT")),
      aField("notes", { id: "again", config: { readOnly: true }, ...mode("EDIT") }),
    ),
  },
  REQUIRED_FIELD_READONLY: {
    wrong: aDraft({ blocks: [{ ...NAME, config: { readOnly: true } }, aField("notes", { regionKey: "main" })] }),
    path: "blocks[0].config.readOnly",
    right: withBlocks(aField("level", { config: { readOnly: true } })),
  },
  SIDEBAR_REQUIRED_FIELD: {
    wrong: aDraft({
      regions: [aRegion(), sidebar],
      blocks: [{ ...NAME, regionKey: "side" }, aField("notes", { regionKey: "main" })],
    }),
    path: "blocks[0].regionKey",
    right: aDraft({
      regions: [aRegion(), sidebar],
      blocks: [NAME, aField("level", { regionKey: "side", requiredPolicy: "required" })],
    }),
  },
  REQUIRED_POLICY_WEAKER: {
    wrong: aDraft({ blocks: [aField("full_name", { regionKey: "main" })] }),
    path: "blocks[0].requiredPolicy",
    right: withBlocks(aField("level", { requiredPolicy: "optional", ...mode("VIEW") })),
  },
  REQUIRED_POLICY_STRICTER: {
    wrong: withBlocks(aField("notes", { requiredPolicy: "required", ...mode("VIEW") })),
    path: "blocks[1].requiredPolicy",
    right: withBlocks(aField("notes", { requiredPolicy: "required", ...mode("VIEW", "EDIT") })),
  },
  COLSPAN_INVALID: {
    wrong: withBlocks(aField("notes", { grid: { colSpan: 1.5 } })),
    path: "blocks[1].grid.colSpan",
    right: withBlocks(aField("notes", { grid: { colSpan: 1 } })),
  },
  COLSPAN_EXCEEDS_COLUMNS: {
    wrong: withBlocks(aField("notes", { grid: { colSpan: 13 } })),
    path: "blocks[1].grid.colSpan",
    // Inside a container the grid has 12 columns, regardless of the region.
    right: aDraft({
      regions: [aRegion({ columns: 4 })],
      blocks: [
        { ...NAME, grid: { colSpan: 4 } },
        aBlock("section", { regionKey: "main", children: [aField("notes", { grid: { colSpan: 12 } })] }),
      ],
    }),
  },
  COLSTART_OVERFLOW: {
    wrong: withBlocks(aField("notes", { grid: { colStart: 8, colSpan: 6 } })),
    path: "blocks[1].grid.colStart",
    right: withBlocks(aField("notes", { grid: { colStart: 7, colSpan: 6 } })),
  },
  GRID_OVERLAP: {
    wrong: onBoard(
      tile("a", { colStart: 1, colSpan: 2, rowStart: 1, rowSpan: 3 }),
      tile("b", { colStart: 2, colSpan: 1, rowStart: 3 }),
    ),
    path: "blocks[2].grid",
    right: onBoard(
      tile("a", { colStart: 1, colSpan: 2, rowStart: 1, rowSpan: 3 }, mode("VIEW")),
      tile("b", { colStart: 2, colSpan: 1, rowStart: 3 }, mode("EDIT")),
      tile("c", { colStart: 3, colSpan: 2, rowStart: 1, rowSpan: 9 }),
      tile("d", { colStart: 1, colSpan: 2, rowStart: 4 }),
      tile("e", { colSpan: 4 }),
    ),
  },
  BLOCK_MODE_UNSUPPORTED: {
    wrong: withBlocks(aField("notes", mode("VIEW", "EDIT"))),
    known: { ...KNOWN, modes: ["CREATE", "VIEW"] },
    path: "blocks[1].supportedModes",
    right: withBlocks(aField("notes", { supportedModes: [] })),
    rightKnown: { ...KNOWN, modes: ["CREATE", "VIEW"] },
  },
  BLOCK_UNREACHABLE: {
    wrong: withBlocks(
      aBlock("section", { ...mode("VIEW"), children: [aField("notes", mode("EDIT")), aField("phone")] }),
    ),
    path: "blocks[1].children[0].supportedModes",
    right: withBlocks(
      aBlock("section", { ...mode("VIEW", "EDIT"), children: [aField("notes", mode("EDIT")), aField("phone")] }),
    ),
  },

  STAGED_ID_DUPLICATE: {
    wrong: {
      ...withBlocks(shownPo, aField("po_date")),
      stagedFieldDefinitions: [aStaged(), aStaged({ key: "po_date", type: "DATE" })],
    },
    path: "stagedFieldDefinitions[1].draftId",
    right: {
      ...withBlocks(shownPo, aField("po_date")),
      stagedFieldDefinitions: [aStaged(), aStaged({ draftId: "D_PO", key: "po_date", type: "DATE" })],
    },
  },
  STAGED_TYPE_UNKNOWN: {
    wrong: staged({ type: "TXET" }, shownPo),
    path: "stagedFieldDefinitions[0].type",
    right: staged({ type: "TEXT" }, shownPo),
  },
  STAGED_KEY_TAKEN: {
    wrong: staged({ key: "phone" }, shownPo),
    path: "stagedFieldDefinitions[0].key",
    right: staged({ key: "phone", action: "update", name: "Telephone" }, shownPo),
  },
  STAGED_KEY_DUPLICATE: {
    wrong: {
      ...withBlocks(shownPo, aStagedBlock("d_2")),
      stagedFieldDefinitions: [aStaged(), aStaged({ draftId: "d_2" })],
    },
    path: "stagedFieldDefinitions[1].key",
    right: {
      ...withBlocks(shownPo, aStagedBlock("d_2")),
      stagedFieldDefinitions: [aStaged(), aStaged({ draftId: "d_2", key: "po_number_2" })],
    },
  },
  STAGED_TARGET_UNKNOWN: {
    wrong: withStaged(aStaged({ action: "delete", key: "phnoe" })),
    path: "stagedFieldDefinitions[0].key",
    right: withStaged(aStaged({ action: "delete", key: "phnoe", existingFieldDefinitionId: "fld_phone" })),
  },
  STAGED_OPTIONS_MISSING: {
    wrong: staged({ type: "SELECT", config: { options: [] } }, shownPo),
    path: "stagedFieldDefinitions[0].config.options",
    right: staged({ type: "SELECT", config: { options: [{ value: "a", label: "A" }] } }, shownPo),
  },
  STAGED_STILL_PLACED: {
    wrong: staged({ action: "unlink", key: "phone" }, aField("phone")),
    path: "stagedFieldDefinitions[0]",
    right: staged({ action: "unlink", key: "phone" }, aField("notes")),
  },
  STAGED_NOT_PLACED: {
    wrong: withStaged(aStaged()),
    path: "stagedFieldDefinitions[0]",
    right: staged({}, aField("po_number")),
  },
  STAGED_NEEDS_CONFIRMATION: {
    wrong: staged({ action: "update", key: "phone", type: "TEXT" }, shownPo),
    path: "stagedFieldDefinitions[0]",
    right: staged({ action: "update", key: "phone", type: "PHONE", name: "Telephone" }, shownPo),
  },
  STAGED_REQUIRED_NEW: {
    wrong: staged({ config: { required: true } }, aStagedBlock("d_po", { requiredPolicy: "required" })),
    path: "stagedFieldDefinitions[0].config.required",
    right: staged(
      { config: { required: true, defaultValue: "none" } },
      aStagedBlock("d_po", { requiredPolicy: "required" }),
    ),
  },

  BINDING_ID_DUPLICATE: {
    wrong: aDraft({ scriptBindings: [aBinding(), aBinding()] }),
    path: "scriptBindings[1].id",
    right: aDraft({ scriptBindings: [aBinding(), aBinding({ id: "b_2" })] }),
  },
  BINDING_SCRIPT_UNKNOWN: {
    wrong: aDraft({ scriptBindings: [aBinding({ scriptId: "rate_gard" })] }),
    path: "scriptBindings[0].scriptId",
    right: aDraft({ scriptBindings: [aBinding({ scriptId: "scr_1" })] }),
  },
  BINDING_HOOK_UNKNOWN: {
    wrong: aDraft({ scriptBindings: [aBinding({ hook: "fieldReadOnly" })] }),
    path: "scriptBindings[0].hook",
    right: aDraft({ scriptBindings: [aBinding({ hook: "fieldReadonly" })] }),
  },
  BINDING_TARGET_EMPTY: {
    wrong: aDraft({ scriptBindings: [aBinding({ target: { blockId: null } })] }),
    path: "scriptBindings[0].target",
    right: aDraft({ scriptBindings: [aBinding({ hook: "onRender", target: {} })] }),
  },
  BINDING_TARGET_UNKNOWN: {
    // The object has the field, but the draft does not show it.
    wrong: aDraft({ scriptBindings: [aBinding({ target: { fieldKey: "notes" } })] }),
    path: "scriptBindings[0].target.fieldKey",
    right: {
      ...withBlocks(aField("notes")),
      scriptBindings: [aBinding({ target: { fieldKey: "notes", blockId: "f_notes", regionKey: "main" } })],
    },
  },

  REQUIRED_FIELD_MISSING: {
    wrong: aDraft({ blocks: [{ ...NAME, ...mode("VIEW", "EDIT") }, aField("notes", { regionKey: "main" })] }),
    path: "blocks",
    right: aDraft({ blocks: [{ ...NAME, ...mode("CREATE") }, aField("notes", { regionKey: "main" })] }),
  },
  MODE_EMPTY: {
    wrong: aDraft({ blocks: [{ ...NAME, ...mode("CREATE", "EDIT") }] }),
    path: "blocks",
    right: aDraft({ blocks: [{ ...NAME, ...mode("CREATE", "EDIT") }] }),
    rightKnown: { ...KNOWN, modes: ["CREATE", "EDIT"] },
  },
  MODE_NO_EDITABLE_FIELD: {
    wrong: aDraft({
      blocks: [
        { ...NAME, ...mode("CREATE", "VIEW") },
        aField("notes", { regionKey: "main", config: { readOnly: true }, ...mode("EDIT") }),
      ],
    }),
    path: "blocks",
    right: aDraft({
      blocks: [
        { ...NAME, ...mode("CREATE", "VIEW") },
        aField("notes", { regionKey: "main", config: { readOnly: false }, ...mode("EDIT") }),
      ],
    }),
  },

  TOO_MANY_DIAGNOSTICS: {
    wrong: withBlocks(...Array.from({ length: 501 }, () => aField("nobody", { id: undefined }))),
    codes: [...Array.from({ length: 500 }, () => "FIELD_UNKNOWN" as const), "TOO_MANY_DIAGNOSTICS"],
    right: withBlocks(...Array.from({ length: 500 }, () => aField("nobody", { id: undefined }))),
    rightCodes: Array.from({ length: 500 }, () => "FIELD_UNKNOWN" as const),
  },
};
