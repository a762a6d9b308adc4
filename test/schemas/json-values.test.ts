/** The conversion of any value to JSON, compared with JSON.stringify, and copies of JSON values. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyJson, findForbidden, isJsonObject, toJson } from "../../src/schemas/json.ts";
import { propertyRuns } from "../effort.ts";

const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
const foreign = fc.constantFrom<unknown>(
  undefined,
  new Date(0),
  Object("text"),
  Object(5),
  Object(false),
  new (class Money {
    amount = 5;
    note = undefined;
    toJSON() {
      return { amount: this.amount };
    }
  })(),
  Object.create(null),
  new Map([["a", 1]]),
  { toJSON: () => undefined },
);
const anything = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    json,
    foreign,
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom("a", "b", "c", "10"), tie("any"), { noNullPrototype: false }),
  ),
})).any;

/** Returns what JSON.stringify makes of a value. */
function byDefinition(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

describe("a value converted to JSON", () => {
  it("is what JSON.stringify makes of it, whatever it is compared to", () => {
    fc.assert(
      fc.property(anything, anything, (value, other) => {
        const expected = byDefinition(value);
        expect(toJson(value)).toStrictEqual(expected);
        expect(toJson(value, byDefinition(other))).toStrictEqual(expected);
        expect(toJson(value, expected)).toStrictEqual(expected);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("is the other value if both are equal, and shares no object with the given one", () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(toJson(copyJson(value), value)).toBe(value);
        expect(objectsIn(toJson(value)).some((each) => objectsIn(value).includes(each))).toBe(false);
      }),
    );
  });

  it("keeps functions and symbols, so that they can be refused", () => {
    const work = () => 1;
    expect(toJson({ a: [work] })).toEqual({ a: [work] });
    expect(findForbidden({ a: [work] })).toEqual({ path: ["a", 0], reason: "is a function" });
    expect(findForbidden({ a: Symbol("s") })).toEqual({ path: ["a"], reason: "is a symbol" });
  });

  it("takes the parts from the other value that are equal", () => {
    const like = { one: { a: [1, 2] }, two: [{ id: "x" }, { id: "y" }], absent: undefined };
    const changed = toJson({ one: { a: [1, 2] }, two: [{ id: "z" }, { id: "y" }] }, like) as typeof like;
    expect(changed).not.toBe(like);
    expect(changed.one).toBe(like.one);
    expect(changed.two[0]).toEqual({ id: "z" });
    expect(changed.two[1]).toBe(like.two[1]);
    expect(toJson({ one: like.one, two: like.two }, like)).toBe(like);
    expect(toJson({ one: like.one, two: like.two, more: 1 }, like)).not.toBe(like);
    expect(toJson({ one: like.one }, like)).not.toBe(like);
  });

  it("keeps what JSON can't represent, for findForbidden", () => {
    let deep: unknown[] = [];
    for (let levels = 0; levels < 100; levels++) deep = [deep];
    for (const value of [{ a: Number.NaN }, [1n], "\0", deep, JSON.parse('{"__proto__":{"a":1}}')]) {
      expect(findForbidden(toJson(value))).toBeDefined();
    }
  });

  it("refuses an object that refers to itself, and copies a part that is shared", () => {
    const shared = { a: [1] };
    const tree: Record<string, unknown> = { one: shared, two: [shared, shared] };
    expect(toJson(tree)).toStrictEqual({ one: { a: [1] }, two: [{ a: [1] }, { a: [1] }] });
    tree["three"] = [{ parent: tree }];
    expect(() => toJson(tree)).toThrow("an object refers to itself, directly or through its members");
  });
});

describe("a copy", () => {
  it("equals the value and shares no object with it", () => {
    fc.assert(
      fc.property(json, (value) => {
        const copy = copyJson(value);
        expect(copy).toStrictEqual(value);
        expect(objectsIn(copy).some((each) => objectsIn(value).includes(each))).toBe(false);
      }),
    );
  });

  it("keeps a member with the name of the prototype", () => {
    const copy = copyJson(JSON.parse('{"__proto__":{"a":1}}')) as object;
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
  });
});

function objectsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return [value, ...value.flatMap(objectsIn)];
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}
