import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("./server/scripts/young-space.ts", import.meta.url));
const MIB = 1024 * 1024;

function measure(...words: string[]): { before: number; after: number } {
  return JSON.parse(execFileSync(process.execPath, [SCRIPT, ...words], { encoding: "utf8" })) as ReturnType<
    typeof measure
  >;
}

it("keeps the space for new objects at the size that it was given", ({ skip }) => {
  skip(!process.version.startsWith("v24."), "the sizes are those of Node 24");
  expect(measure("fix")).toEqual({ before: 8 * MIB, after: 8 * MIB });
  // The control: without the fix, the space is smaller and grows.
  const { before, after } = measure();
  expect(before).toBeLessThan(8 * MIB);
  expect(after).toBeGreaterThan(8 * MIB);
});
