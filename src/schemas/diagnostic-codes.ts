/** Every complaint that the checks of a draft can make: how bad it is, and what it is about. */

import type { Severity } from "./diagnostic.ts";

type Row = { severity: Severity; about: string };

const error = (about: string): Row => ({ severity: "error", about });
const warning = (about: string): Row => ({ severity: "warning", about });

/** In the order of the checks: version, regions, blocks, staged fields, bindings, modes (docs/decisions.md, "Diagnostics"). */
export const DIAGNOSTIC_CODES = {
  SCHEMA_VERSION_UNKNOWN: warning("The draft has a schemaVersion that formctl does not know."),

  NO_REGIONS: error("The draft has no region that could hold a block."),
  REGION_KEY_DUPLICATE: error("Two regions have the same key, so a block can't choose between them."),
  DISPLAY_ORDER_TIE: warning("Two neighbours have the same displayOrder; their order in the list decides."),
  LABEL_MISSING: warning("A region, tab or section has no label."),
  LABEL_OVERLONG: warning("A label is over 80 characters."),
  REGION_COLUMNS_MISSING: warning("A grid does not say how many columns it has; 12 are taken."),
  REGION_COLUMNS_IGNORED: warning("Columns of a stack or tabs region have no effect."),
  REGION_EMPTY: warning("A region holds no block."),
  TABS_EMPTY: error("A tab strip holds no tab or section."),
  SIDEBAR_MULTIPLE: warning("There is more than one sidebar."),
  SIDEBAR_ONLY: warning("All content is in a sidebar, beside an empty page."),

  BLOCK_TYPE_UNKNOWN: warning("A block has a type that formctl does not know. No rule judges the block."),
  BLOCK_SOURCE_UNKNOWN: warning("A block has a source that formctl does not know."),
  REQUIRED_POLICY_UNKNOWN: warning("A block has a requiredPolicy that formctl does not know."),
  MODE_UNKNOWN: warning("A block has a mode that formctl does not know."),
  BLOCK_ID_DUPLICATE: error("Two blocks have the same id, which bindings and comparisons go by."),
  REGION_UNKNOWN: error("A block's regionKey names no region."),
  CHILD_REGION_MISMATCH: warning("A child names another region than the one that its outermost block is in."),
  NESTING_TOO_DEEP: error("Blocks are nested more than 16 levels deep."),
  NESTING_NOT_ALLOWED: error("A block stands where its type can't: a column at the root, a block inside a field."),
  TABS_REGION_LEAF: error("A tabs region holds content that is not in a tab or section."),
  CONTAINER_EMPTY: warning("A section, column or tab holds no block."),
  SOURCE_TYPE_MISMATCH: error("A block of this type can't take from this source."),
  SOURCE_NOT_ALLOWED: error("The layout's surface does not have this source."),
  REF_MISSING: error("A block's ref lacks the member that says what to show."),
  FIELD_UNKNOWN: error("A block shows a field that neither exists nor is staged."),
  RELATION_UNKNOWN: error("A relation table's field does not exist or is not a reference."),
  STAGED_REF_UNKNOWN: error("A block shows a staged field that is not staged in this draft."),
  SUBORDINATE_AS_FIELD: error("Subordinate records are shown as a field; they need a relation table."),
  FIELD_NOT_EDITABLE: error("A value is required of a field that holds none."),
  FIELD_DUPLICATE: error("One mode has two inputs for the same value."),
  FIELD_REPEATED_IN_VIEW: warning("A field is shown twice in VIEW."),
  REQUIRED_FIELD_READONLY: error("CREATE requires a field that it only shows."),
  SIDEBAR_REQUIRED_FIELD: warning("CREATE requires a field that is only in a sidebar."),
  REQUIRED_POLICY_WEAKER: warning("A block says that a required field is optional."),
  REQUIRED_POLICY_STRICTER: warning("A block that is only in VIEW requires a value."),
  COLSPAN_INVALID: error("A number of a block's grid is not a whole number from 1."),
  COLSPAN_EXCEEDS_COLUMNS: error("A block is wider than the grid that it is in."),
  COLSTART_OVERFLOW: error("A block ends beyond the last column."),
  GRID_OVERLAP: error("Two blocks of a dashboard grid lie on each other."),
  BLOCK_MODE_UNSUPPORTED: warning("A block names a mode that the layout does not serve."),
  BLOCK_UNREACHABLE: warning("A block is shown in no mode."),

  STAGED_ID_DUPLICATE: error("Two staged fields have the same draftId."),
  STAGED_TYPE_UNKNOWN: error("A staged field has a type that does not exist."),
  STAGED_KEY_TAKEN: error("A staged field would be created with the key of an existing one."),
  STAGED_KEY_DUPLICATE: error("Two staged changes are about the same field."),
  STAGED_TARGET_UNKNOWN: error("A field that does not exist would be changed."),
  STAGED_OPTIONS_MISSING: error("A staged field is a choice without choices."),
  STAGED_STILL_PLACED: error("A field would be unlinked or deleted while a block still shows it."),
  STAGED_NOT_PLACED: warning("No block shows a field that would be created."),
  STAGED_NEEDS_CONFIRMATION: warning("A staged change may cost values and has to be confirmed when publishing."),
  STAGED_REQUIRED_NEW: warning("A newly required field makes other layouts with CREATE invalid."),

  BINDING_ID_DUPLICATE: error("Two script bindings have the same id."),
  BINDING_SCRIPT_UNKNOWN: warning("A binding's script is not registered."),
  BINDING_HOOK_UNKNOWN: warning("A binding's hook is not one that we know."),
  BINDING_TARGET_EMPTY: warning("A binding does not say what its script is for."),
  BINDING_TARGET_UNKNOWN: error("A binding is for a block, field or region that is not in the draft."),

  REQUIRED_FIELD_MISSING: error("CREATE does not ask for a field that is required and has no default."),
  MODE_EMPTY: warning("A mode of the layout shows no content and can't be used."),
  MODE_NO_EDITABLE_FIELD: warning("CREATE or EDIT has nothing that could be filled in, and can't be used."),

  TOO_MANY_DIAGNOSTICS: error("The checks stopped after 500 complaints."),
} as const satisfies Record<string, Row>;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_CODES;
