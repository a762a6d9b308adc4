/** The table of operations agrees with the schemas that it names. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { readShape } from "../../src/schemas/shape.ts";

const names = Object.keys(operations) as OperationName[];

describe("the table of operations", () => {
  it("has the 20 documented endpoints, and its own marked as extensions", () => {
    expect(names.filter((name) => !operationRow(name).extension)).toHaveLength(20);
    expect(names.filter((name) => operationRow(name).extension)).toEqual(["listLayouts", "getLayout"]);
  });

  describe.each(names.filter((name) => operationRow(name).query))("the query of %s", (name) => {
    const { query, readPlainQuery } = operationRow(name);
    const value = fc.oneof(
      fc.integer({ min: -1, max: 101 }),
      fc.constantFrom("exact", "none", "x", 1.5, null, undefined, 1e20),
    );

    it("has the same defaults with and without its schema", async () => {
      expect(readShape(await query!(), {})).toEqual({ ok: true, value: readPlainQuery!({}) });
    });

    it("is read without the schema only as the schema reads it", async () => {
      const schema = await query!();
      const queries = fc.dictionary(fc.constantFrom("page", "limit", "count", "sort", "type", "x"), value, {
        maxKeys: 4,
      });
      const samples = fc.sample(queries, 500);
      const plain = samples.filter((each) => readPlainQuery!(each) !== undefined);
      const expected = plain.map((each) => ({ ok: true, value: readPlainQuery!(each) }));
      expect(plain.map((each) => readShape(schema, each))).toEqual(expected);
    });
  });

  it("reads a page of forms without the schema", () => {
    const page = { page: 2, limit: 5, count: "none" };
    expect(operationRow("listForms").readPlainQuery!(page)).toEqual(page);
    expect(operationRow("listForms").readPlainQuery!({ limit: 101 })).toBeUndefined();
  });
});
