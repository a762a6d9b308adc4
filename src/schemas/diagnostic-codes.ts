/** The codes of the draft checks, each with its severity and meaning. */

import type { Severity } from "./diagnostic.ts";

type Row = { severity: Severity; about: string };

const error = (about: string): Row => ({ severity: "error", about });
const warning = (about: string): Row => ({ severity: "warning", about });

/**
 * In the order of the checks: version, regions, blocks, staged fields, bindings, modes (docs/decisions.md,
 * "Diagnostics").
 */
export const DIAGNOSTIC_CODES = {
  SCHEMA_VERSION_UNKNOWN: warning("formctl does not know the schemaVersion of the draft."),

  NO_REGIONS: error("The draft has no regions."),
  REGION_KEY_DUPLICATE: error("Two regions have the same key."),
  DISPLAY_ORDER_TIE: warning("Two neighbors have the same displayOrder. Their order in the list applies."),
  LABEL_MISSING: warning("A region, tab or section has no label."),
  LABEL_OVERLONG: warning("A label is longer than 80 characters."),
  REGION_COLUMNS_MISSING: warning("A grid has no columns. 12 are used."),
  REGION_COLUMNS_IGNORED: warning("Columns have no effect in a stack or tabs region."),
  REGION_EMPTY: warning("A region is empty."),
  TABS_EMPTY: error("A tabs region or block has no tab or section."),
  SIDEBAR_MULTIPLE: warning("The draft has more than one sidebar."),
  SIDEBAR_ONLY: warning("All content is in a sidebar."),

  BLOCK_TYPE_UNKNOWN: warning("formctl does not know the type of a block. No other check applies to the block."),
  BLOCK_SOURCE_UNKNOWN: warning("formctl does not know the source of a block."),
  REQUIRED_POLICY_UNKNOWN: warning("formctl does not know the requiredPolicy of a block."),
  MODE_UNKNOWN: warning("formctl does not know a mode of a block."),
  BLOCK_ID_DUPLICATE: error("Two blocks have the same id."),
  REGION_UNKNOWN: error("The regionKey of a block is not the key of a region."),
  CHILD_REGION_MISMATCH: warning("The regionKey of a nested block differs from the region of its outermost block."),
  NESTING_TOO_DEEP: error("Blocks are nested more than 16 levels deep."),
  NESTING_NOT_ALLOWED: error(
    "The type of a block is not allowed in its position, for example a column outside a section.",
  ),
  TABS_REGION_LEAF: error("A tabs region contains content outside a tab or section."),
  CONTAINER_EMPTY: warning("A section, column or tab is empty."),
  SOURCE_TYPE_MISMATCH: error("The type of a block does not support its source."),
  SOURCE_NOT_ALLOWED: error("The surface of the layout does not support the source of a block."),
  REF_MISSING: error("The ref of a block lacks a required member."),
  FIELD_UNKNOWN: error("A block shows a field that neither exists nor is staged."),
  RELATION_UNKNOWN: error("The field of a relation table does not exist or is not a reference."),
  STAGED_REF_UNKNOWN: error("A block refers to a staged field that the draft does not stage."),
  SUBORDINATE_AS_FIELD: error("A field block shows subordinate records, which require a relation table."),
  FIELD_NOT_EDITABLE: error("A block requires a value of a field that has no value."),
  FIELD_DUPLICATE: error("A mode has two inputs for the same field."),
  FIELD_REPEATED_IN_VIEW: warning("VIEW shows a field twice."),
  REQUIRED_FIELD_READONLY: error("CREATE requires a field that is read-only."),
  SIDEBAR_REQUIRED_FIELD: warning("CREATE requires a field that is only in a sidebar."),
  REQUIRED_POLICY_WEAKER: warning("The block of a required field is optional."),
  REQUIRED_POLICY_STRICTER: warning("A block that is shown only in VIEW requires a value."),
  COLSPAN_INVALID: error("A number in the grid of a block is not a whole number of at least 1."),
  COLSPAN_EXCEEDS_COLUMNS: error("A block is wider than its grid."),
  COLSTART_OVERFLOW: error("A block exceeds the last column of its grid."),
  GRID_OVERLAP: error("Two blocks of a dashboard grid overlap."),
  BLOCK_MODE_UNSUPPORTED: warning("A block has a mode that the layout does not support."),
  BLOCK_UNREACHABLE: warning("A block is shown in no mode."),

  STAGED_ID_DUPLICATE: error("Two staged fields have the same draftId."),
  STAGED_TYPE_UNKNOWN: error("A staged field has an unknown type."),
  STAGED_KEY_TAKEN: error("A staged field has the key of an existing field."),
  STAGED_KEY_DUPLICATE: error("Two staged changes affect the same field."),
  STAGED_TARGET_UNKNOWN: error("A staged change affects an unknown field."),
  STAGED_OPTIONS_MISSING: error("A staged choice field has no options."),
  STAGED_STILL_PLACED: error("A block still shows a field that is staged for unlinking or deletion."),
  STAGED_NOT_PLACED: warning("No block shows a staged new field."),
  STAGED_NEEDS_CONFIRMATION: warning("A staged change may lose values and requires confirmation when publishing."),
  STAGED_REQUIRED_NEW: warning("A newly required field makes other layouts for CREATE invalid."),

  BINDING_ID_DUPLICATE: error("Two script bindings have the same id."),
  BINDING_SCRIPT_UNKNOWN: warning("The script of a binding is not registered."),
  BINDING_HOOK_UNKNOWN: warning("formctl does not know the hook of a binding."),
  BINDING_TARGET_EMPTY: warning("The target of a binding is empty."),
  BINDING_TARGET_UNKNOWN: error("The target of a binding does not exist in the draft."),

  REQUIRED_FIELD_MISSING: error("CREATE does not show a required field without a default value."),
  MODE_EMPTY: warning("A mode of the layout has no content and can't be used."),
  MODE_NO_EDITABLE_FIELD: warning("CREATE or EDIT has no inputs and can't be used."),

  TOO_MANY_DIAGNOSTICS: error("The checks stopped after 500 diagnostics."),
} as const satisfies Record<string, Row>;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;
