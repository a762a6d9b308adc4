/**
 * Matches values against zod schemas without a copy. A full parse of a draft takes five times as long. It would slow
 * the validation of a folder of manifests by a quarter (`npm run bench:manifests`). The full parse reads the values
 * that do not match, and reports their problems. It also reads the values that a parse changes.
 */

import type * as z from "zod/mini";
import { isJsonObject } from "./json.ts";
import type { ReadBy, Schema } from "./schema.ts";

/** Returns true only if a full parse succeeds and returns an equal value. */
type Matcher = (value: unknown) => boolean;

type AnySchema = { _zod: { def: z.core.$ZodTypeDef } };

/**
 * Returns the definition of a schema: type, parts and checks. Definitions are internals of zod, documented for authors
 * of libraries (https://zod.dev/packages/core). Only four files read definitions: this file, first-problems.ts,
 * read-query.ts and manifests/editor-schemas.ts.
 *
 * test/schemas/quick-shape.test.ts fails after an upgrade of zod. Compare the definitions of the new version with
 * {@link matcherOfType}. Then change the version in that test.
 */
export function definitionOf(schema: AnySchema): z.core.$ZodTypes["_zod"]["def"] {
  return schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
}

/**
 * If `value` matches `schema`, returns `value` with the defaults of its members. Otherwise returns undefined: the full
 * parse must read the value.
 */
export function readQuickly<S extends Schema>(schema: S, value: unknown): ReadBy<S> | undefined {
  const complete = withDefaults(schema, value);
  return matcherOf(schema)(complete) ? (complete as ReadBy<S>) : undefined;
}

function withDefaults(schema: AnySchema, value: unknown): unknown {
  const definition = definitionOf(schema);
  if (definition.type !== "object" || !isJsonObject(value)) return value;
  let complete = value;
  for (const [key, member] of Object.entries(definition.shape)) {
    const memberDefinition = definitionOf(member);
    if (memberDefinition.type !== "default" || value[key] !== undefined) continue;
    complete = { ...complete, [key]: memberDefinition.defaultValue };
  }
  return complete;
}

const matchers = new WeakMap<object, Matcher>();

export function matcherOf(schema: AnySchema): Matcher {
  let matcher = matchers.get(schema);
  if (matcher) return matcher;
  // The schema of a block refers to itself. So a matcher is created when the first value is matched.
  let created: Matcher | undefined;
  matcher = (value) => (created ??= withChecks(schema, matcherOfType(schema)))(value);
  matchers.set(schema, matcher);
  return matcher;
}

function matcherOfType(schema: AnySchema): Matcher {
  const definition = definitionOf(schema);
  switch (definition.type) {
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "number":
      return numberMatcher(definition);
    case "unknown":
      return () => true;
    case "literal":
      return (value) => definition.values.includes(value as z.core.util.Literal);
    case "enum": {
      const words = new Set<unknown>(Object.values(definition.entries));
      return (value) => words.has(value);
    }
    case "optional": {
      const inner = matcherOf(definition.innerType);
      return (value) => value === undefined || inner(value);
    }
    case "nullable": {
      const inner = matcherOf(definition.innerType);
      return (value) => value === null || inner(value);
    }
    case "default":
      return matcherOf(definition.innerType);
    case "array": {
      const element = matcherOf(definition.element);
      return (value) => {
        if (!Array.isArray(value)) return false;
        for (const item of value as unknown[]) if (!element(item)) return false;
        return true;
      };
    }
    case "record":
      // Matchers don't check the keys and values of a record. The full parse checks them if the schema restricts them.
      return isFreeRecord(definition) ? isJsonObject : () => false;
    case "object":
      return objectMatcher(definition);
    default:
      return () => false;
  }
}

function numberMatcher(definition: z.core.$ZodNumberDef & { format?: string }): Matcher {
  if (definition.format === undefined) return (value) => typeof value === "number" && Number.isFinite(value);
  return definition.format === "safeint" ? Number.isSafeInteger : () => false;
}

/** Whether a record accepts any string as a key and anything as a value. */
export function isFreeRecord({ keyType, valueType }: z.core.$ZodRecordDef): boolean {
  const key = definitionOf(keyType);
  return key.type === "string" && !key.checks && definitionOf(valueType).type === "unknown";
}

function objectMatcher({ shape, catchall }: z.core.$ZodObjectDef): Matcher {
  const others = catchall && definitionOf(catchall).type;
  const isOpen = others === "unknown";
  // Any other object schema drops unknown members, or checks them with a schema of their own. Only the full parse does
  // this.
  if (!isOpen && others !== "never") return () => false;
  const members = new Map(Object.entries(shape).map(([key, schema]) => [key, matcherOf(schema)]));
  const required = Object.keys(shape).filter((key) => definitionOf(shape[key]!).type !== "optional");
  return (value) => {
    if (!isJsonObject(value)) return false;
    // Most members are optional and absent, so the loop is over the members of the value.
    for (const key in value) {
      const matches = members.get(key);
      if (matches ? !matches(value[key]) : !isOpen) return false;
    }
    for (const key of required) if (value[key] === undefined && !members.get(key)!(undefined)) return false;
    return true;
  };
}

function withChecks(schema: AnySchema, matchesType: Matcher): Matcher {
  const checks = (definitionOf(schema).checks ?? []).map(checkMatcher);
  if (checks.length === 0) return matchesType;
  return (value) => matchesType(value) && checks.every((passes) => passes(value));
}

function checkMatcher({ _zod }: z.core.$ZodCheck): Matcher {
  const { check, pattern } = _zod.def as z.core.$ZodCheckStringFormatDef;
  if (check === "string_format" && pattern && !pattern.global && !pattern.sticky) {
    return (value) => pattern.test(value as string);
  }
  return (value) => {
    const payload = { value, issues: [] };
    const pending: unknown = _zod.check(payload as never);
    return pending === undefined && payload.issues.length === 0 && payload.value === value;
  };
}
