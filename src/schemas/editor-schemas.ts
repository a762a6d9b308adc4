/** The files that people write as JSON Schema 2020-12, for editors: made from the schemas that read them. */

import * as z from "zod/mini";
import * as access from "./access-file.ts";
import * as draft from "./draft.ts";
import * as form from "./form.ts";
import * as layout from "./layout.ts";
import * as manifest from "./manifest.ts";
import * as organization from "./organization.ts";
import * as text from "./text.ts";
import type { JsonSchema } from "./json-schema.ts";

const MODULES = [access, draft, form, layout, manifest, organization, text];

/** What each kind of file is read by. */
const FILES = {
  Manifest: z.union([manifest.FormManifest, manifest.LayoutManifest]),
  Form: manifest.FormManifest,
  Layout: manifest.LayoutManifest,
  Draft: draft.DraftFile,
  Organization: organization.OrganizationFile,
} as const;
export type EditorKind = keyof typeof FILES;
export const EDITOR_KINDS = Object.keys(FILES) as EditorKind[];

const TITLES: Record<EditorKind, string> = {
  Manifest: "A form or layout, as formctl plan and apply read it",
  Form: "A form, as formctl plan and apply read it",
  Layout: "A layout that no form owns, as formctl plan and apply read it",
  Draft: "A layout file: exactly the body of a draft",
  Organization: "An organization file, as formctl local seed reads it",
};

/** What an editor shows of a member, by the kind of what it belongs to. `formctl help manifests` says the same on one page. */
const MANIFEST: Readonly<Record<string, string>> = {
  kind: "Form, or Layout for a layout that no form owns",
  name: "With the object, or with surface and target, it tells this apart. Another name is another form or layout, without renamedFrom",
  renamedFrom: "The name that it had: the record is renamed, and not made a second time. It may stay",
  layout:
    "The path of a layout file beside this one, or the draft itself in place. Left out: its draft is left as it is",
  publish: "false: the draft is saved, and nobody sees it",
  confirmFieldChanges: "Draft ids of staged changes whose loss of values somebody has read and accepts",
  object: "The object that the form is of: MODULE/OBJECT",
  types: "The modes that the form serves",
  isActive: "false: nobody can use it. Left out: left as it is",
  isPublic: "true: anybody with its public link can use it. Left out: left as it is",
  config: "title, description, successMessage, and members of your own. Left out: left as it is",
  defaultFor:
    "The modes for which the object uses this form when nobody names one; [] for none. Left out: left as they are",
  access: "The whole matrix of members and roles. Left out: left as it is",
  surface: "Where the layout is shown",
  target: "What of the surface it is for",
  supportedModes: "The modes that the layout serves",
  metadata: "An object of your own. Left out: left as it is",
  assignments: "All of them: whether it is the organization's default, and for which roles. Left out: left as they are",
};
const DRAFT: Readonly<Record<string, string>> = {
  schemaVersion: "1",
  clientMutationId: "Of a body that is sent as it is; the commands make their own",
  regions: "The areas of the page, each with a key",
  blocks: "What is shown: fields, sections, tables, each in a region",
  stagedFieldDefinitions: "Fields that are made, changed or deleted when this is published, once",
  scriptBindings: "Registered scripts, and where they act",
  metadata: "An object of your own",
};

/** Where the environment says what is meant (docs/layouts-as-code.md). */
const ENVIRONMENT = "FromEnvironment";
const PLACEHOLDER = {
  type: "string",
  pattern: String.raw`\$\{`,
  description:
    "A value of the environment: ${NAME} or ${NAME:-default}. FORMCTL_… is refused, and so is what formctl.yaml does not list where it has variables",
};

/** What the editor is told is never stricter than what is read; some rules it can't tell. */
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
      // A text that is trimmed first may be longer as it stands.
      if (checks.some((check) => check._zod.def.check === "overwrite")) delete jsonSchema.maxLength;
    },
  }) as JsonSchema;
  const { $schema, ...rest } = schema;
  if (kind === "Organization") return { $schema, title: TITLES[kind], ...rest };
  const { $defs, ...root } = withPlaceholders(rest) as JsonSchema & { $defs: JsonSchema };
  return explained({ $schema, title: TITLES[kind], ...root, $defs: { ...$defs, [ENVIRONMENT]: PLACEHOLDER } });
}

/** The schema with what each member of a manifest and of a draft means. */
function explained(schema: JsonSchema): JsonSchema {
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
    ...($defs && { $defs: Object.fromEntries(Object.entries($defs).map(([name, one]) => [name, explained(one)])) }),
  };
}

/** Of a word, number, truth value or id a placeholder may stand in the place. The kind of a manifest is always said. */
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

/** Whether text alone would be refused here. */
function isLeaf(schema: JsonSchema): boolean {
  const { type } = schema;
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.some((one) => READ_FROM_TEXT.has(one)) || "enum" in schema || "const" in schema || "pattern" in schema;
}
