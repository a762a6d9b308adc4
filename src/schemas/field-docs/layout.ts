/** Describes the fields of layout files: regions, blocks, staged fields and script bindings. */

import { MAX_BLOCKS, MAX_NESTING } from "../words.ts";
import { HOOKS } from "../draft-checks/bindings.ts";
import { doc, type FieldDocs } from "./field-doc.ts";

const orderIn = (list: string) =>
  `The position among the ${list}, ascending. Without it, the order of the list applies`;

const region: FieldDocs = {
  key: doc("Identifies the region in the layout. Blocks refer to it with regionKey", "main"),
  label: doc("The text that users see, at most 80 characters", "Candidate"),
  layout: doc(
    "How the region arranges its blocks. A tabs region contains only tab and section blocks; a dashboard_grid places blocks by colStart and rowStart",
    "grid",
  ),
  columns: doc("The number of columns of a grid or dashboard_grid. For other layouts, a hint of the width", 12, 12),
  displayOrder: doc(orderIn("regions"), 0),
  config: doc("Further settings of the region", {}),
};

const block: FieldDocs = {
  id: doc("Identifies the block in the layout, for script bindings and comparisons. Unique in the layout", "f_name"),
  type: doc(
    "What the block is: a field, a container (tabs, tab, section, column), or another part of the page. The type decides which sources are possible",
    "field",
  ),
  source: doc(
    "Where the content comes from. A field of an object is dynamic_field; a relation dynamic_relation; a container system; a field that this draft creates draft_custom_field. Pages of other surfaces have built_in, custom_field and module, dashboards dashboard",
    "dynamic_field",
  ),
  ref: doc("Which content the block shows. The source decides which member is used", { fieldKey: "full_name" }),
  "ref.componentKey": doc("The component of a builtin block, or of a block with the source dashboard", "tab"),
  "ref.builtInFieldKey": doc("The field, for the source built_in", "tax_number"),
  "ref.fieldId": doc("The id of the field, for the source custom_field", "fld_phone"),
  "ref.fieldKey": doc("The key of the field, for the sources dynamic_field and custom_field", "full_name"),
  "ref.fieldDefinitionId": doc("The id of the field definition, for the source custom_field", "fld_phone"),
  "ref.draftFieldDefinitionId": doc(
    "The draftId of a staged field that this draft creates, for the source draft_custom_field",
    "d_visa",
  ),
  "ref.relationFieldId": doc("The id of the relation. relationFieldKey identifies it by its key", "fld_milestones"),
  "ref.relationFieldKey": doc("The key of the relation, for the source dynamic_relation", "milestones"),
  "ref.moduleKey": doc("The key of the module, for the source module", "staffing"),
  "ref.objectKey": doc("The key of the object that the content belongs to", "candidate"),
  "ref.widgetKey": doc("The widget, for the source dashboard", "open_placements"),
  "ref.savedQueryId": doc("The saved query, for the source dashboard", "qry_open"),
  regionKey: doc(
    "The key of the region that contains the block. Required for blocks that are not children; children belong to the region of their outermost block",
    "main",
  ),
  displayOrder: doc(orderIn("blocks of the same region or container"), 0),
  grid: doc(
    "The position in the grid of the region or container. A container has 12 columns. Without it, the block has the full width",
    { colSpan: 6 },
  ),
  "grid.colSpan": doc(
    "The width in columns: a whole number from 1 to the columns of the grid. Without it, the full width",
    6,
  ),
  "grid.colStart": doc("The first column: a whole number of at least 1", 7),
  "grid.rowSpan": doc("The height in rows: a whole number of at least 1", 1, 1),
  "grid.rowStart": doc("The first row: a whole number of at least 1", 1),
  config: doc(
    "Settings of the block. label (or title) is the text that users see, required for tab and section; readOnly: true shows a field without an input",
    { label: "Full name" },
  ),
  "config.label": {
    about: "The text that users see. Required for tab and section; a field without it shows the name of the field",
    example: "Full name",
    isUndeclared: true,
  },
  "config.title": { about: "The same as label, if there is no label", example: "Full name", isUndeclared: true },
  "config.readOnly": {
    about:
      "true shows a field without an input. CREATE requires an input for each required field without a default value",
    example: true,
    isUndeclared: true,
    default: false,
  },
  requiredPolicy: doc(
    "Whether the user must enter a value. In CREATE and EDIT, required fields of the object need required",
    "required",
    "optional",
  ),
  supportedModes: doc(
    "The modes in which the block is shown, limited by the container around it. Without it, all modes of the layout",
    ["VIEW", "EDIT"],
  ),
  children: doc(
    `The blocks in a container: tabs contains tab and section; tab contains section; section contains column; all except tabs contain other blocks. At most ${MAX_NESTING} levels`,
    [{ type: "field", source: "dynamic_field", ref: { fieldKey: "notes" } }],
  ),
};

