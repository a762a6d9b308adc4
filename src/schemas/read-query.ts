/** Reads the query of a URL. wire.ts writes such a query. */

import * as z from "zod/mini";
import { isJsonObject } from "./json.ts";
import type { OperationRow } from "./operations.ts";
import type { ShapeProblem } from "./shape.ts";

/**
 * Converts the parameters to the types of the row's schema. Lists and objects are read from JSON. A value that can't be
 * converted stays text. An unknown parameter is kept. The schema then reports these problems.
 *
 * @returns `query`, and `problems` with the parameters that occur more than once. The schema can't report these
 *   parameters
 */
export async function readQuery(
  parameters: URLSearchParams,
  row: OperationRow,
): Promise<{ query: Record<string, unknown>; problems: ShapeProblem[] }> {
  const schema = await row.query?.();
  const kinds = schema instanceof z.ZodMiniObject ? schema.shape : {};
  const query: Record<string, unknown> = {};
  const problems: ShapeProblem[] = [];
  // All parameters are grouped once, because each call of `URLSearchParams.getAll` would search all parameters.
  for (const [name, pairs] of Map.groupBy(parameters, ([parameter]) => parameter)) {
    const text = pairs[0]?.[1];
    if (pairs.length > 1) problems.push({ path: name, message: `is given ${pairs.length} times` });
    const kind = Object.hasOwn(kinds, name) ? kindOf(kinds[name] as z.ZodMiniType) : "string";
    // An assignment would not create a member named `__proto__`. The schema must report this name like any unknown
    // parameter.
    Object.defineProperty(query, name, { value: read(text!, kind), enumerable: true });
  }
  return { query, problems };
}

/** Returns the valid parameters of a query. `isJson` is true for lists and objects. */
export function queryParameters(query: z.ZodMiniType): { name: string; isJson: boolean }[] {
  if (!(query instanceof z.ZodMiniObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const kind = kindOf(schema as z.ZodMiniType);
    return { name, isJson: kind === "array" || kind === "object" };
  });
}

/** Returns the type inside defaults, optional schemas and references: `number`, `array`, `string` and so on. */
function kindOf(schema: z.ZodMiniType): string {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniDefault || schema instanceof z.ZodMiniNullable)
    return kindOf(schema.def.innerType as z.ZodMiniType);
  if (schema instanceof z.ZodMiniLazy) return kindOf(schema.def.getter() as z.ZodMiniType);
  return schema.def.type;
}

function read(text: string, kind: string): unknown {
  // The pattern is required because `Number` also accepts " 1", "0x10" and "".
  if (kind === "number") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (kind !== "array" && kind !== "object") return text;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) || isJsonObject(value) ? value : text;
  } catch {
    return text;
  }
}
