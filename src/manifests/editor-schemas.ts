/**
 * Generates JSON Schemas (2020-12) for editors and `formctl explain`. They come from the schemas that read manifests,
 * layout files, organization files and the files of commands.
 */

import * as z from "zod/mini";
import * as access from "../schemas/access-file-schema.ts";
import * as draft from "../schemas/draft-schema.ts";
import { doc, type FieldDocs } from "../schemas/field-docs/field-doc.ts";
import { FIELD_DOCS, TYPE_DOCS, withFieldDocs } from "../schemas/field-docs/field-docs.ts";
import { assignmentFields, BY_NAME, formFields, layoutFields } from "../schemas/field-docs/form.ts";
import * as form from "../schemas/form-schema.ts";
import * as layout from "../schemas/layout-schema.ts";
import * as organization from "../schemas/organization-schema.ts";
import type { JsonSchema } from "../schemas/schema.ts";
import * as text from "../schemas/text.ts";
import * as manifest from "./manifest-schema.ts";

const MODULES = [access, draft, form, layout, manifest, organization, text];

const UNCHANGED = "Without it: not changed";

/** The documentation of the common members of form manifests and layout manifests. */
const common: FieldDocs = {
  $schema: doc("The JSON Schema for editors. formctl ignores it", "./.formctl/schemas/manifest.schema.json"),
  renamedFrom: doc(
    "The former name: apply renames the record instead of creating another one. It may stay after that",
    "Candidate form",
  ),
  confirmFieldChanges: doc("Draft ids of staged changes that may clear values", ["d_pay"]),
  layout: doc(
    "The path of a layout file, relative to this file, or the draft itself: formctl explain draft. Without it, the content is not managed",
    "./candidate-profile.layout.yaml",
  ),
  publish: doc("false: the draft is saved and not published", false),
};

const withUnchanged = (docs: FieldDocs): FieldDocs =>
  Object.fromEntries(
    Object.entries(docs).map(([name, each]) => [name, { ...each, about: `${each.about}. ${UNCHANGED}` }]),
  );
const { types: modesOfForm, ...optionalOfForm } = formFields;

const formManifest: FieldDocs = {
  ...common,
  name: doc("Identifies the form within its object. To rename the form, add renamedFrom", "Candidate profile"),
  kind: doc("Form. A layout that no form owns has the kind Layout", "Form"),
  object: doc("The object of the form: MODULE/OBJECT", "staffing/candidate"),
  types: modesOfForm!,
  ...withUnchanged({
    ...optionalOfForm,
    defaultFor: doc("The modes for which this form is the default of its object; [] for none", ["VIEW"]),
    access: doc("The complete access of members and roles", {
      users: [],
      roles: [{ role: "Recruiter", types: ["VIEW"] }],
    }),
  }),
};

const layoutManifest: FieldDocs = {
  ...common,
  ...layoutFields,
  name: doc(
    "Identifies the layout within its surface and target. To rename the layout, add renamedFrom",
    "Contractor card",
  ),
  kind: doc("Layout. The layout of a form belongs to the manifest of the form, with the kind Form", "Layout"),
  layout: { ...common["layout"]!, example: "./contractor-card.layout.yaml" },
  ...withUnchanged({
    metadata: layoutFields["metadata"]!,
    assignments: doc("The complete assignments", {
      organizationDefault: true,
      roles: [{ role: "Recruiter", priority: 5 }],
    }),
  }),
};

const MANIFEST_DOCS: Readonly<Record<string, FieldDocs>> = {
  FormManifest: formManifest,
  LayoutManifest: layoutManifest,
  ManifestAssignments: {
    ...assignmentFields,
    roles: doc("The roles whose members see this layout", [{ role: "Recruiter", priority: 5 }]),
    "roles.roleId": doc("The id of the role. Required, unless role names it", "rol_recruiter"),
    "roles.role": doc(`The name or key of the role, ${BY_NAME}`, "Recruiter"),
  },
};

/** The documentation of the fields of each schema. */
export const DOCS = { ...FIELD_DOCS, ...MANIFEST_DOCS };

/** A kind of file, from which its JSON Schema is generated. */
export type FileKind = {
  schema: z.ZodMiniType;
  /** The name of the schema in DOCS. */
  type: string;
  title: string;
  /** Whether values may contain environment variables. */
  isManifest?: true;
};

