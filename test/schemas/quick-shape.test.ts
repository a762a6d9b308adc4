/** If a value matches quickly, the full parse must accept the value and return it unchanged. */

import * as fc from "fast-check";
import * as z from "zod/mini";
import { describe, expect, it } from "vitest";
import { AccessFile } from "../../src/schemas/access-file.ts";
import { DraftFile } from "../../src/schemas/draft.ts";
import { AssignmentSet, LayoutCreate } from "../../src/schemas/layout.ts";
import { findForbidden } from "../../src/schemas/json.ts";
import { FormManifest, LayoutManifest } from "../../src/manifests/manifest-schema.ts";
import { OrganizationFile } from "../../src/schemas/organization.ts";
import { definitionOf, readQuickly } from "../../src/schemas/quick-shape.ts";
import type { Schema } from "../../src/schemas/schema.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { wildDraft } from "../arbitraries/draft.ts";
import { propertyRuns } from "../effort.ts";

const schemas: Record<string, Schema> = {
  DraftFile,
  FormManifest,
  LayoutManifest,
  AccessFile,
  OrganizationFile,
  AssignmentSet,
  LayoutCreate,
};

const form = {
  kind: "Form",
  object: "staffing/candidate",
  name: "Card",
  types: ["VIEW"],
  isActive: true,
  config: { title: "Hello" },
  defaultFor: ["VIEW"],
  access: { users: [], roles: [{ role: "Recruiter", types: ["VIEW"] }] },
};
const layout = {
  kind: "Layout",
  name: "Card",
  surface: "CONTRACTOR",
  supportedModes: ["VIEW"],
  target: { scopeId: "sco_1" },
  assignments: { organizationDefault: true, roles: [{ role: "Recruiter", priority: 1 }] },
};

/**
 * Compares both ways to read a value that a file can contain. A quick match must return the result of the full parse.
 */
function compare(schema: Schema, value: unknown): "matched" | "undecided" {
  if (findForbidden(value)) return "undecided";
  const quick = readQuickly(schema, value);
  if (quick === undefined) return "undecided";
  expect(readShape(schema, value)).toEqual({ ok: true, value: quick });
  return "matched";
}

/** Returns a copy of a value. One member of the copy, at any depth, is deleted or replaced. */
function damage(value: unknown, at: number, by: unknown): unknown {
  const copy = structuredClone(value);
  const places: [container: Record<string, unknown>, key: string][] = [];
  const stack: unknown[] = [copy];
  for (let here = stack.pop(); here !== undefined; here = stack.pop()) {
    if (typeof here !== "object" || here === null) continue;
    for (const [key, child] of Object.entries(here)) {
      places.push([here as Record<string, unknown>, key]);
      stack.push(child);
    }
  }
  const place = places[at % Math.max(places.length, 1)];
  if (!place) return copy;
  const [container, key] = place;
  if (by === undefined) delete container[key];
  else container[key] = by;
  return copy;
}

const replacement = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom<unknown>(null, true, "", " x ", "VIEW", "..", -1, 0.5, 1e300, [], {}, [1], { a: 1 }, "x".repeat(300)),
  fc.constant({ big: "x".repeat(20_000) }),
  fc.jsonValue({ maxDepth: 2 }),
);

describe("a quick match", () => {
  it("matches drafts as users write them", () => {
    const runs = propertyRuns(300);
    let matched = 0;
    fc.assert(
      fc.property(wildDraft, (draft) => {
        if (compare(DraftFile, draft) === "matched") matched += 1;
      }),
      { numRuns: runs },
    );
    expect(matched).toBeGreaterThan((2 * runs) / 3);
  });

  it("matches manifests and adds the defaults of their members", () => {
    expect(compare(FormManifest, form)).toBe("matched");
    expect(readQuickly(FormManifest, form)).toMatchObject({ publish: true });
    expect(compare(LayoutManifest, layout)).toBe("matched");
  });

  it("agrees with the full parse on damaged values of every kind", () => {
    const value = fc.oneof(wildDraft as fc.Arbitrary<unknown>, fc.constantFrom<unknown>(form, layout));
    const runs = propertyRuns(1_000);
    const counts = { matched: 0, undecided: 0 };
    fc.assert(
      fc.property(value, fc.nat(), replacement, fc.constantFrom(...Object.keys(schemas)), (whole, at, by, name) => {
        const damaged = damage(whole, at, by);
        for (const schema of [schemas[name]!, DraftFile, FormManifest, LayoutManifest])
          counts[compare(schema, damaged)]++;
      }),
      { numRuns: runs },
    );
    expect(counts.matched).toBeGreaterThan(runs / 20);
    expect(counts.undecided).toBeGreaterThan(runs);
  });

  it("leaves values that parsing changes to the full parse", () => {
    expect(compare(FormManifest, { ...form, name: " Card " })).toBe("undecided");
    expect(compare(LayoutManifest, { ...layout, assignments: { roles: [] } })).toBe("undecided");
  });
});

