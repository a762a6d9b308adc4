/** The limits of drafts. Each limit is first reached and then exceeded. */

import { describe, expect, it } from "vitest";
import type { Block } from "../../../src/schemas/draft.ts";
import { invalidAt, refusal } from "../forms/world.ts";
import { type DraftBody, inWorld, MAIN } from "../layouts/world.ts";
import type { Provider } from "../provider.ts";

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

const button = (index: number): Block => ({ id: `b${index}`, type: "button", source: "system", regionKey: "main" });

function nested(depth: number): Block[] {
  let blocks: Block[] = [];
  for (let level = depth; level > 0; level--) {
    blocks = [{ id: `s${level}`, type: "section", source: "system", regionKey: "main", children: blocks }];
  }
  return blocks;
}

/** JSON text of exactly `size` bytes. Some characters have two bytes. */
const ofBytes = (size: number) => ({ a: `${"é".repeat(4)}${"x".repeat(size - 16)}` });

const staged = (index: number) => ({
  draftId: `d${index}`,
  action: "create" as const,
  name: `Field ${index}`,
  key: `field_${index}`,
  type: "TEXT",
});

const MOST: [what: string, most: number, path: string, members: (size: number) => Partial<DraftBody>][] = [
  ["regions", 100, "regions", (size) => ({ regions: times(size, (index) => ({ ...MAIN, key: `r${index}` })) })],
  ["blocks", 10_000, "blocks", (size) => ({ blocks: times(size, button) })],
  [
    "blocks with their children",
    10_000,
    "blocks",
    (size) => ({ blocks: [{ ...nested(1)[0]!, children: times(size - 1, button) }] }),
  ],
  ["levels of blocks", 16, "blocks", (size) => ({ blocks: nested(size) })],
  ["staged fields", 200, "stagedFieldDefinitions", (size) => ({ stagedFieldDefinitions: times(size, staged) })],
  [
    "bindings",
    200,
    "scriptBindings",
    (size) => ({ scriptBindings: times(size, () => ({ scriptId: "rate_guard", hook: "onRender" })) }),
  ],
  ["bytes of metadata", 16_384, "metadata", (size) => ({ metadata: ofBytes(size) })],
  [
    "bytes of a region's config",
    16_384,
    "regions[0].config",
    (size) => ({ regions: [{ ...MAIN, config: ofBytes(size) }] }),
  ],
  [
    "bytes of a block's config",
    16_384,
    "blocks[0].config",
    (size) => ({ blocks: [{ ...button(0), config: ofBytes(size) }] }),
  ],
  ["characters of a block's id", 128, "blocks[0].id", (size) => ({ blocks: [{ ...button(0), id: "i".repeat(size) }] })],
  [
    "characters of a region's key",
    128,
    "regions[0].key",
    (size) => ({ regions: [{ ...MAIN, key: "k".repeat(size) }] }),
  ],
  [
    "characters of a field's key",
    63,
    "stagedFieldDefinitions[0].key",
    (size) => ({ stagedFieldDefinitions: [{ ...staged(0), key: "k".repeat(size) }] }),
  ],
  [
    "characters of a field's name",
    200,
    "stagedFieldDefinitions[0].name",
    (size) => ({ stagedFieldDefinitions: [{ ...staged(0), name: "n".repeat(size) }] }),
  ],
  ["characters of a clientMutationId", 128, "clientMutationId", (size) => ({ clientMutationId: "m".repeat(size) })],
];

export function limitCases(provider: Provider): void {
  describe("the size of a draft", () => {
    it.each(MOST)("allows %s up to %i, and saves nothing beyond", (_what, most, path, members) =>
      inWorld(provider, async ({ service, newLayout, save }) => {
        const { id: layoutId } = await newLayout();
        const { draftVersion } = await save(layoutId, members(most));
        expect(await refusal(save(layoutId, members(most + 1)))).toEqual(invalidAt(path));
        expect(await service.listVersions({ layoutId })).toEqual([draftVersion]);
      })(),
    );
  });
}
