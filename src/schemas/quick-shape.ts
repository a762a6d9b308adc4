/**
 * Whether a value has its shape already, told by its schema without building it anew: a fraction of the time of a full
 * reading, which is left for values that are refused or changed by it. Whatever of a schema is not known here is refused,
 * so that the full reading decides.
 */

import type * as z from "zod/mini";
import { isJsonObject } from "./json.ts";
import type { ReadBy, Schema } from "./schema.ts";

/** True only where reading would succeed and give back an equal value. */
type Quick = (value: unknown) => boolean;

type Part = { _zod: { def: z.core.$ZodTypeDef } };
type Check = z.core.$ZodCheck;

const known = new WeakMap<object, Quick>();

/** `value` as `schema` reads it, with the defaults of its members; undefined where only a full reading can tell. */
export function readQuickly<S extends Schema>(schema: S, value: unknown): ReadBy<S> | undefined {
  const complete = withDefaults(schema, value);
  return quickOf(schema)(complete) ? (complete as ReadBy<S>) : undefined;
}

function withDefaults(schema: Part, value: unknown): unknown {
  const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
  if (def.type !== "object" || !isJsonObject(value)) return value;
  let complete = value;
  for (const [key, member] of Object.entries(def.shape)) {
    const { type, defaultValue } = member._zod.def as z.core.$ZodDefaultDef;
    if (type === "default" && value[key] === undefined) complete = { ...complete, [key]: defaultValue };
  }
  return complete;
}

/** Whether a value has the shape of `schema`; where this says no, a full reading decides. */
export function quickOf(schema: Part): Quick {
  let quick = known.get(schema);
  if (quick) return quick;
  // Blocks hold blocks: what a schema refers to is looked at when it is met first.
  let made: Quick | undefined;
  quick = (value) => (made ??= withChecks(schema, ofType(schema)))(value);
  known.set(schema, quick);
  return quick;
}

function ofType(schema: Part): Quick {
  const def = schema._zod.def as z.core.$ZodTypes["_zod"]["def"];
  switch (def.type) {
    case "string":
      return (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "number":
      return quickNumber(def);
    case "unknown":
      return () => true;
    case "literal":
      return (value) => def.values.includes(value as z.core.util.Literal);
    case "enum": {
      const words = new Set<unknown>(Object.values(def.entries));
      return (value) => words.has(value);
    }
    case "optional":
      return undefinedOr(def.innerType);
    case "nullable": {
      const inner = quickOf(def.innerType);
      return (value) => value === null || inner(value);
    }
    case "default":
      return quickOf(def.innerType);
    case "array": {
      const element = quickOf(def.element);
      return (value) => {
        if (!Array.isArray(value)) return false;
        for (const item of value as unknown[]) if (!element(item)) return false;
        return true;
      };
    }
    case "record":
      return quickRecord(def);
    case "object":
      return quickObject(def);
    default:
      return () => false;
  }
}

function quickNumber(def: z.core.$ZodNumberDef & { format?: string }): Quick {
  if (def.format === undefined) return (value) => typeof value === "number" && Number.isFinite(value);
  return def.format === "safeint" ? Number.isSafeInteger : () => false;
}

function undefinedOr(schema: Part): Quick {
  const inner = quickOf(schema);
  return (value) => value === undefined || inner(value);
}

/** Records of anything by any text; other records have their keys read too. */
function quickRecord(def: z.core.$ZodRecordDef): Quick {
  return isFreeRecord(def) ? (value) => isJsonObject(value) : () => false;
}

export function isFreeRecord({ keyType, valueType }: z.core.$ZodRecordDef): boolean {
  return keyType._zod.def.type === "string" && !keyType._zod.def.checks && valueType._zod.def.type === "unknown";
}

function quickObject({ shape, catchall }: z.core.$ZodObjectDef): Quick {
  const isOpen = catchall?._zod.def.type === "unknown";
  // An object that drops what it does not know is built anew by its reading.
  if (!isOpen && catchall?._zod.def.type !== "never") return () => false;
  const members = new Map(Object.entries(shape).map(([key, schema]) => [key, quickOf(schema)]));
  const required = Object.keys(shape).filter((key) => shape[key]!._zod.def.type !== "optional");
  return (value) => {
    if (!isJsonObject(value)) return false;
    // Most members are optional and absent: what is there is looked at, and not what might be.
    for (const key in value) {
      const fits = members.get(key);
      if (fits ? !fits(value[key]) : !isOpen) return false;
    }
    for (const key of required) if (value[key] === undefined && !members.get(key)!(undefined)) return false;
    return true;
  };
}

function withChecks(schema: Part, fits: Quick): Quick {
  const checks = (schema._zod.def.checks ?? []) as readonly Check[];
  if (checks.length === 0) return fits;
  const passes = checks.map(quickCheck);
  return (value) => fits(value) && passes.every((pass) => pass(value));
}

function quickCheck({ _zod }: Check): Quick {
  const { check, pattern } = _zod.def as z.core.$ZodCheckStringFormatDef;
  if (check === "string_format" && pattern && !pattern.global && !pattern.sticky) {
    return (value) => pattern.test(value as string);
  }
  return (value) => {
    const payload = { value, issues: [] };
    const later: unknown = _zod.check(payload as never);
    return later === undefined && payload.issues.length === 0 && payload.value === value;
  };
}
