/**
 * Parses a large value in parts, and stops after enough problems. zod collects the problems of a whole value before it
 * returns. For hundreds of thousands of invalid values, this takes seconds or ends in a stack overflow.
 */

import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "./json.ts";

type AnySchema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

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
 * Returns the issues of a parse, at least `most` if there are so many. Each part that is not large is parsed as a whole.
 * The checks of a large list or object run after its parts, if all parts are valid.
 *
 * @param error phrases the issues, as in zod
 */
export function firstIssues(schema: AnySchema, value: unknown, most: number, error: z.core.$ZodErrorMap): Issue[] {
  const issues: Issue[] = [];
  const path: (string | number)[] = [];
  walk(schema, value);
  return issues;

  /** @returns whether the value has problems */
  function walk(part: AnySchema, inPart: unknown): boolean {
    if (!isLarge(inPart)) return parse(part, inPart);
    if (part instanceof z.ZodMiniOptional || part instanceof z.ZodMiniNullable || part instanceof z.ZodMiniDefault)
      return walk(part.def.innerType, inPart);
    if (part instanceof z.ZodMiniArray && Array.isArray(inPart))
      return items(part.def.element, inPart) || parse(checksOf(part), inPart);
    if (part instanceof z.ZodMiniObject && isJsonObject(inPart))
      return members(part, inPart) || parse(checksOf(part), inPart);
    return parse(part, inPart);
  }

  function parse(part: AnySchema, inPart: unknown): boolean {
    const result = z.safeParse(part, inPart, { error });
    if (result.success) return false;
    for (const issue of result.error.issues) issues.push({ ...issue, path: [...path, ...issue.path] });
    return true;
  }

  function step(to: string | number, part: AnySchema, inPart: unknown): boolean {
    path.push(to);
    const isWrong = walk(part, inPart);
    path.pop();
    return isWrong;
  }

  function items(element: AnySchema, list: unknown[]): boolean {
    let isWrong = false;
    for (let index = 0; index < list.length && issues.length < most; index++)
      isWrong = step(index, element, list[index]) || isWrong;
    return isWrong;
  }

  function members({ def: { shape, catchall } }: z.ZodMiniObject, object: JsonObject): boolean {
    let isWrong = false;
    for (const [key, member] of Object.entries(shape)) {
      if (issues.length >= most) return true;
      isWrong = step(key, member, object[key]) || isWrong;
    }
    if (!(catchall instanceof z.ZodMiniNever)) return isWrong;
    const unknown = Object.keys(object).filter((key) => !Object.hasOwn(shape, key));
    return parse(NOTHING, Object.fromEntries(unknown.slice(0, most).map((key) => [key, null]))) || isWrong;
  }
}

/** A schema without members. It reports every member of a value as unknown. */
const NOTHING = z.strictObject({});

/** Returns a schema with only the checks of `schema`, for a value whose parts are valid. */
function checksOf({ def: { checks = [] } }: z.ZodMiniArray | z.ZodMiniObject): AnySchema {
  return z.unknown().check(...(checks as z.core.$ZodCheck<unknown>[]));
}
