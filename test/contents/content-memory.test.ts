import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  packBlocks,
  packContent,
  packLike,
  packText,
  withBlocksHash,
  withMetadata,
} from "../../src/contents/memory.ts";
import { withStamp } from "../../src/state/stamp.ts";
import { withoutStamp } from "../../src/contents/compare.ts";
import { canonicalJson } from "../../src/schemas/json.ts";
import { sha256 } from "../../src/base/sha256.ts";
import { wildDraft } from "../arbitraries/draft.ts";
import { benchDraft } from "../../bench/manifest-folder.ts";

describe("a packed content", () => {
  it("is equal to the content that was packed, with sorted members", () => {
    fc.assert(
      fc.property(fc.array(wildDraft, { minLength: 1, maxLength: 7 }), (drafts) => {
        const packed = drafts.map((each) => packContent(each));
        for (const [index, content] of packed.entries()) {
          expect(JSON.stringify(content)).toBe(canonicalJson(drafts[index]));
          expect(JSON.stringify({ ...content })).toBe(canonicalJson(drafts[index]));
        }
      }),
    );
  });

  it("has the same hash of its blocks packed and unpacked", () => {
    fc.assert(
      fc.property(wildDraft, (content) => {
        const { blocks } = withBlocksHash(packContent(content));
        expect(blocks).toBe(sha256(canonicalJson(content.blocks)));
        expect(canonicalJson(withBlocksHash(content))).toBe(canonicalJson({ ...content, blocks }));
      }),
    );
  });

  it("unpacks its blocks again after other contents were read", () => {
    const packed = Array.from({ length: 8 }, (_, index) => packContent(benchDraft(index + 1)));
    const first = packed[0]!.blocks;
    expect(packed.map(({ blocks }) => blocks.length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(packed[0]!.blocks).not.toBe(first);
    expect(packed[0]!.blocks).toEqual(first);
  });

  it("keeps its blocks packed when its stamp is set and removed", () => {
    const content = packContent(benchDraft(3));
    const stamped = withStamp(content, { sha256: "a".repeat(64) });
    const plain = withoutStamp(stamped);
    expect(packContent(stamped)).toBe(stamped);
    expect(packContent(plain)).toBe(plain);
    expect(canonicalJson(plain)).toBe(canonicalJson(content));
    expect(withMetadata(content, { z: 1, a: 2 })).toEqual({ ...content, metadata: { a: 2, z: 1 } });
  });

  it("keeps the order of its members if only its blocks are packed", () => {
    fc.assert(
      fc.property(fc.array(wildDraft, { minLength: 6, maxLength: 6 }), (drafts) => {
        const packed = drafts.map((each) => packBlocks(each));
        for (const [index, content] of packed.entries()) {
          expect(JSON.stringify(content)).toBe(JSON.stringify(drafts[index]));
          expect(Object.getOwnPropertyDescriptor(content, "blocks")).not.toHaveProperty("value");
        }
      }),
    );
  });

  it("is packed again only next to a packed content", () => {
    const content = benchDraft(2);
    const plain = packLike(benchDraft(1), content);
    expect(packContent(plain)).not.toBe(plain);
    const packed = packLike(packContent(benchDraft(1)), content);
    expect(packContent(packed)).toBe(packed);
  });
});

it("returns a packed text unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(packText(text)()).toBe(text);
    }),
  );
});
