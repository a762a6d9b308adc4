/**
 * Generates JSON Schemas (2020-12) for editors from the schemas that read manifests, layout files and organization
 * files.
 */

import * as z from "zod/mini";
import * as access from "../schemas/access-file.ts";
import * as draft from "../schemas/draft.ts";
import * as form from "../schemas/form.ts";
import * as layout from "../schemas/layout.ts";
import * as manifest from "./manifest-schema.ts";
import * as organization from "../schemas/organization.ts";
import * as text from "../schemas/text.ts";
import type { JsonSchema } from "../schemas/json-schema.ts";

const MODULES = [access, draft, form, layout, manifest, organization, text];

const FILES = {
  Manifest: z.union([manifest.FormManifest, manifest.LayoutManifest]),
  Form: manifest.FormManifest,
  Layout: manifest.LayoutManifest,
  Draft: draft.DraftFile,
  Organization: organization.OrganizationFile,
  FormPatch: form.FormPatch,
} as const;
export type EditorKind = keyof typeof FILES;
export const EDITOR_KINDS = Object.keys(FILES) as EditorKind[];

const TITLES: Record<EditorKind, string> = {
  Manifest: "A form or layout, as formctl plan and apply read it",
  Form: "A form, as formctl plan and apply read it",
  Layout: "A layout that no form owns, as formctl plan and apply read it",
  Draft: "A layout file: exactly the body of a draft",
  Organization: "An organization file, as formctl local seed reads it",
  FormPatch: "The changes of a form, as formctl forms edit and forms update read them",
};

/** Descriptions of members, which editors show. Keep them in line with `formctl help manifests`. */
const MANIFEST: Readonly<Record<string, string>> = {
  kind: "Form, or Layout for a layout that no form owns",
  name: "Identifies the form within its object, or the layout within its surface and target. To rename, add renamedFrom",
  renamedFrom: "The former name: apply renames the record instead of creating another one. It may stay after that",
  layout: "The path of a layout file, or the draft itself. Without it, the content is not managed",
  publish: "false: the draft is saved and not published",
  confirmFieldChanges: "Draft ids of staged changes that may clear values",
  object: "The object of the form: MODULE/OBJECT",
  types: "The modes that the form serves",
  isActive: "false: the form can't be used. Without it: not changed",
  isPublic: "true: everyone with the public link can submit the form. Without it: not changed",
  config: "title, description, successMessage, and your own members. Without it: not changed",
  defaultFor: "The modes for which this form is the default of its object; [] for none. Without it: not changed",
  access: "The complete access of members and roles. Without it: not changed",
  surface: "The kind of page that shows the layout",
  target: "What the layout is for, within its surface",
  supportedModes: "The modes that the layout serves",
  metadata: "Your own members. Without it: not changed",
  assignments:
    "The complete assignments: whether it is the organization's default, and its roles. Without it: not changed",
};
const DRAFT: Readonly<Record<string, string>> = {
  schemaVersion: "1",
  clientMutationId: "Only for a request body. The commands create their own",
  regions: "The areas of the page, each with a key",
  blocks: "Fields, sections, tables, each in a region",
  stagedFieldDefinitions: "Field changes that are applied once, when the draft is published",
  scriptBindings: "Registered scripts and their targets",
  metadata: "Your own members",
};

/** The name of the schema definition for a value from an environment variable (docs/layouts-as-code.md). */
const ENVIRONMENT = "FromEnvironment";
const PLACEHOLDER = {
  type: "string",
  pattern: String.raw`\$\{`,
  description:
    "An environment variable: ${NAME} or ${NAME:-default}. Variables of formctl, and those that formctl.yaml does not list, are refused",
};

/**
 * Returns the JSON Schema for a kind of file. It accepts every valid file. It also accepts some invalid files, because
 * JSON Schema can't express all rules.
 */
export function editorSchema(kind: EditorKind): JsonSchema {
  const names = z.registry<{ id: string }>();
  for (const module of MODULES) {
    for (const [id, schema] of Object.entries(module)) {
      if (schema instanceof z.ZodMiniType && schema !== FILES[kind]) names.add(schema, { id });
    }
  }
  const schema = z.toJSONSchema(FILES[kind], {
    metadata: names,
    io: "input",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      delete jsonSchema.id;
      const checks = zodSchema._zod.def.checks ?? [];
      // An "overwrite" check trims the text before its length is checked, so the text in the file may be longer.
      if (checks.some((check) => check._zod.def.check === "overwrite")) delete jsonSchema.maxLength;
    },
  }) as JsonSchema;
  const { $schema, ...rest } = schema;
  // Only manifests and layout files may contain environment variables.
  if (kind === "Organization" || kind === "FormPatch") return { $schema, title: TITLES[kind], ...rest };
  const { $defs, ...root } = withPlaceholders(rest) as JsonSchema & { $defs: JsonSchema };
  return withDescriptions({ $schema, title: TITLES[kind], ...root, $defs: { ...$defs, [ENVIRONMENT]: PLACEHOLDER } });
}

/** Adds descriptions to the members of manifests and drafts. */
function withDescriptions(schema: JsonSchema): JsonSchema {
  const { properties, $defs, ...rest } = schema as { properties?: JsonSchema; $defs?: Record<string, JsonSchema> };
  const about =
    properties && "kind" in properties ? MANIFEST : properties && "schemaVersion" in properties ? DRAFT : {};
  const each = ([name, member]: [string, unknown]) => [
    name,
    about[name] === undefined ? member : { description: about[name], ...(member as JsonSchema) },
  ];
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(each)) }),
    ...($defs && {
      $defs: Object.fromEntries(Object.entries($defs).map(([name, one]) => [name, withDescriptions(one)])),
    }),
  };
}

/**
 * Adds a placeholder as an alternative wherever a word, number, boolean or id is expected, except for the kind of a
 * manifest.
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
