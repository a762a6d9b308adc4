/**
 * Finds the first problems of a large value. A full parse collects all problems. This takes seconds for hundreds of
 * thousands of invalid values. This module parses only suspect parts, and stops after enough problems.
 */

import * as z from "zod/mini";
import { isJsonObject, type JsonObject } from "./json.ts";
import { definitionOf, isFreeRecord, matcherOf } from "./quick-shape.ts";

/** A part of a value that may be invalid, with its schema and path. */
export type Suspect = { schema: z.ZodMiniType; value: unknown; path: readonly (string | number)[] };

/** The size above which a value is large: the number of members and items, at all levels together. */
const LARGE = 2_000;

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
 * Visits each part of the root value once, in order. Passes the parts that may be invalid to `read`. The checks of a
 * list or object run after the checks of its members. They run only if all members are valid.
 *
 * @param read parses a suspect and returns whether it has problems
 * @param isEnough whether enough problems were found
 */
export function findSuspects(
  root: { schema: z.ZodMiniType; value: unknown },
  { read, isEnough }: { read: (suspect: Suspect) => boolean; isEnough: () => boolean },
): void {
  /** The current path. Only a suspect gets a copy of the path, because most parts are valid. */
  const path: (string | number)[] = [];
  walk(root.schema, root.value);

  /** @returns whether the value has problems */
  function walk(schema: z.core.$ZodType, value: unknown): boolean {
    const def = definitionOf(schema);
    switch (def.type) {
      case "optional":
      case "default":
        return value !== undefined && walk(def.innerType, value);
      case "nullable":
        return value !== null && walk(def.innerType, value);
      case "array":
        if (!Array.isArray(value)) return suspect(schema, value);
        return itemsOf(def, value) || checksOf(schema, value);
      case "object":
        if (!isJsonObject(value)) return suspect(schema, value);
        return membersOf(def, value) || checksOf(schema, value);
      case "record":
        if (!isJsonObject(value)) return suspect(schema, value);
        return entriesOf(schema, def, value) || checksOf(schema, value);
      default:
        return !matcherOf(schema)(value) && suspect(schema, value);
    }
  }

  function suspect(schema: z.core.$ZodType, value: unknown): boolean {
    return read({ schema: schema as z.ZodMiniType, value, path: [...path] });
  }

  function step(to: string | number, schema: z.core.$ZodType, value: unknown): boolean {
    path.push(to);
    const isWrong = walk(schema, value);
    path.pop();
    return isWrong;
  }

  function itemsOf({ element }: z.core.$ZodArrayDef, items: unknown[]): boolean {
    let isWrong = false;
    for (let index = 0; index < items.length && !isEnough(); index++)
      isWrong = step(index, element, items[index]) || isWrong;
    return isWrong;
  }

  function membersOf({ shape, catchall }: z.core.$ZodObjectDef, object: JsonObject): boolean {
    let isWrong = false;
    for (const key in shape) {
      if (isEnough()) return true;
      isWrong = step(key, shape[key]!, object[key]) || isWrong;
    }
    if ((catchall && definitionOf(catchall).type) !== "never") return isWrong;
    for (const key of Object.keys(object)) {
      if (isEnough()) return true;
      if (!Object.hasOwn(shape, key)) isWrong = suspect(NOTHING, { [key]: null });
    }
    return isWrong;
  }

  function entriesOf(schema: z.core.$ZodType, def: z.core.$ZodRecordDef, object: JsonObject): boolean {
    if (isFreeRecord(def)) return false;
    let isWrong = false;
    const [fitsKey, fitsValue] = [matcherOf(def.keyType), matcherOf(def.valueType)];
    for (const key of Object.keys(object)) {
      if (isEnough()) return true;
      if (!fitsKey(key) || !fitsValue(object[key])) isWrong = suspect(schema, { [key]: object[key] }) || isWrong;
    }
    return isWrong;
  }

  function checksOf(schema: z.core.$ZodType, value: unknown): boolean {
    const { checks = [] } = definitionOf(schema);
    return checks.length > 0 && !isEnough() && suspect(checksAlone(schema, checks), value);
  }
}

/** A schema without members. It reports every member of a value as unknown. */
const NOTHING = z.strictObject({});

const alone = new WeakMap<object, z.ZodMiniType>();

/** Returns a schema with only the checks of `schema`. It is used for a value whose members were already visited. */
function checksAlone(schema: object, checks: readonly z.core.$ZodCheck[]): z.ZodMiniType {
  let made = alone.get(schema);
  if (!made) alone.set(schema, (made = z.unknown().check(...(checks as z.core.$ZodCheck<unknown>[]))));
  return made;
}
