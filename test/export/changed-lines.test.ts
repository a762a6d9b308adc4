/** The number of changed lines that an export reports. */

import * as fc from "fast-check";
import { expect, it } from "vitest";
import { changedLines } from "../../src/documents/changed-lines.ts";

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");

it.each<[string, string[], string[], number]>([
  ["nothing", ["a", "b"], ["a", "b"], 0],
  ["a changed line", ["a", "b", "c"], ["a", "x", "c"], 1],
  ["added lines", ["a", "c"], ["a", "b", "b", "c"], 2],
  ["removed lines", ["a", "b", "c"], ["c"], 2],
  ["more added than removed lines", ["a", "b"], ["x", "y", "z"], 3],
  ["a moved line", ["a", "b", "c"], ["b", "c", "a"], 1],
  ["two swapped pairs of lines", ["a", "b", "c", "d"], ["c", "d", "a", "b"], 2],
  ["a reversed list", ["a", "b", "c"], ["c", "b", "a"], 2],
])("counts %s", (_what, before, after, count) => {
  expect(changedLines(text(before), text(after))).toBe(count);
});

it("counts the lines outside the longest common subsequence", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const kept = longestCommon(before, after);
      const expected = Math.max(before.length, after.length) - kept;
      expect(changedLines(text(before), text(after))).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

it("takes time in proportion to the changes, and counts every line beyond 2,000 edits", () => {
  const blocks = (count: number) => Array.from({ length: count }, (_, index) => `- id: ${index}`);
  const moved = blocks(200_000);
  moved.push(...moved.splice(0, 3));
  expect(changedLines(text(blocks(200_000)), text(moved))).toBe(3);
  expect(changedLines(text(blocks(1000)), text(blocks(1000).toReversed()))).toBe(999);
  expect(changedLines(text(blocks(5000)), text(blocks(5000).toReversed()))).toBe(5000);
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = b.map(() => 0);
  for (const line of a) {
    const next: number[] = [];
    for (const [index, other] of b.entries()) {
      const diagonal = index > 0 ? row[index - 1]! : 0;
      next.push(line === other ? diagonal + 1 : Math.max(row[index]!, next[index - 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