const stagedField: FieldDocs = {
  draftId: doc("Identifies the change in this draft, for ref.draftFieldDefinitionId and for confirmations", "d_visa"),
  action: doc(
    "create adds a field; update changes its name, type or config; unlink removes it from this layout; delete deletes it",
    "create",
  ),
  existingFieldDefinitionId: doc(
    "The id of the field to update, unlink or delete. Without it, key identifies the field",
    "fld_phone",
  ),
  scopeId: doc("The scope of custom fields. Must be the scope of the layout's target", "scp_eu"),
  name: doc("The name of the field. Required for create", "Visa valid until"),
  key: doc("The key of the field. Required for create; an existing field keeps its key", "visa_valid_until"),
  type: doc("The type of the field, such as TEXT, NUMBER, DATE or SELECT. Required for create", "DATE"),
  config: doc(
    "Settings of the field: required, defaultValue, options, and your own members. An update changes only these members",
    { required: false },
  ),
  presentation: doc("How the field is shown; stored with the field", { width: "half" }),
  confirmDestructiveChange: doc(
    "Sent to the server unchanged. formctl confirms changes with confirmFieldChanges of the manifest or --confirm-field-change",
    false,
  ),
};

const scriptBinding: FieldDocs = {
  id: doc("Identifies the binding in the layout", "bind_rate"),
  scriptId: doc("The key of a registered script", "rate_guard"),
  hook: doc(`When the script runs: ${HOOKS.join(", ")}`, "fieldReadonly"),
  target: doc("What the script applies to. Required, except for onRender", { blockId: "f_rate" }),
  "target.blockId": doc("The id of a block", "f_rate"),
  "target.fieldKey": doc("The key of a field that the layout shows", "day_rate"),
  "target.actionId": doc("The id of an action", "save"),
  "target.regionKey": doc("The key of a region", "main"),
  enabled: doc("false: the script does not run", true, true),
  priority: doc("The order of scripts of the same hook and target, ascending", 0, 0),
  config: doc("Settings of the script", {}),
};

const draft: FieldDocs = {
  clientMutationId: doc(
    "Identifies a request, so that it can be repeated. Commands create one if it is absent",
    "push-1",
  ),
  schemaVersion: doc("The version of the format, always 1", 1),
  regions: doc("The areas of the page", [{ key: "main", label: "Main", layout: "grid" }]),
  blocks: doc(`The parts of the page, each in a region. At most ${MAX_BLOCKS} with all children`, [
    { type: "field", source: "dynamic_field", ref: { fieldKey: "full_name" }, regionKey: "main" },
  ]),
  stagedFieldDefinitions: doc("Changes of fields that the publication of this draft carries out once", [
    { draftId: "d_visa", action: "create", name: "Visa valid until", key: "visa_valid_until", type: "DATE" },
  ]),
  scriptBindings: doc("Registered scripts that run in the layout", [
    { scriptId: "rate_guard", hook: "fieldReadonly", target: { blockId: "f_rate" } },
  ]),
  metadata: doc("Your own members, stored with the version", { owner: "talent-ops" }),
};

export const LAYOUT_DOCS: Readonly<Record<string, FieldDocs>> = {
  DraftFile: draft,
  Draft: draft,
  Region: region,
  Block: block,
  StagedField: stagedField,
  ScriptBinding: scriptBinding,
};
