/** Adds the documentation of fields to JSON Schemas: descriptions, examples and defaults. */

import type { JsonSchema } from "../schema.ts";
import { MAX_MUTATION_ID } from "../words.ts";
import type { FieldDocs } from "./field-doc.ts";
import { FORM_DOCS } from "./form.ts";
import { LAYOUT_DOCS } from "./layout.ts";
import { ORGANIZATION_DOCS } from "./organization.ts";

/** The documentation of all fields, by the name of their type and their path in the type. */
export const FIELD_DOCS: Readonly<Record<string, FieldDocs>> = { ...LAYOUT_DOCS, ...FORM_DOCS, ...ORGANIZATION_DOCS };

/** Descriptions of types that several fields share. */
export const TYPE_DOCS: Readonly<Record<string, string>> = {
  Name: "1 to 200 characters, without the spaces around them",
  Identifier: "1 to 128 letters, digits, _, . or -; starts with a letter or digit; without ..",
  FieldKey: "1 to 63 lower-case letters, digits or _; starts with a letter",
  ClientMutationId: `1 to ${MAX_MUTATION_ID} characters`,
  FreeObject: "Any members; at most 16 KiB of JSON",
  FormConfig: "Any members except regions, blocks and layout; at most 16 KiB of JSON",
  Modes: "At least one mode, each once",
};

/**
 * Returns the schema with descriptions, examples and defaults.
 *
 * @param docs the documentation of the fields; undefined if there is none
 */
export function withFieldDocs(schema: JsonSchema, docs: FieldDocs | undefined): JsonSchema {
  return docs ? (annotate(schema, docs, "") as JsonSchema) : schema;
}

function annotate(schema: unknown, docs: FieldDocs, path: string): unknown {
  if (Array.isArray(schema)) return schema.map((each) => annotate(each, docs, path));
  if (typeof schema !== "object" || schema === null) return schema;
  const annotated = Object.entries(schema).map(([keyword, value]: [string, unknown]) => {
    if (keyword === "properties") return [keyword, annotateMembers(value as JsonSchema, docs, path)];
    return [keyword, keyword === "items" || keyword === "anyOf" ? annotate(value, docs, path) : value];
  });
  return Object.fromEntries(annotated);
}

function annotateMembers(members: JsonSchema, docs: FieldDocs, parent: string): JsonSchema {
  const annotated = Object.entries(members).map(([name, member]) => {
    const path = parent === "" ? name : `${parent}.${name}`;
    const inner = annotate(member, docs, path) as JsonSchema;
    const found = docs[path];
    if (!found) return [name, inner];
    const { about, example, default: defaultValue } = found;
    return [
      name,
      {
        description: about,
        ...(defaultValue !== undefined && { default: defaultValue }),
        examples: [example],
        ...inner,
        ...settingsOf(docs, path),
      },
    ];
  });
  return Object.fromEntries(annotated);
}

/** Returns the documented members of an object with free members, such as the `config` of a block. */
function settingsOf(docs: FieldDocs, path: string): JsonSchema {
  const settings = Object.entries(docs).flatMap(([name, { about, example, default: byDefault, isUndeclared }]) => {
    if (!isUndeclared || !name.startsWith(`${path}.`)) return [];
    const member = { description: about, ...(byDefault !== undefined && { default: byDefault }), examples: [example] };
    return [[name.slice(path.length + 1), member]];
  });
  return settings.length > 0 ? { type: "object", properties: Object.fromEntries(settings) as JsonSchema } : {};
}
