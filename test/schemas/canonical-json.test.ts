/** The canonical text of a value, compared with a short reference implementation. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isJsonObject, type JsonObject } from "../../src/schemas/json.ts";

/** The definition of the canonical text: the members of each object are sorted. */
function byDefinition(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (!isJsonObject(member)) return member;
    const sorted: JsonObject = {};
    for (const key of Object.keys(member).sort()) sorted[key] = member[key];
    return sorted;
  });
}

const name = fc.oneof(fc.constantFrom("a", "b", "B", "10", "9", "aa", "ä", "\u{1F600}", "\uFFFD"), fc.string());
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 0, -0, 1.5, "", undefined),
    fc.string(),
    fc.date({ noInvalidDate: true }),
    fc.array(tie("any"), { maxLength: 5 }),
    fc.dictionary(
      name.filter((key) => key !== "__proto__"),
      tie("any"),
      { maxKeys: 6, noNullPrototype: false },
    ),
  ),
})).any;

test("a value has the text of the definition, whether its members are in order or not", () => {
  fc.assert(
    fc.property(value, (any) => {
      const text = byDefinition([any]);
      expect(canonicalJson([any])).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

test("what is written is left as it was", () => {
  const given = { b: [{ d: 1, c: 2 }], a: undefined };
  expect(canonicalJson(given)).toBe('{"b":[{"c":2,"d":1}]}');
  expect(Object.keys(given)).toEqual(["b", "a"]);
  expect(Object.keys(given.b[0]!)).toEqual(["d", "c"]);
});

test("the order of items counts", () => {
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
});
