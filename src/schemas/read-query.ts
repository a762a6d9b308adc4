/** How the query of a URL is read: the other side of wire.ts. */

import * as z from "zod/mini";
import { isJsonObject } from "./json.ts";
import type { OperationRow } from "./operations.ts";
import type { ShapeProblem } from "./shape.ts";

/**
 * The query of a URL as its row's schema wants it: numbers read as numbers, lists and objects as JSON. What can't be
 * read so stays the text that it is, and an unknown parameter stays in: the schema says what is wrong with them.
 *
 * @returns `problems` holds only what a schema can't see: a parameter that stands twice
 */
export async function readQuery(
  parameters: URLSearchParams,
  row: OperationRow,
): Promise<{ query: Record<string, unknown>; problems: ShapeProblem[] }> {
  const schema = await row.query?.();
  const kinds = schema instanceof z.ZodMiniObject ? schema.shape : {};
  const query: Record<string, unknown> = {};
  const problems: ShapeProblem[] = [];
  // Not asked for by name: each such question goes through all of them.
  for (const [name, pairs] of Map.groupBy(parameters, ([parameter]) => parameter)) {
    const text = pairs[0]?.[1];
    if (pairs.length > 1) problems.push({ path: name, message: `is given ${pairs.length} times` });
    const kind = Object.hasOwn(kinds, name) ? kindOf(kinds[name] as z.ZodMiniType) : "string";
    // Defined and not assigned: `__proto__` is a name like any other, which the schema then refuses.
    Object.defineProperty(query, name, { value: read(text!, kind), enumerable: true });
  }
  return { query, problems };
}

/** The parameters that a query may have, and which of them are written as JSON. */
export function queryParameters(query: z.ZodMiniType): { name: string; isJson: boolean }[] {
  if (!(query instanceof z.ZodMiniObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => {
    const kind = kindOf(schema as z.ZodMiniType);
    return { name, isJson: kind === "array" || kind === "object" };
  });
}

/** What stands behind defaults, `optional` and references: `number`, `array`, `string` and the like. */
function kindOf(schema: z.ZodMiniType): string {
  if (schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniDefault || schema instanceof z.ZodMiniNullable)
    return kindOf(schema.def.innerType as z.ZodMiniType);
  if (schema instanceof z.ZodMiniLazy) return kindOf(schema.def.getter() as z.ZodMiniType);
  return schema.def.type;
}

function read(text: string, kind: string): unknown {
  // `Number` would take " 1", "0x10" and "" too.
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
