/** Tests the comparison of a record with the members that a write sent. */

import { expect, it } from "vitest";
import { hasMembers } from "../../src/schemas/sent-members.ts";

const record = { id: "frm_1", name: "Intake", types: ["VIEW", "CREATE"], config: { title: "T", description: "D" } };

it.each([
  ["modes in another order", { types: ["CREATE", "VIEW"] }, true],
  ["fewer modes", { types: ["CREATE"] }, false],
  ["a name with outer spaces", { name: " Intake " }, true],
  ["another name", { name: "intake" }, false],
  ["an object with its members in another order", { config: { description: "D", title: "T" } }, true],
  ["an undefined member", { isActive: undefined }, true],
])("compares %s", (_title, sent, expected) => {
  expect(hasMembers(record, sent)).toBe(expected);
  expect(hasMembers(record, sent, "ignore")).toBe(expected);
});

it("counts a hidden member as null, or ignores it", () => {
  expect(hasMembers(record, { description: null })).toBe(true);
  expect(hasMembers(record, { isActive: false })).toBe(false);
  expect(hasMembers(record, { isActive: false }, "ignore")).toBe(true);
});