describe("an upgrade of zod", () => {
  it("is compared with the definitions that are read here", () => {
    // Before a change of this version, compare the definitions of the new version with those in quick-shape.ts.
    expect(z.core.version).toEqual({ major: 4, minor: 6, patch: 7 });
  });

  it("keeps the type, the parts and the checks of each definition", () => {
    expect(definitionOf(z.optional(z.string()))).toMatchObject({
      type: "optional",
      innerType: expect.anything() as unknown,
    });
    expect(definitionOf(z.nullable(z.boolean()))).toMatchObject({
      type: "nullable",
      innerType: expect.anything() as unknown,
    });
    expect(definitionOf(z._default(z.number(), 7))).toMatchObject({ type: "default", defaultValue: 7 });
    expect(definitionOf(z.int())).toMatchObject({ type: "number", format: "safeint" });
    expect(definitionOf(z.literal(["a", 1]))).toMatchObject({ type: "literal", values: ["a", 1] });
    expect(definitionOf(z.enum(["a", "b"]))).toMatchObject({ type: "enum", entries: { a: "a", b: "b" } });
    expect(definitionOf(z.array(z.unknown()))).toMatchObject({ type: "array", element: expect.anything() as unknown });
    const record = definitionOf(z.record(z.string(), z.unknown()));
    expect(record).toMatchObject({
      type: "record",
      keyType: expect.anything() as unknown,
      valueType: expect.anything() as unknown,
    });
    const closed = z.strictObject({ a: z.string() });
    expect(definitionOf(closed)).toMatchObject({ type: "object", shape: { a: expect.anything() as unknown } });
    const catchalls = [closed, z.looseObject({}), z.object({})].map((schema) => {
      const definition = definitionOf(schema);
      return definition.type === "object" && definition.catchall && definitionOf(definition.catchall).type;
    });
    expect(catchalls).toEqual(["never", "unknown", undefined]);
    const [check] = definitionOf(z.string().check(z.regex(/^a$/))).checks ?? [];
    expect(check?._zod.def).toMatchObject({ check: "string_format", pattern: /^a$/ });
    expect(check?._zod).toMatchObject({ check: expect.any(Function) as unknown });
  });

  it("keeps every one of these types matched, with and without its checks", () => {
    const schema = z.strictObject({
      text: z.string().check(z.regex(/^a/), z.maxLength(3)),
      flag: z.boolean(),
      number: z.number().check(z.minimum(1)),
      whole: z.int(),
      literal: z.literal("x"),
      word: z.enum(["a", "b"]),
      list: z.array(z.nullable(z.string())),
      free: z.record(z.string(), z.unknown()),
      open: z.optional(z.looseObject({ a: z.optional(z.string()) })),
      preset: z._default(z.string(), "p"),
      any: z.unknown(),
    });
    const value = {
      text: "ab",
      flag: true,
      number: 1.5,
      whole: 2,
      literal: "x",
      word: "b",
      list: ["a", null],
      free: { a: 1 },
      open: { b: 2 },
      any: [],
    };
    expect(compare(schema, value)).toBe("matched");
    expect(readQuickly(schema, value)).toEqual({ ...value, preset: "p" });
    const wrong = { text: "abcd", number: 0, whole: 2.5, word: "c", list: [1], free: [], open: { a: 1 }, more: 1 };
    for (const [member, each] of Object.entries(wrong))
      expect(compare(schema, { ...value, [member]: each })).toBe("undecided");
  });
});
