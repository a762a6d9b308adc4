import * as fc from "fast-check";
import { expect, it } from "vitest";
import { findRepeats } from "../../src/schemas/repeats.ts";

function byMap(texts: readonly (string | undefined)[]): Map<number, number> {
  const firsts = new Map<string, number>();
  const repeats = new Map<number, number>();
  for (const [place, text] of texts.entries()) {
    if (text === undefined) continue;
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, place);
    else repeats.set(place, first);
  }
  return repeats;
}

it("tells of each repeated text where it stood first", () => {
  expect(findRepeats(["a", undefined, "b", "a", "", undefined, "a", ""])).toEqual(
    new Map([
      [3, 0],
      [6, 0],
      [7, 4],
    ]),
  );
  expect(findRepeats([])).toEqual(new Map());
});

it("tells what a map would tell", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 2 }),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.constant(undefined),
    fc.nat(200).map((number) => `block_${number}`),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      expect(findRepeats(texts)).toEqual(byMap(texts));
    }),
  );
});

it("tells apart texts whose hashes are the same", () => {
  // Among so many there are some: 2^32 hashes, and 200,000 texts make five pairs.
  const texts = Array.from({ length: 200_000 }, (_, number) => `t${number * 7919}`);
  expect(findRepeats(texts).size).toBe(0);
  expect(findRepeats([...texts, ...texts]).size).toBe(texts.length);
});
