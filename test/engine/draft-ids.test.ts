import { describe, expect, it } from "vitest";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { withIds } from "../../src/engine/drafts.ts";

const block = (more: Partial<Block> = {}): Block => ({ type: "section", source: "system", ...more });

function content(more: Partial<DraftContent>): DraftContent {
  const nothing = { stagedFieldDefinitions: [], scriptBindings: [], metadata: null };
  return { schemaVersion: 1, regions: [], blocks: [], ...nothing, ...more };
}

/** Returns a function that gives out these ids in order. */
function idsOf(...ids: string[]) {
  return () => ids.shift()!;
}

describe("withIds", () => {
  it("adds an id to each block without one, outer blocks first", () => {
    const given = content({ blocks: [block({ children: [block(), block({ id: "mine" })] }), block()] });
    expect(withIds(given, idsOf("a", "b", "c")).blocks).toEqual([
      block({ id: "a", children: [block({ id: "b" }), block({ id: "mine" })] }),
      block({ id: "c" }),
    ]);
  });

  it("never adds an id that the draft already uses", () => {
    const given = content({ blocks: [block(), block({ children: [block({ id: "deep" })] })] });
    expect(withIds(given, idsOf("deep", "a", "a", "b")).blocks).toEqual([
      block({ id: "a" }),
      block({ id: "b", children: [block({ id: "deep" })] }),
    ]);
  });

  it("adds unique ids to bindings in the same way", () => {
    const binding = { scriptId: "s", hook: "onRender" };
    const given = content({ scriptBindings: [binding, { ...binding, id: "x" }] });
    expect(withIds(given, idsOf("x", "y")).scriptBindings.map(({ id }) => id)).toEqual(["y", "x"]);
  });

  it("does not modify its input", () => {
    const given = content({ blocks: [block({ children: [block()] })] });
    const before = structuredClone(given);
    withIds(given, idsOf("a", "b"));
    expect(given).toEqual(before);
  });
});
