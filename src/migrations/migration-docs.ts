/** Describes the fields of migrations in YAML, and generates the JSON Schema of such files. */

import * as z from "zod/mini";
import { DOCS, fileSchema } from "../manifests/editor-schemas.ts";
import { doc, type FieldDocs } from "../schemas/field-docs/field-doc.ts";
import type { JsonSchema } from "../schemas/schema.ts";
import * as schemas from "./migration-schema.ts";

const $schema = doc("The JSON Schema for editors. formctl ignores it", "../.formctl/schemas/migration.schema.json");

const SECTION = { id: "pay", label: "Pay", region: "main", blocks: [] };
const BLOCK = { type: "field", source: "dynamic_field", ref: { fieldKey: "notes" } };
const FORM = "staffing/candidate/Intake";
const LAYOUT =
  "The address of the form that owns the layout, of a layout without a form such as CONTRACTOR/Contractor card, or the id of the layout";

const where = (of: string): FieldDocs => ({
  [`${of}.where`]: doc("The blocks to change. Every member that is present must match", { type: "section" }),
  [`${of}.where.id`]: doc("The id of the block", "sec_pay"),
  [`${of}.where.type`]: doc("The type of the block", "section"),
  [`${of}.where.source`]: doc("The source of the block", "dynamic_field"),
  [`${of}.where.field`]: doc("The key of the field or relation that the block shows", "email"),
  [`${of}.where.region`]: doc("The key of the region that contains the block", "main"),
  [`${of}.where.label`]: doc("The label or title of the block", "Pay"),
});

const member = (of: string, path: string): FieldDocs => ({
  [`${of}.member`]: doc("The path of the member", path),
  [`${of}.value`]: doc("The new value. Without it, the member is removed", "Work e-mail"),
});

const edits: FieldDocs = {
  renameField: doc("Shows another field wherever the layout shows or uses a field", {
    from: "pay_rate",
    to: "day_rate",
  }),
  "renameField.from": doc("The key of the field that the layout shows", "pay_rate"),
  "renameField.to": doc("The key of the field that it shows afterwards. The field must exist", "day_rate"),
  replaceBlocks: doc("Replaces blocks. A single replacement keeps the id of the block", {
    where: { type: "custom_html" },
    with: BLOCK,
  }),
  ...where("replaceBlocks"),
  "replaceBlocks.with": doc("The block or blocks that replace each block", BLOCK),
  removeBlocks: doc("Removes blocks with their children", { where: { field: "pay_rate" } }),
  ...where("removeBlocks"),
  addRegion: doc("Adds a region, unless a region has the key", { region: { key: "side", layout: "stack" } }),
  "addRegion.region": doc("The region", { key: "side", layout: "stack" }),
  "addRegion.before": doc("The key of the region before which it is added. Without it: at the end", "main"),
  addSection: doc("Adds a section, unless a block has the id", SECTION),
  "addSection.id": doc("The id of the section", "pay"),
  "addSection.label": doc("The label of the section", "Pay"),
  "addSection.region": doc("The key of the region. Required, unless into is present", "main"),
  "addSection.into": doc("The id of the block that contains the section, such as a tab", "tab_pay"),
  "addSection.blocks": doc("The blocks in the section", [BLOCK]),
  "addSection.columns": doc("The number of columns of the section", 2),
  "addSection.after": doc("The id of the block that the section follows. Without it: at the end", "sec_person"),
  moveBlocks: doc("Moves blocks to the end of a region or block", { where: { field: "email" }, region: "side" }),
  ...where("moveBlocks"),
  "moveBlocks.region": doc("The key of the region. Required, unless into is present", "side"),
  "moveBlocks.into": doc("The id of the block into which the blocks are moved", "tab_pay"),
  setMember: doc("Sets a member of blocks", {
    where: { field: "email" },
    member: "config.label",
    value: "Work e-mail",
  }),
  ...where("setMember"),
  ...member("setMember", "config.label"),
  setForm: doc("Sets a member of the form, as in its manifest", { member: "config.title", value: "Intake" }),
  ...member("setForm", "config.title"),
};

const object = (of: string): FieldDocs => ({
  [`${of}.object`]: doc("The object: MODULE/OBJECT", "staffing/candidate"),
});
const form = (of: string): FieldDocs => ({ [`${of}.form`]: doc("The form: MODULE/OBJECT/FORM", FORM) });
const layout = (of: string): FieldDocs => ({ [`${of}.layout`]: doc(LAYOUT, FORM) });
const body = (of: string, example: unknown): FieldDocs => ({ [`${of}.body`]: doc("The body of the request", example) });

const CREATE = { name: "Intake", types: ["CREATE"] };
const DEFAULTS = { defaultCreateFormId: "Intake" };
const ACCESS = { users: [], roles: [] };
const PAGE = { surface: "CONTRACTOR", supportedModes: ["VIEW"], target: {}, name: "Contractor card" };
const DRAFT = { schemaVersion: 1, regions: [], blocks: [] };