const FILES = {
  Manifest: {
    schema: z.union([manifest.FormManifest, manifest.LayoutManifest]),
    type: "Manifest",
    title: "A form or layout, as formctl plan and apply read it",
    isManifest: true,
  },
  Form: {
    schema: manifest.FormManifest,
    type: "FormManifest",
    title: "A form, as formctl plan and apply read it",
    isManifest: true,
  },
  Layout: {
    schema: manifest.LayoutManifest,
    type: "LayoutManifest",
    title: "A layout that no form owns, as formctl plan and apply read it",
    isManifest: true,
  },
  Draft: {
    schema: draft.DraftFile,
    type: "DraftFile",
    title: "A layout file: exactly the body of a draft",
    isManifest: true,
  },
  Organization: {
    schema: organization.OrganizationFile,
    type: "OrganizationFile",
    title: "An organization file, as formctl local seed reads it",
  },
  Access: {
    schema: access.AccessFile,
    type: "AccessFile",
    title: "The access of a form, as formctl forms access set reads it",
  },
  FormCreate: {
    schema: form.FormCreate,
    type: "FormCreate",
    title: "A form, as formctl forms create -f reads it",
  },
  FormPatch: {
    schema: form.FormPatch,
    type: "FormPatch",
    title: "The changes of a form, as formctl forms edit and formctl forms update -f read them",
  },
  LayoutCreate: {
    schema: layout.LayoutCreate,
    type: "LayoutCreate",
    title: "A layout, as formctl layouts create -f reads it",
  },
  Assignments: {
    schema: layout.AssignmentFile,
    type: "AssignmentFile",
    title: "The assignments of a layout, as formctl layouts assignments set -f reads them",
  },
} as const satisfies Record<string, FileKind>;
export type EditorKind = keyof typeof FILES;
export const EDITOR_KINDS = Object.keys(FILES) as EditorKind[];

/** The name of the schema definition for a value from an environment variable (docs/layouts-as-code.md). */
const ENVIRONMENT = "FromEnvironment";
const PLACEHOLDER = {
  type: "string",
  pattern: String.raw`\$\{`,
  description:
    "An environment variable: ${NAME} or ${NAME:-default}. Variables of formctl, and those that formctl.yaml does not list, are refused",
};

/**
 * Returns the JSON Schema for a kind of file. The schema accepts every valid file. It also accepts some invalid files,
 * because JSON Schema can't express all rules.
 */
export function editorSchema(kind: EditorKind): JsonSchema {
  return fileSchema(FILES[kind], [], DOCS);
}

/**
 * Returns the JSON Schema for a kind of file.
 *
 * @param modules further modules whose exported schemas become named definitions
 * @param docs the documentation of the fields of each schema
 */
export function fileSchema(
  file: FileKind,
  modules: readonly object[],
  docs: Readonly<Record<string, FieldDocs>>,
): JsonSchema {
  const names = z.registry<{ id: string }>();
  for (const module of [...MODULES, ...modules]) {
    for (const [id, schema] of Object.entries(module)) {
      if (schema instanceof z.ZodMiniType && schema !== file.schema) names.add(schema, { id });
    }
  }
  const schema = z.toJSONSchema(file.schema, {
    metadata: names,
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      delete jsonSchema.id;
      const checks = zodSchema._zod.def.checks ?? [];
      // An "overwrite" check trims the text, and the length is checked only after that. So the text in the file may be
      // longer.
      if (checks.some((check) => check._zod.def.check === "overwrite")) delete jsonSchema.maxLength;
    },
  }) as JsonSchema;
  const { $schema, ...rest } = schema;
  const { $defs = {}, ...root } = (file.isManifest ? withPlaceholders(rest) : rest) as { $defs?: JsonSchema };
  const types = Object.entries($defs).map(([name, each]) => {
    const about = TYPE_DOCS[name];
    return [
      name,
      { ...(about !== undefined && { description: about }), ...withFieldDocs(each as JsonSchema, docs[name]) },
    ];
  });
  return {
    $schema,
    title: file.title,
    ...withFieldDocs(root, docs[file.type]),
    $defs: { ...Object.fromEntries(types), ...(file.isManifest && { [ENVIRONMENT]: PLACEHOLDER }) },
  };
}

/**
 * Adds a placeholder such as `${NAME}` as an alternative to each enumerated value (such as a mode), number, boolean and
 * id. The kind of a manifest can't be a placeholder.
 */
function withPlaceholders(schema: unknown, member?: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withPlaceholders(each));
  if (typeof schema !== "object" || schema === null) return schema;
  if (isLeaf(schema as JsonSchema))
    return member === "kind" ? schema : { anyOf: [schema, { $ref: `#/$defs/${ENVIRONMENT}` }] };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "default" || key === "required") return [key, value];
      if (key !== "properties" && key !== "$defs") return [key, withPlaceholders(value)];
      const members = Object.entries(value as JsonSchema).map(([name, each]) => [name, withPlaceholders(each, name)]);
      return [key, Object.fromEntries(members)];
    }),
  );
}

const READ_FROM_TEXT = new Set<unknown>(["number", "integer", "boolean", "null"]);

/** Whether the schema describes a single value and refuses placeholders. A schema for any string accepts them. */
function isLeaf(schema: JsonSchema): boolean {
  const { type } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => READ_FROM_TEXT.has(one)) || "enum" in schema || "const" in schema || "pattern" in schema;
}
