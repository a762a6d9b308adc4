/** The quick look at a shape says yes only where the full reading does, and then gives the same value. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccessFile } from "../../src/schemas/access-file.ts";
import { DraftFile } from "../../src/schemas/draft.ts";
import { AssignmentSet, LayoutCreate } from "../../src/schemas/layout.ts";
import { findForbidden } from "../../src/schemas/json.ts";
import { FormManifest, LayoutManifest } from "../../src/schemas/manifest.ts";
import { OrganizationFile } from "../../src/schemas/organization.ts";
import { readQuickly } from "../../src/schemas/quick-shape.ts";
import type { Schema } from "../../src/schemas/schema.ts";
import { readShape } from "../../src/schemas/shape.ts";
import { wildDraft } from "../arbitraries/draft.ts";

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

/** What the full reading makes of a value that a file can hold. A quick yes must be the same. */
function compare(schema: Schema, value: unknown): "yes" | "undecided" {
  if (findForbidden(value)) return "undecided";
  const quick = readQuickly(schema, value);
  if (quick === undefined) return "undecided";
  expect(readShape(schema, value)).toEqual({ ok: true, value: quick });
  return "yes";
}

/** A value with one of its members, anywhere, taken out or replaced. */
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

describe("the quick look at a shape", () => {
  it("says yes to drafts as people write them, and the full reading agrees", () => {
    let yes = 0;
    fc.assert(
      fc.property(wildDraft, (draft) => {
        if (compare(DraftFile, draft) === "yes") yes += 1;
      }),
      { numRuns: 300 },
    );
    expect(yes).toBeGreaterThan(200);
  });

  it("says yes to manifests, and gives them the defaults of their members", () => {
    expect(compare(FormManifest, form)).toBe("yes");
    expect(readQuickly(FormManifest, form)).toMatchObject({ publish: true });
    expect(compare(LayoutManifest, layout)).toBe("yes");
  });

  it("agrees with the full reading on damaged values of every kind", () => {
    const value = fc.oneof(wildDraft as fc.Arbitrary<unknown>, fc.constantFrom<unknown>(form, layout));
    const told = { yes: 0, undecided: 0 };
    fc.assert(
      fc.property(value, fc.nat(), replacement, fc.constantFrom(...Object.keys(schemas)), (whole, at, by, name) => {
        const damaged = damage(whole, at, by);
        for (const schema of [schemas[name]!, DraftFile, FormManifest, LayoutManifest])
          told[compare(schema, damaged)]++;
      }),
      { numRuns: 1_000 },
    );
    expect(told.yes).toBeGreaterThan(50);
    expect(told.undecided).toBeGreaterThan(1_000);
  });

  it("leaves to the full reading what it would change", () => {
    expect(compare(FormManifest, { ...form, name: " Card " })).toBe("undecided");
    expect(compare(LayoutManifest, { ...layout, assignments: { roles: [] } })).toBe("undecided");
  });
});
