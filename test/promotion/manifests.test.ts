/** Which fields of promoted layouts count as missing on the target. */

import { expect, it } from "vitest";
import type { Exported } from "../../src/export/exported.ts";
import type { KnownRecords } from "../../src/state/target.ts";
import { openKeeping } from "../../src/promotion/keep.ts";
import { convert } from "../../src/promotion/manifests.ts";
import type { JsonObject } from "../../src/schemas/json.ts";
import type { SeedOrganization } from "../../src/schemas/organization.ts";

const NONE: KnownRecords = {
  named: { role: [], member: [], script: [], field: [], module: [], other: [] },
  source: () => "the test",
};

/** An organization whose object m/o has the field `email`. */
const ORGANIZATION = {
  modules: [
    {
      key: "m",
      name: "M",
      objects: [{ key: "o", name: "O", kind: "REGULAR", parent: null, fields: [{ key: "email", config: {} }] }],
    },
  ],
  customFields: [],
  scripts: [],
} as unknown as SeedOrganization;

function form(name: string, blocks: JsonObject[], stagedFieldDefinitions: JsonObject[] = []): Exported {
  const members = { kind: "Form", object: "m/o", name, types: ["VIEW"] };
  const regions = [{ key: "main", layout: "grid" }];
  const layout = { schemaVersion: 1, regions, blocks, stagedFieldDefinitions };
  const ids = { formId: `frm_${name}`, layoutId: `lay_${name}` };
  return { kind: "Form", address: `m/o/${name}`, name, ...ids, members, layout, notes: [] } as unknown as Exported;
}

const shows = (key: string): JsonObject => ({
  id: key,
  type: "field",
  source: "dynamic_field",
  ref: { fieldKey: key },
  regionKey: "main",
});

function missingIn(exported: readonly Exported[], organization: SeedOrganization | undefined = ORGANIZATION): string[] {
  const { blocking } = convert({
    source: { exported, omitted: [], objects: [], hasAllLayouts: false },
    from: { name: "staging", records: NONE },
    to: { name: "production", records: NONE, knowledge: { source: "a test", ...(organization && { organization }) } },
    keeping: openKeeping({}),
    file: "promotion of staging",
  });
  return blocking.map(({ message }) => message.replace(/\. Create.*/, ""));
}

it("reports a field that the target does not have once, with the layouts that show it", () => {
  const forms = ["A", "B", "C"].map((name) =>
    form(name, [shows("email"), shows("rate"), { ...shows("rate"), id: "twice" }]),
  );
  expect(missingIn(forms)).toEqual(["production has no field m/o/rate. It is shown by m/o/A and 2 other layouts"]);
});

it("accepts a field that another promoted layout creates", () => {
  const staged = { draftId: "s", action: "create", name: "Rate", key: "rate", type: "NUMBER" };
  expect(missingIn([form("A", [shows("email")], [staged]), form("B", [shows("rate")])])).toEqual([]);
  // The control: a change that creates another field.
  expect(
    missingIn([form("A", [shows("email")], [{ ...staged, key: "fee" }]), form("B", [shows("rate")])]),
  ).toHaveLength(1);
});

it("reports nothing if the fields of the target are unknown", () => {
  expect(missingIn([form("A", [shows("rate")])], { ...ORGANIZATION, modules: [] })).toEqual([]);
});
