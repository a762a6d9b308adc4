/** The model does not use the code that it is compared with. The comparison finds differences. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { difference, Ids } from "./compare.ts";
import { ANY_TEXT } from "./records.ts";

describe("the model", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file !== "model.test.ts");

  it.each(files)("imports nothing else: %s", (file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map((match) => match[1]!);
    expect(imports.filter((path) => !path.startsWith("./"))).toEqual([]);
  });
});

describe("the comparison", () => {
  const bound = () => {
    const ids = new Ids();
    ids.bind("form-1", "frm_a");
    return ids;
  };

  it.each<[string, unknown, unknown]>([
    ["a known id", "form-1", "frm_a"],
    ["a new id", "form-2", "frm_b"],
    ["any text", ANY_TEXT, "the form is a default"],
    ["an item of an invalid list", { fieldErrors: { types: [ANY_TEXT] } }, { fieldErrors: { "types[1]": ["twice"] } }],
    ["an absent member", { a: 1, b: undefined }, { a: 1 }],
  ])("accepts %s", (_what, expected, actual) => {
    expect(difference(expected, actual, bound())).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    ["another id", "form-1", "frm_b"],
    ["one id for two records", ["form-2", "form-3"], ["frm_b", "frm_b"]],
    ["an empty text", ANY_TEXT, ""],
    ["another value", { a: [1, 2] }, { a: [2, 1] }],
    ["an additional member", { a: 1 }, { a: 1, b: 2 }],
    ["a missing member", { a: 1, b: 2 }, { a: 1 }],
    ["another path", { fieldErrors: { types: [ANY_TEXT] } }, { fieldErrors: { name: ["blank"] } }],
    ["another code", { validation: { errors: ["A"], warnings: [] } }, { validation: { errors: [{ code: "B" }] } }],
  ])("reports %s", (_what, expected, actual) => {
    expect(difference(expected, actual, bound())).toBeDefined();
  });
});
