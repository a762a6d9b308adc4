/** The table of operations against the schemas that it names. */

import { describe, expect, it } from "vitest";
import { type OperationName, operationRow, operations } from "../../src/schemas/operations.ts";
import { readShape } from "../../src/schemas/shape.ts";

const names = Object.keys(operations) as OperationName[];

describe("the table of operations", () => {
  it("has the 20 documented endpoints, and its own marked as extensions", () => {
    expect(names.filter((name) => !operationRow(name).extension)).toHaveLength(20);
    expect(names.filter((name) => operationRow(name).extension)).toEqual(["listLayouts", "getLayout"]);
  });

  it.each(names.filter((name) => operationRow(name).query))(
    "%s has the defaults of its query schema in its row",
    async (name) => {
      const { query, emptyQuery } = operationRow(name);
      expect(readShape(await query!(), {})).toEqual({ ok: true, value: emptyQuery });
    },
  );
});
