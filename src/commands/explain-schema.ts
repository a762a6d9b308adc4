/** Finds and describes the fields of a JSON Schema, for `formctl explain`. */

import type { JsonSchema } from "../schemas/schema.ts";

/** The schema of a file, with the definitions to which its parts refer. */
export type FileSchema = { kind: string; readonly schema: JsonSchema };

/** A field of a file. The name of a member of a map is `<name>`. */
export type SchemaField = { name: string; schema: JsonSchema; isRequired: boolean };

/** The name of the definition for values from environment variables. Every manifest accepts such values. */
const ENVIRONMENT = "FromEnvironment";
/**
 * The library that creates the JSON Schemas gives every integer this limit, positive or negative. It is not a rule of
 * formctl, so it is not printed.
 */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER;
export const ANY_NAME = "<name>";

/** Splits `layout.blocks[2].grid` into the names of fields. */
export function fieldNames(path: string): string[] {
  return path.replaceAll(/\[[^\]]*\]/g, "").split(".");
}

/**
 * Returns the field at the path `names`. An empty path names the whole file. Returns undefined if the file has no such
 * field.
 */
export function findField(file: FileSchema, names: readonly string[]): SchemaField | undefined {
  let field: SchemaField | undefined = { name: file.kind, schema: file.schema, isRequired: true };
  for (const name of names) {
    const members: SchemaField[] = field ? membersOf(file, field.schema) : [];
    field = members.find((member) => member.name === name) ?? members.find((member) => member.name === ANY_NAME);
  }
  return field;
}

/** Returns the members of an object, or of the objects in a list. */
export function membersOf(file: FileSchema, schema: JsonSchema): SchemaField[] {
  const members = new Map<string, SchemaField>();
  for (const { part } of variantsOf(file, schema)) {
    const {
      properties = {},
      required = [],
      additionalProperties: others,
      items,
    } = part as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
      additionalProperties?: JsonSchema | boolean;
      items?: JsonSchema;
    };
    const found = Object.entries(properties).map(([name, member]) => ({
      name,
      schema: member,
      isRequired: required.includes(name),
    }));
    if (isSchema(others)) found.push({ name: ANY_NAME, schema: others, isRequired: false });
    if (items) found.push(...membersOf(file, items));
    for (const member of found) if (!members.has(member.name)) members.set(member.name, member);
  }
  return [...members.values()];
}

/**
 * Whether `additionalProperties` describes the members of a map. Otherwise it only allows or refuses further members.
 */
function isSchema(others: JsonSchema | boolean | undefined): others is JsonSchema {
  return typeof others === "object" && Object.keys(others).length > 0;
}

/** Returns the type of a field: `string`, `list of objects`, `integer or null`. */
export function typeOf(file: FileSchema, schema: JsonSchema): string {
  const types = variantsOf(file, schema).flatMap(({ part }) => {
    const { type, items, ["const"]: value } = part as { type?: string | string[]; items?: JsonSchema; const?: unknown };
    if (items) return [`list of ${plural(typeOf(file, items))}`];
    return type === undefined ? [value === undefined ? "any value" : typeof value] : [type].flat();
  });
  return [...new Set(types)].join(" or ");
}

const plural = (type: string) => (/^(string|integer|number|boolean|object)$/.test(type) ? `${type}s` : type);

/** Returns the possible values of a field, or of the items of a list. Empty if the schema does not list the values. */
export function valuesOf(file: FileSchema, schema: JsonSchema): string[] {
  return variantsOf(file, schema).flatMap(({ part }) => {
    const { enum: values, const: value, items } = part as { enum?: unknown[]; const?: unknown; items?: JsonSchema };
    if (items) return valuesOf(file, items);
    return [...(values ?? []), ...(value === undefined ? [] : [value])].map(String);
  });
}

/** Returns the default value of a field as JSON; undefined if the schema has no default value. */
export function defaultOf(file: FileSchema, schema: JsonSchema): string | undefined {
  const found = [schema, ...variantsOf(file, schema).map(({ part }) => part)].find((part) => "default" in part);
  return found && JSON.stringify(found["default"]);
}

/** Returns the limits of a field as sentences, such as `at most 100 items`. */
export function limitsOf(file: FileSchema, schema: JsonSchema): string[] {
  const limits = variantsOf(file, schema).flatMap(({ part, about }) => {
    const { items } = part as { items?: JsonSchema };
    const ofItems = items ? limitsOf(file, items).map((limit) => `each item: ${limit}`) : [];
    return [...(about === undefined ? keywordLimits(part) : [lowerFirst(about)]), ...ofItems];
  });
  return [...new Set(limits)];
}

function keywordLimits(part: JsonSchema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern } = part as Record<string, number> & {
    pattern?: string;
  };
  const range = (least: number | undefined, most: number | undefined, unit: string) => [
    ...(least === undefined || Math.abs(least) === MAX_INTEGER ? [] : [`at least ${least}${unit}`]),
    ...(most === undefined || most === MAX_INTEGER ? [] : [`at most ${most}${unit}`]),
  ];
  return [
    ...range(minLength, maxLength, " characters"),
    ...range(minItems, maxItems, " items"),
    ...range(minimum, maximum, ""),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
  ];
}

const lowerFirst = (text: string) => text.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** Returns the name of the definition for a field, or for the items of a list. Undefined without a definition. */
export function definitionOf(file: FileSchema, schema: JsonSchema): string | undefined {
  for (const { part, name } of variantsOf(file, schema)) {
    if (name !== undefined) return name;
    const { items } = part as { items?: JsonSchema };
    if (items) return definitionOf(file, items);
  }
  return undefined;
}

/** A possible shape of a value. `name` and `about` come from the definition of the shape, if there is one. */
type Variant = { part: JsonSchema; name?: string; about?: string };

/** Returns the possible shapes of a value, except a reference to an environment variable. */
function variantsOf(file: FileSchema, schema: JsonSchema): Variant[] {
  const { anyOf, $ref, properties } = schema as { anyOf?: JsonSchema[]; $ref?: string; properties?: JsonSchema };
  if (anyOf) return anyOf.flatMap((each) => variantsOf(file, each));
  if ($ref === undefined) return [{ part: schema }];
  const name = definitionName($ref);
  if (name === ENVIRONMENT) return [];
  const { description, ...part } = definitionsOf(file)[name] as JsonSchema & { description?: string };
  return variantsOf(file, part).map((variant) => ({
    name,
    ...(description !== undefined && { about: description }),
    ...variant,
    // Next to a `$ref`, `properties` describe some members of an object that accepts any members.
    ...(properties && { part: { ...variant.part, properties } }),
  }));
}

const definitionName = ($ref: string) => $ref.slice($ref.lastIndexOf("/") + 1);
const definitionsOf = ({ schema }: FileSchema) => (schema["$defs"] ?? {}) as Record<string, JsonSchema>;

/** Returns the schema of a field as a complete JSON Schema, with the definitions to which it refers. */
export function completeSchema(file: FileSchema, schema: JsonSchema): JsonSchema {
  if (schema === file.schema) return schema;
  const used = new Map<string, JsonSchema>();
  const add = (part: JsonSchema) => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"\$ref":"[^"]*\/([^/"]+)"/g)) {
      if (used.has(name)) continue;
      used.set(name, definitionsOf(file)[name]!);
      add(definitionsOf(file)[name]!);
    }
  };
  add(schema);
  return { ...schema, ...(used.size > 0 && { $defs: Object.fromEntries(used) }) };
}
