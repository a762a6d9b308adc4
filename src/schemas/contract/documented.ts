/**
 * The documented shapes of answers. They are the JSON Schemas of the operation table, from which the OpenAPI document of
 * the server is made too.
 */

import { REDACTED } from "../../base/secret.ts";
import { jsonSchemas } from "../json-schema.ts";
import { type OperationName, operationRow, operations } from "../operations.ts";
import type { JsonSchema, Schema } from "../schema.ts";

const PREFIX = "#/";

export type Documented = {
  /** Returns the schema of the answer of an operation. Undefined for an answer without content. */
  answer: (name: OperationName) => JsonSchema | undefined;
  /** Returns the alternatives of a schema, without references. */
  alternatives: (schema: JsonSchema) => JsonSchema[];
};

export async function loadDocumented(): Promise<Documented> {
  const results = new Map<OperationName, Schema>();
  for (const name of Object.keys(operations) as OperationName[]) {
    const schema = await operationRow(name).result?.();
    if (schema) results.set(name, schema);
  }
  const { schemas, nameOf } = jsonSchemas({ input: [], output: [...results.values()] }, PREFIX);
  return {
    answer(name) {
      const result = results.get(name);
      if (result === undefined) return undefined;
      const data = { $ref: PREFIX + nameOf(result) };
      return operationRow(name).paged ? data : { type: "object", properties: { data }, required: ["data"] };
    },
    alternatives: function alternatives(schema): JsonSchema[] {
      const reference = referenceIn(schema);
      if (reference !== undefined) return alternatives(schemas[reference.slice(PREFIX.length)]!);
      const { anyOf } = schema as { anyOf?: JsonSchema[] };
      return anyOf ? anyOf.flatMap(alternatives) : [schema];
    },
  };
}

export function referenceIn({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === "string" ? $ref : undefined;
}

export function requiredIn({ required = [] }: JsonSchema): readonly string[] {
  return required as string[];
}

/** Whether the members of an object are entries of a map, and not known members. */
export function isMap({ propertyNames }: JsonSchema): boolean {
  return propertyNames !== undefined;
}

const JSON_TYPE: Readonly<Record<string, string>> = { integer: "number", array: "list" };

/** Returns the types of a schema without alternatives. Undefined if each type is allowed. */
export function typesOf(schema: JsonSchema): string[] | undefined {
  const { type } = schema as { type?: string | string[] };
  return type === undefined ? undefined : [type].flat().map((one) => JSON_TYPE[one] ?? one);
}

export function allowsType(schema: JsonSchema, type: string): boolean {
  return typesOf(schema)?.includes(type) ?? true;
}

/** A redacted word counts as each word. */
export function allowsWord({ enum: words }: JsonSchema, word: string): boolean {
  return !Array.isArray(words) || word === REDACTED || words.includes(word);
}
