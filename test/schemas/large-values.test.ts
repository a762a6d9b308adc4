/** A large value is parsed in parts. Its problems and its result equal those of a parse as a whole. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { Draft } from "../../src/schemas/draft-schema.ts";
import { AccessMatrix } from "../../src/schemas/form-schema.ts";
import type { Schema } from "../../src/schemas/schema.ts";
import { readShape, type ShapeProblem } from "../../src/schemas/shape.ts";
import { propertyRuns } from "../effort.ts";

const draftOf = (blocks: unknown) => ({ clientMutationId: "m", schemaVersion: 1, regions: [], blocks });

/** A valid block that makes a draft large (`isLarge`): it is parsed in parts. Without it, it is parsed as a whole. */
const filler = [{ type: "section", source: "system", children: [], more: Array.from({ length: 21_000 }, () => 1) }];

function problemsOf(schema: Schema, value: unknown, most?: number): ShapeProblem[] {
  const shape = readShape(schema, value, most);
  return shape.ok ? [] : shape.problems;
}

const value = fc.oneof(
  fc.constantFrom<unknown>(1, "x", null, true, "", 1.5),
  fc.constant<unknown>([]),
  fc.constant<unknown>({ type: "nothing" }),
);

const wrongBlock = fc.record(
  {
    type: fc.oneof(fc.constant<unknown>("section"), value),
    source: fc.oneof(fc.constant<unknown>("system"), value),
    id: value,
    ref: fc.oneof(value, fc.record({ fieldKey: value, more: value })),
    grid: fc.oneof(value, fc.record({ colSpan: value })),
    config: fc.oneof(value, fc.constant<unknown>({ text: "x".repeat(17_000) })),
    supportedModes: fc.oneof(value, fc.array(fc.constantFrom("VIEW", "EDIT", "none", 1))),
    children: fc.oneof(value, fc.array(value, { maxLength: 3 })),
    more: value,
  },
  { requiredKeys: [] },
);

describe("the problems of a large draft", () => {
  it("equal those of a parse as a whole", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(wrongBlock, value), { maxLength: 6 }), fc.anything(), (blocks, regions) => {
        const draft = { ...draftOf(blocks), regions: Array.isArray(regions) ? [] : regions };
        const large = { ...draft, blocks: [...blocks, ...filler] };
        expect(problemsOf(Draft, large)).toEqual(problemsOf(Draft, draft));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("are found in its other members too", () => {
    for (const members of [{ unknown: 1 }, { schemaVersion: 2 }, { metadata: [] }, { scriptBindings: [{}] }, {}]) {
      const staged = { draftId: "d", action: "create", name: " trimmed " };
      const draft = { ...draftOf([]), stagedFieldDefinitions: [staged], ...members };
      expect(problemsOf(Draft, { ...draft, blocks: filler })).toEqual(problemsOf(Draft, draft));
    }
  });

  it("are no more than are enough", () => {
    const draft = (count: number) => draftOf(Array.from({ length: count }, () => ({ type: "nothing" })));
    expect(problemsOf(Draft, draft(25_000), 101)).toHaveLength(101);
    expect(problemsOf(Draft, draft(25_000), 101)).toEqual(problemsOf(Draft, draft(101)).slice(0, 101));
  });

  it("are all returned without a limit, also if they are too many for the stack", () => {
    expect(problemsOf(Draft, draftOf(Array.from({ length: 200_000 }, () => 1)))).toHaveLength(200_000);
  });

  it("are none for a valid value, which is read as by a parse as a whole", () => {
    const staged = { draftId: "d", action: "create", key: "k", type: "TEXT", name: " trimmed " };
    const draft = { ...draftOf([...filler, { type: "section", source: "system", more: 1 }]) };
    const members = { metadata: { b: 1, a: 2 }, scriptBindings: undefined, stagedFieldDefinitions: [staged] };
    for (const large of [{ ...draft, ...members }, { ...draftOf(filler), ...members }, draftOf(filler)]) {
      const whole = { ok: true, value: z.parse(Draft, large) };
      // The texts also have the same order of members.
      expect(JSON.stringify(readShape(Draft, large, 101))).toBe(JSON.stringify(whole));
    }
  });

  it("are none for a member that its schema does not name, which is read by the schema of such members", () => {
    const schema = z.catchall(z.object({ list: z.array(z.int()) }), z.object({ name: z._default(z.string(), "none") }));
    const list = Array.from({ length: 21_000 }, () => 1);
    expect(readShape(schema, { list, other: {} })).toStrictEqual({
      ok: true,
      value: { list, other: { name: "none" } },
    });
    expect(problemsOf(schema, { list, other: 1 })).toStrictEqual([
      { path: "other", message: "must be an object, not 1" },
    ]);
  });
});

it("reports at most 200 repeated items of a list", () => {
  const users = Array.from({ length: 1_000 }, () => ({ membershipId: "m", types: ["VIEW"] }));
  expect(problemsOf(AccessMatrix, { users, roles: [] })).toHaveLength(200);
});

it("reports rows of a matrix that occur twice", () => {
  const users = Array.from({ length: 1_000 }, (_, at) => ({ membershipId: `m${at % 990}`, types: ["VIEW"] }));
  const matrix = { users, roles: [] };
  expect(problemsOf(AccessMatrix, matrix, 101)).toEqual(problemsOf(AccessMatrix, matrix));
  expect(problemsOf(AccessMatrix, matrix, 101)).toHaveLength(10);
});
