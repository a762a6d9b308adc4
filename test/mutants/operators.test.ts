import { expect, it } from "vitest";
import { changesOf, mutated, switched } from "./operators.ts";
import { mutantsOf, shuffled } from "./sample.ts";

/** The mutants of a source, as whole sources. */
const mutantsIn = (source: string) => changesOf("source.ts", source).map((change) => mutated(source, change));

it.each([
  ["a < b;", ["{}", "(a <= b);"]],
  ["a === b;", ["{}", "(a !== b);"]],
  ["x = a || b && c;", ["{}", "x = (a && (b && c));", "x = a || (b || c);"]],
  ["x = a ?? b;", ["{}", "x = (a);"]],
  ["x = a + b - c;", ["{}", "x = (a + b + c);", "x = (a - b) - c;"]],
  ['x = "a b" + c;', ["{}"]],
  ['x = f("a", "");', ["{}", 'x = f((""), "");', 'x = f("a", ("mutant"));']],
  ["x = 1;", ["{}", "x = (2);", "x = (0);"]],
  ["x = [true];", ["{}", "x = ([]);", "x = [(false)];"]],
  ["x = [...a];", ["{}", "x = ([]);", "x = [...[]];"]],
  [
    "x = { a, b: c, ...d };",
    ["{}", "x = { ...{}, b: c, ...d };", "x = { a, ...{}, ...d };", "x = { a, b: c, ...{} };"],
  ],
  ["x = a.filter(f).some(g);", ["{}", "x = (a.filter(f).every(g));", "x = (a).some(g);"]],
  ["x = a?.filter(f).length;", ["{}"]],
  ["await f();", ["{}", "(f());"]],
  ["if (!a) throw b;", ["if ((true)) throw b;", "if ((false)) throw b;", "if ((a)) throw b;", "if (!a) {}"]],
  ["while (a) i++;", ["while ((false)) i++;", "while (a) {}", "while (a) (i--);"]],
  ["f = () => a;", ["{}"]],
])("changes %s", (source, expected) => {
  expect(mutantsIn(source).toSorted()).toEqual(expected.toSorted());
});

it("leaves out types, imports, names and the directives of a source", () => {
  const source = `"use strict";
    import a from "a";
    export { b } from "b";
    export * from "c";
    type T = { name: "x" } | 3 | true;
    const { d: e } = a satisfies T as Record<"x", 1>;
    export const load = () => import("./d.ts");
    let f: typeof e.g["h"];`;
  expect(mutantsIn(source)).toEqual([]);
});

const SOURCE = `
  const sum = (list, { from = 0, ...rest } = {}) => {
    let total = from;
    for (const item of list.filter((item) => item > 0 && item !== 3)) {
      if (item > 9) break;
      else if (item === 7 || rest.skip) continue;
      total += item * 2 - 1;
    }
    if (total < 0) throw new Error("negative");
    return { total, name: total >= 4 ? "large" : "", list: [...list, ...(rest.more ?? [])] };
  };
  return [[], [1], [2, 3, 4], [7, 8], [10, 1], [5, -1]].map((list) => {
    try {
      return [sum(list), sum(list, { from: -9 }), sum(list, { skip: true, more: [1] })];
    } catch (error) {
      return error.name;
    }
  });`;

const parsed = `function all() {${SOURCE}}`;
const resultOf = (source: string, isActive: (id: number) => boolean = () => false): unknown => {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- The source is the constant above.
    return new Function("isActive", `${source}; return all();`)(isActive);
  } catch (error) {
    return (error as Error).name;
  }
};

it("behaves like the original while no switch is active, and like one mutant with its switch", () => {
  const changes = changesOf("source.ts", parsed).map((change, id) => ({ ...change, id }));
  const all = switched(parsed, changes, "isActive");
  expect(changes.length).toBeGreaterThan(60);
  expect(resultOf(all)).toEqual(resultOf(parsed));
  for (const change of changes)
    expect({ change, result: resultOf(all, (id) => id === change.id) }).toEqual({
      change,
      result: resultOf(mutated(parsed, change)),
    });
});

it("chooses the same mutants for the same seed, also after another function of the file changed", () => {
  const before = mutantsOf("src/engine/a.ts", parsed);
  const after = mutantsOf("src/engine/a.ts", `function other() { return 1 + 2; }\n${parsed}`);
  const keys = (mutants: typeof before, seed: number) => shuffled(mutants, seed).map(({ key }) => key);
  expect(new Set(keys(before, 1)).size).toBe(before.length);
  expect(keys(before, 1)).toEqual(keys(before.toReversed(), 1));
  expect(keys(before, 1)).not.toEqual(keys(before, 2));
  expect(keys(after, 1).filter((key) => !key.includes("| other |"))).toEqual(keys(before, 1));
});
