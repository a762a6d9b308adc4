/** Converts the schemas of the API to JSON Schema 2020-12, named by their exports. */

import * as z from "zod/mini";
import * as currency from "./currency-schema.ts";
import * as draft from "./draft-schema.ts";
import * as errors from "./error-schema.ts";
import * as form from "./form-schema.ts";
import * as layout from "./layout-schema.ts";
import * as page from "./page-schema.ts";
import { FIELD_DOCS, withFieldDocs } from "./field-docs/field-docs.ts";
import type { JsonSchema } from "./schema.ts";

type Schema = z.ZodMiniType;

/** Returns every schema that the listed modules export, with its name. */
function namedSchemas(): Map<Schema, string> {
  const names = new Map<Schema, string>();
  for (const module of [currency, draft, errors, form, layout, page]) {
    for (const [name, value] of Object.entries(module)) {
      if (value instanceof z.ZodMiniType) names.set(value, name);
    }
  }
  return names;
}

/**
 * Converts the schemas of requests (`input`) and responses (`output`) to JSON Schema. Also converts all schemas that
 * they refer to. In `input` schemas, members with a default are optional. The schemas contain the documentation of
 * their fields. A reference consists of `prefix` and the name of a schema.
 *
 * @returns `schemas` by name, and `nameOf`, which returns the name of a requested schema
 */
export function jsonSchemas(
  wanted: { input: readonly Schema[]; output: readonly Schema[] },
  prefix: string,
): { schemas: Record<string, JsonSchema>; nameOf: (schema: Schema) => string } {
  const names = namedSchemas();
  const nameOf = (schema: Schema) => {
    const name = names.get(schema);
    if (name === undefined) throw new Error("a schema of the operations table is not exported by the listed modules");
    return name;
  };
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const schemas: Record<string, JsonSchema> = {};
  for (const io of ["input", "output"] as const) {
    const all = z.toJSONSchema(registry, { io, unrepresentable: "any", uri: (id) => prefix + id }).schemas;
    const add = (name: string): void => {
      const { $schema: _dialect, $id: _id, ...undocumented } = all[name] as JsonSchema;
      const schema = withFieldDocs(undocumented, FIELD_DOCS[name]);
      const text = JSON.stringify(schema);
      const present = schemas[name];
      if (present && JSON.stringify(present) === text) return;
      if (present) throw new Error(`${name} differs between requests and responses: use two names`);
      schemas[name] = schema;
      for (const [, other] of text.matchAll(/"\$ref":"[^"]*\/([^/"]+)"/g)) add(other!);
    };
    for (const schema of wanted[io]) add(nameOf(schema));
  }
  return { schemas, nameOf };
}