const steps: FieldDocs = {
  name: doc("Identifies the step in the record of migrations", "create the intake form"),
  createForm: doc("Creates a form with its layout", { object: "staffing/candidate", body: CREATE }),
  ...object("createForm"),
  ...body("createForm", CREATE),
  updateForm: doc("Changes a form", { form: FORM, body: { name: "Short intake" } }),
  ...form("updateForm"),
  ...body("updateForm", { name: "Short intake" }),
  deleteForm: doc("Deletes a form with its layout and uploads", { form: FORM }),
  ...form("deleteForm"),
  updateFormDefaults: doc("Sets the default forms of an object", { object: "staffing/candidate", body: DEFAULTS }),
  ...object("updateFormDefaults"),
  ...body("updateFormDefaults", DEFAULTS),
  replaceFormAccess: doc("Replaces the access of a form", { form: FORM, body: ACCESS }),
  ...form("replaceFormAccess"),
  ...body("replaceFormAccess", ACCESS),
  createLayout: doc("Creates a layout that no form owns", { body: PAGE }),
  ...body("createLayout", PAGE),
  updateLayout: doc("Changes the name, metadata or modes of a layout", { layout: FORM, body: { name: "Intake 2026" } }),
  ...layout("updateLayout"),
  ...body("updateLayout", { name: "Intake 2026" }),
  saveDraft: doc("Replaces the draft of a layout", { layout: FORM, body: DRAFT }),
  ...layout("saveDraft"),
  ...body("saveDraft", DRAFT),
  publishLayout: doc("Publishes the draft of a layout", { layout: FORM }),
  ...layout("publishLayout"),
  "publishLayout.confirmFieldChanges": doc("The staged field changes that may clear values or change types", [
    { draftId: "d_pay", confirmValueClear: true },
  ]),
  "publishLayout.confirmFieldChanges.draftId": doc("The draft id of the change", "d_pay"),
  "publishLayout.confirmFieldChanges.confirmTypeChange": doc("Whether the type of the field may change", true),
  "publishLayout.confirmFieldChanges.confirmValueClear": doc("Whether values may be cleared", true),
  restoreDraft: doc("Makes a version the draft of a layout", { layout: FORM, versionId: "ver_1" }),
  ...layout("restoreDraft"),
  "restoreDraft.versionId": doc("The id of the version", "ver_1"),
  replaceAssignments: doc("Replaces the assignments of a layout", {
    layout: "CONTRACTOR/Contractor card",
    body: { organizationDefault: true },
  }),
  ...layout("replaceAssignments"),
  ...body("replaceAssignments", { organizationDefault: true }),
  archiveLayout: doc("Archives a layout that no form owns", { layout: "CONTRACTOR/Contractor card" }),
  ...layout("archiveLayout"),
};

const defaultForm = (mode: string) =>
  doc(`The name or id of the form that is the default for ${mode}; null for none`, "Intake");

const MIGRATION_DOCS: Readonly<Record<string, FieldDocs>> = {
  TransformFile: {
    $schema,
    match: doc("The forms and layouts to change. Without it: all", { objects: ["staffing/candidate"] }),
    edits: doc("The edits, applied one after the other to each layout or form", [
      { renameField: { from: "pay_rate", to: "day_rate" } },
    ]),
    confirmFieldChanges: doc("Draft ids of staged changes that may clear values", ["d_pay"]),
    drafts: doc(
      "What happens with a published layout whose draft has another content: leave (default) leaves it out, rebase publishes the changed layout and saves the changed draft again, publish publishes the changed draft",
      "rebase",
    ),
  },
  ScriptFile: {
    $schema,
    steps: doc("The steps, one after the other", [{ name: "delete the form", deleteForm: { form: FORM } }]),
    down: doc("The steps that reverse the migration", [{ name: "delete the form", deleteForm: { form: FORM } }]),
  },
  Match: {
    objects: doc("Objects: their forms, and no other layouts", ["staffing/candidate"]),
    surfaces: doc("Surfaces", ["CONTRACTOR"]),
    forms: doc("The names of forms", ["Intake"]),
    layouts: doc("The names of layouts that no form owns", ["Contractor card"]),
    showsField: doc("The key of a field that the layout shows", "pay_rate"),
    blockType: doc("The type of a block that the layout contains", "custom_html"),
  },
  MigrationEdit: edits,
  MigrationStep: steps,
  NamedDefaults: {
    defaultCreateFormId: defaultForm("CREATE"),
    defaultViewFormId: defaultForm("VIEW"),
    defaultEditFormId: defaultForm("EDIT"),
  },
  AccessMatrix: {
    users: doc("The access of members", [{ membershipId: "mem_ana", types: ["VIEW"] }]),
    "users.membershipId": doc("The id of the membership", "mem_ana"),
    "users.types": doc("The modes that the member may use", ["VIEW"]),
    roles: doc("The access of roles", [{ roleId: "rol_recruiter", types: ["VIEW"] }]),
    "roles.roleId": doc("The id of the role", "rol_recruiter"),
    "roles.types": doc("The modes that members of the role may use", ["VIEW"]),
  },
  LayoutPatch: {
    name: doc("The new name", "Intake 2026"),
    metadata: doc("Your own members; null removes them", { owner: "talent-ops" }),
    supportedModes: doc("The modes. Those of a form's layout are changed with updateForm", ["VIEW"]),
    surface: doc("Can't be changed", "CONTRACTOR"),
    target: doc("Can't be changed", {}),
  },
};

/** Returns the JSON Schema (2020-12) of migrations in YAML, for editors and `formctl explain`. */
export function migrationSchema(): JsonSchema {
  const file = {
    schema: z.union([schemas.TransformFile, schemas.ScriptFile]),
    type: "Migration",
    title: "A migration in YAML: edits of layouts and forms, or steps that call operations",
  };
  return fileSchema(file, [schemas], { ...DOCS, ...MIGRATION_DOCS });
}
