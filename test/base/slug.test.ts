import { expect, it } from "vitest";
import { slugOf } from "../../src/base/slug.ts";
import { fileNameFor } from "../../src/commands/file-name.ts";

it.each([
  ["Intérim", "interim"],
  ["Ängste & Öl", "angste-ol"],
  ["🦊", ""],
  ["too long", "too"],
])("converts %j to %j", (name, slug) => {
  expect(slugOf(name, name === "too long" ? 4 : 60)).toBe(slug);
});

it("names a file of a record without accents", () => {
  expect([fileNameFor("Intérim"), fileNameFor("🦊")]).toEqual(["interim.yaml", "draft.yaml"]);
});
