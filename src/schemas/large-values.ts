/**
 * Parses a large value in parts, and stops after enough problems. zod collects the problems of a whole value before it
 * returns. For hundreds of thousands of invalid values, this takes seconds or ends in a stack overflow.
 */

import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "./json.ts";

type AnySchema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

/** The value of a parse without issues. */
type Read = { value: unknown } | undefined;

/** The size above which a value is large: the number of members and items, at all levels together. */
const LARGE = 20_000;

export function isLarge(value: unknown): boolean {
  const stack = [value];
  let count = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== "object" || next === null) continue;
    for (const member of Object.values(next)) {
      if (++count > LARGE) return true;
      if (typeof member === "object") stack.push(member);
    }
  }
  return false;
}

/**
 * Parses a large value. Each part that is not large is parsed as a whole. The checks of a large list or object run after
 * its parts, if all parts are valid.
 *
 * @param most the parse stops after this number of issues
 * @param error phrases the issues, as in zod
 */
export function parseLarge(
  schema: AnySchema,
  value: unknown,
  most: number,
  error: z.core.$ZodErrorMap,
): { issues: Issue[] } | { value: unknown } {
  const issues: Issue[] = [];
  const path: (string | number)[] = [];
  return walk(schema, value) ?? { issues };

  function walk(part: AnySchema, inPart: unknown): Read {
    if (!isLarge(inPart)) return parse(part, inPart);
    if (isWrapper(part) && !part.def.checks?.length) return walk(part.def.innerType, inPart);
    if (part instanceof z.ZodMiniArray && Array.isArray(inPart)) return items(part, inPart);
    if (part instanceof z.ZodMiniObject && isJsonObject(inPart)) return members(part, inPart);
    return parse(part, inPart);
  }

  function parse(part: AnySchema, inPart: unknown): Read {
    const result = z.safeParse(part, inPart, { error });
    if (result.success) return { value: result.data };
    for (const issue of result.error.issues) issues.push({ ...issue, path: [...path, ...issue.path] });
    return undefined;
  }

  function step(to: string | number, part: AnySchema, inPart: unknown): Read {
    path.push(to);
    const read = walk(part, inPart);
    path.pop();
    return read;
  }

  function items(part: z.ZodMiniArray, list: unknown[]): Read {
    const values: unknown[] = [];
    for (let index = 0; index < list.length && issues.length < most; index++) {
      const read = step(index, part.def.element, list[index]);
      if (read) values.push(read.value);
    }
    return values.length === list.length ? parse(checksOf(part), values) : undefined;
  }

  function members(part: z.ZodMiniObject, object: JsonObject): Read {
    const { shape, catchall } = part.def;
    const entries: [string, unknown][] = [];
    let isValid = true;
    const others = Object.keys(object).filter((key) => !Object.hasOwn(shape, key));
    const known = Object.entries<AnySchema>(shape);
    const extra = catchall && !isNever(catchall) ? others.map((key): [string, AnySchema] => [key, catchall]) : [];
    for (const [key, member] of [...known, ...extra]) {
      if (issues.length >= most) return undefined;
      const read = step(key, member, object[key]);
      if (!read) isValid = false;
      else if (read.value !== undefined || Object.hasOwn(object, key)) entries.push([key, read.value]);
    }
    if (catchall && isNever(catchall) && others.length > 0) {
      parse(NOTHING, Object.fromEntries(others.slice(0, most).map((key) => [key, null])));
      return undefined;
    }
    return isValid ? parse(checksOf(part), Object.fromEntries(entries)) : undefined;
  }
}

function isWrapper(schema: AnySchema): schema is z.ZodMiniOptional | z.ZodMiniNullable | z.ZodMiniDefault {
  return (
    schema instanceof z.ZodMiniOptional || schema instanceof z.ZodMiniNullable || schema instanceof z.ZodMiniDefault
  );
}

function isNever(schema: AnySchema): boolean {
  return schema instanceof z.ZodMiniNever;
}

/** A schema without members. It reports every member of a value as unknown. */
const NOTHING = z.strictObject({});

/** Returns a schema with only the checks of `schema`, for a value whose parts are valid. */
function checksOf({ def: { checks = [] } }: z.ZodMiniArray | z.ZodMiniObject): AnySchema {
  return z.unknown().check(...(checks as z.core.$ZodCheck<unknown>[]));
}
