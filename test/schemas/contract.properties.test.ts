/** Shapes of answers and the findings about them contain no values, whatever a server sends. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadDocumented } from "../../src/schemas/contract/documented.ts";
import { judge } from "../../src/schemas/contract/judge.ts";
import { type Observation, observe, readShapes, type Shapes, shapesText } from "../../src/schemas/contract/shapes.ts";
import { type OperationName, operations } from "../../src/schemas/operations.ts";
import { propertyRuns } from "../effort.ts";

const documented = await loadDocumented();
const names = Object.keys(operations) as OperationName[];

/** Each value of an answer, and each key of a map, contains this number. */
const MARK = "73219";

const MEMBERS = `
  data items meta id name types config layoutAvailability viewLayoutId users roles
  blocks children ref regions status validation errors currentVersion target surfaces
  builtInBlocks total version versionId draftVersionId draftVersion lockedBy toString
`
  .trim()
  .split(/\s+/);

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.string().map((text) => `${text}${MARK}`),
    fc.nat().map((number) => Number(`${MARK}${number % 1000}`)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...MEMBERS) },
        fc.string().map((text) => `${text}${MARK}`),
      ),
      tie("value"),
      { maxKeys: 6 },
    ),
  ),
})).value;

const observation: fc.Arbitrary<Observation> = fc.record({
  operation: fc.constantFrom(...names),
  status: fc.constantFrom(200, 201, 204, 302, 404, 418),
  body: fc.oneof(
    value.map((data) => ({ data })),
    fc.array(value).map((data) => ({ data, meta: { page: 1, total: Number(MARK) } })),
    value,
  ),
});

function shapesOf(observations: readonly Observation[], add = observe): Shapes {
  const shapes: Shapes = {};
  for (const one of observations) add(shapes, documented, one);
  return shapes;
}

function textOf(shapes: Shapes): string {
  return shapesText(shapes) + JSON.stringify(judge(shapes, documented));
}

describe("the shapes of any answers", () => {
  it("contain no value and no key of a map, and the answers stay unchanged", () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 4 }), (observations) => {
        const before = structuredClone(observations);
        const shapes = shapesOf(observations);
        expect(textOf(shapes)).not.toContain(MARK);
        expect(observations).toEqual(before);
        expect(new Set(judge(readShapes(shapesText(shapes)), documented).map((one) => JSON.stringify(one)))).toEqual(
          new Set(judge(shapes, documented).map((one) => JSON.stringify(one))),
        );
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it("would be found to contain a value: the control", () => {
    const leaks: typeof observe = (shapes, ...rest) => {
      observe(shapes, ...rest);
      const { operation, body } = rest[1];
      shapes[operation]!.members[JSON.stringify(body)] = ["string"];
    };
    const planted: Observation = { operation: "getForm", status: 200, body: { data: { id: MARK } } };
    expect(textOf(shapesOf([planted]))).not.toContain(MARK);
    expect(textOf(shapesOf([planted], leaks))).toContain(MARK);
  });
});

it("counts a record with many undocumented members as a map", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  const data = Object.fromEntries(letters.map((letter) => [`person${letter}`, 1]));
  const { members } = shapesOf([{ operation: "getForm", status: 200, body: { data } }]).getForm!;
  expect(Object.keys(members).filter((path) => path.includes("person"))).toEqual([]);
  expect(members["data.*"]).toEqual(["number"]);
});

it.each(names)("each documented answer of %s has no difference", async (operation) => {
  const schema = documented.answer(operation);
  const { status } = operations[operation];
  const shapes: Shapes = { [operation]: { statuses: [status], members: schema ? { "": ["object"] } : {} } };
  expect(judge(shapes, documented)).toEqual([]);
});
