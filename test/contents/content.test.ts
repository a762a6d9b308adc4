/** Checks when two contents are equal. Changes that a server may make don't count. Changes by the user count. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMissingIds, adoptIds } from "../../src/contents/ids.ts";
import {
  contentChanges,
  contentDigest,
  contentSummary,
  digestOf,
  packWithFacts,
  rememberDigests,
  sameContent,
  settle,
  settledDigest,
  shownFields,
  stagedDigest,
  withoutStamp,
} from "../../src/contents/compare.ts";
import { remember } from "../../src/contents/memory.ts";
import { ASSIGNED, normalContent } from "../../src/contents/normal.ts";
import { readStamp, withStamp } from "../../src/state/stamp.ts";
import { withIds } from "../../src/engine/drafts.ts";
import type { Block, DraftContent, StagedField } from "../../src/schemas/draft.ts";
import { canonicalJson, isJsonObject } from "../../src/schemas/json.ts";
import { wildDraft } from "../arbitraries/draft.ts";

const bare: DraftContent = {
  schemaVersion: 1,
  regions: [{ key: "main", label: "Main", layout: "grid", columns: 12 }],
  blocks: [
    { type: "field", source: "dynamic_field", ref: { fieldKey: "full_name" }, regionKey: "main" },
    {
      type: "section",
      source: "system",
      regionKey: "main",
      config: { title: "More" },
      children: [
        { type: "field", source: "dynamic_field", ref: { fieldKey: "email" } },
        { type: "field", source: "dynamic_field", ref: { fieldKey: "phone" } },
      ],
    },
  ],
  stagedFieldDefinitions: [],
  scriptBindings: [{ scriptId: "rate_guard", hook: "fieldChange" }],
  metadata: null,
};

/** The content as a server may return it. */
const filledIn: DraftContent = {
  metadata: {},
  scriptBindings: [
    {
      id: "sb_1",
      hook: "fieldChange",
      scriptId: "rate_guard",
      target: { blockId: null },
      enabled: true,
      priority: 0,
      config: null,
    },
  ],
  stagedFieldDefinitions: [],
  blocks: [
    {
      id: "b_1",
      source: "dynamic_field",
      type: "field",
      ref: { fieldKey: "full_name", fieldId: "fld_1", fieldDefinitionId: "fld_1", componentKey: null },
      regionKey: "main",
      displayOrder: 0,
      grid: {},
      config: {},
      requiredPolicy: "optional",
      supportedModes: ["VIEW", "EDIT", "CREATE"],
      children: [],
      runtimeAvailability: { state: "READY" },
      locked: false,
    },
    {
      id: "b_2",
      type: "section",
      source: "system",
      ref: {},
      regionKey: "main",
      displayOrder: 1,
      config: { title: "More" },
      supportedModes: [],
      children: [
        {
          id: "b_3",
          type: "field",
          source: "dynamic_field",
          ref: { fieldKey: "email" },
          regionKey: "main",
          displayOrder: 0,
        },
        {
          id: "b_4",
          type: "field",
          source: "dynamic_field",
          ref: { fieldKey: "phone" },
          regionKey: "main",
          displayOrder: 1,
        },
      ],
    },
  ],
  regions: [{ config: {}, columns: 12, displayOrder: 0, layout: "grid", label: "Main", key: "main" }],
  schemaVersion: 1,
};

function withBlock(content: DraftContent, index: number, change: Partial<Block>): DraftContent {
  return { ...content, blocks: content.blocks.map((block, at) => (at === index ? { ...block, ...change } : block)) };
}

describe("comparing contents", () => {
  it("ignores defaults and ids that a server fills in", () => {
    expect(contentDigest(bare)).toBe(contentDigest(filledIn));
    expect(sameContent(bare, filledIn)).toBe(true);
    expect(contentChanges(bare, filledIn)).toEqual([]);
  });

  it("ignores the id of a relation field that a server adds to its key", () => {
    const relation = (ref: Block["ref"]) => ({ type: "relation_table" as const, ref });
    const wanted = withBlock(bare, 0, relation({ relationFieldKey: "owner" }));
    const current = withBlock(filledIn, 0, relation({ relationFieldKey: "owner", relationFieldId: "fld_9" }));
    expect(contentDigest(wanted)).toBe(contentDigest(current));
    expect(sameContent(wanted, current)).toBe(true);
  });

  it.each<[string, Partial<Block>]>([
    ["another required policy", { requiredPolicy: "required" }],
    ["fewer modes", { supportedModes: ["VIEW"] }],
    ["another place in the order", { displayOrder: 7 }],
    ["a width", { grid: { colSpan: 6 } }],
    ["a label", { config: { label: "Name" } }],
    ["a member that we do not know", { presentation: { tone: "calm" } }],
    ["another field", { ref: { fieldKey: "notes" } }],
  ])("distinguishes %s", (_, change) => {
    expect(contentDigest(withBlock(bare, 0, change))).not.toBe(contentDigest(filledIn));
    expect(sameContent(withBlock(bare, 0, change), filledIn)).toBe(false);
  });

  it("compares an id, computed member or field id that the manifest sets", () => {
    for (const change of [
      { id: "name" },
      { locked: true },
      { ref: { fieldKey: "full_name", fieldDefinitionId: "fld_2" } },
    ]) {
      expect(sameContent(withBlock(bare, 0, change), filledIn)).toBe(false);
    }
    expect(sameContent(withBlock(bare, 0, { id: "b_1", locked: false }), filledIn)).toBe(true);
  });

  it("compares null inside free objects", () => {
    expect(sameContent(withBlock(bare, 0, { config: { hint: null } }), filledIn)).toBe(false);
  });

  it("identifies the target block of a binding by its path", () => {
    const aimed = (id: string): DraftContent => ({
      ...withBlock(bare, 0, { id }),
      scriptBindings: [{ scriptId: "s", hook: "h", target: { blockId: id } }],
    });
    expect(contentDigest(aimed("one"))).toBe(contentDigest(aimed("two")));
    const [first, second] = bare.blocks;
    const swapped = { ...aimed("one"), blocks: [second!, { ...first!, id: "one" }] };
    expect(contentDigest(swapped)).not.toBe(contentDigest(aimed("one")));
  });

  it("ignores the order of members, null and ids in generated contents", () => {
    let ids = 0;
    fc.assert(
      fc.property(wildDraft, (content) => {
        const digest = contentDigest(content);
        expect(contentDigest(shuffled(content))).toBe(digest);
        const named = withIds(content, () => `new_${ids++}`);
        expect(contentDigest(named)).toBe(digest);
        expect(sameContent(content, named)).toBe(true);
        expect(contentDigest(withStamp(content, { sha256: digest }))).toBe(digest);
      }),
    );
  });

  it("gives the same result for contents that share blocks as for copies", () => {
    fc.assert(
      fc.property(wildDraft, wildDraft, fc.infiniteStream(fc.boolean()), (one, other, isShared) => {
        const mixed = (blocks: readonly Block[], others: readonly Block[]): Block[] =>
          blocks.map((block, index) => {
            if (isShared.next().value) return block;
            const { children = [] } = others[index] ?? block;
            return { ...(others[index] ?? block), children: mixed(block.children ?? [], children) };
          });
        const wanted = { ...other, blocks: mixed(one.blocks, other.blocks) };
        const copy = structuredClone(wanted);
        expect(sameContent(wanted, one)).toBe(sameContent(copy, one));
        expect(contentChanges(wanted, one)).toEqual(contentChanges(copy, one));
        const digests = [contentDigest(copy), contentDigest(structuredClone(one))];
        remember(wanted);
        remember(one);
        rememberDigests([wanted, one]);
        expect([contentDigest(wanted), contentDigest(one)]).toEqual(digests);
      }),
    );
  });

  it("has the digest of the canonical text of its normal form", () => {
    fc.assert(
      fc.property(wildDraft, (content) => {
        expect(contentDigest(content)).toBe(digestOf(normalContent(content, ASSIGNED)));
      }),
    );
  });

  it("lists changes for different contents, and none for equal ones", () => {
    fc.assert(
      fc.property(wildDraft, wildDraft, (one, other) => {
        expect(contentChanges(one, one)).toEqual([]);
        expect(contentChanges(one, other).length === 0).toBe(sameContent(one, other));
      }),
    );
  });
});

describe("adopting ids", () => {
  it("finds blocks by the field that they show, after other blocks were inserted", () => {
    const more: DraftContent = {
      ...bare,
      blocks: [
        { type: "field", source: "dynamic_field", ref: { fieldKey: "notes" }, regionKey: "main" },
        ...bare.blocks,
      ],
    };
    const adopted = adoptIds(more, filledIn);
    expect(adopted.blocks.map(({ id }) => id)).toEqual([undefined, "b_1", "b_2"]);
    expect(adopted.blocks[2]?.children?.map(({ id }) => id)).toEqual(["b_3", "b_4"]);
    expect(adopted.scriptBindings[0]?.id).toBe("sb_1");
    expect(adopted.blocks[1]?.ref).toEqual({ fieldKey: "full_name", fieldId: "fld_1", fieldDefinitionId: "fld_1" });
  });

  it("assigns no id twice, and none that the content itself uses", () => {
    const wanted = withBlock(bare, 1, { id: "b_1" });
    expect(adoptIds(wanted, filledIn).blocks.map(({ id }) => id)).toEqual([undefined, "b_1"]);
    fc.assert(
      fc.property(wildDraft, (content) => {
        let ids = 0;
        const there = withIds(content, () => `new_${ids++}`);
        const adopted = adoptIds(content, there);
        expect(canonicalJson(adoptIds(adopted, there))).toBe(canonicalJson(adopted));
      }),
    );
  });

  it("keeps the id of a section with a new title, but not that of a replaced field", () => {
    const retitled = withBlock(bare, 1, { config: { title: "Contact" } });
    expect(adoptIds(retitled, filledIn).blocks[1]?.id).toBe("b_2");
    const other = withBlock(bare, 0, { ref: { fieldKey: "notes" } });
    expect(adoptIds(other, filledIn).blocks[0]?.id).toBeUndefined();
    expect(contentChanges(other, filledIn).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });
});

it("adding missing ids changes only the blocks without an id, and their parents", () => {
  const complete = addMissingIds(bare);
  expect(addMissingIds(complete)).toBe(complete);
  const [first, section] = complete.blocks;
  const [child, ...more] = section!.children!;
  const { id: _id, ...withoutId } = child!;
  const added = addMissingIds({ ...complete, blocks: [first!, { ...section!, children: [withoutId, ...more] }] });
  expect(added.blocks[0]).toBe(first);
  expect(added).toEqual(complete);
});

describe("a packed content", () => {
  it("has the digest and the summary of the content, with and without a stamp", () => {
    fc.assert(
      fc.property(wildDraft, (draft) => {
        const content = withoutStamp(draft);
        const facts = { digest: contentDigest(content), summary: contentSummary(content) };
        const kept = packWithFacts(content);
        const stamped = withStamp(kept, { sha256: "a" });
        for (const each of [kept, stamped, withoutStamp(stamped)]) {
          expect({ digest: contentDigest(each), summary: contentSummary(each) }).toEqual(facts);
        }
      }),
    );
  });
});

describe("the stamp", () => {
  it("is read as it was written, together with other metadata", () => {
    const stamp = { ref: "main", sha256: "a".repeat(64), fieldChanges: ["b"] };
    const stamped = withStamp({ ...bare, metadata: { owner: "hr" } }, stamp);
    expect(readStamp(stamped)).toEqual(stamp);
    expect(stamped.metadata).toEqual({ owner: "hr", formctl: stamp });
    expect(withoutStamp(stamped).metadata).toEqual({ owner: "hr" });
    expect(withoutStamp(withStamp(bare, stamp)).metadata).toBeNull();
  });

  it("is undefined if the member holds something else", () => {
    expect(readStamp({ ...bare, metadata: { formctl: "1.0" } })).toBeUndefined();
    expect(readStamp({ ...bare, metadata: { formctl: { sha256: 1 } } })).toBeUndefined();
  });
});

describe("applied staged changes", () => {
  const create: StagedField = { draftId: "d_1", action: "create", key: "grade", name: "Grade", type: "TEXT" };
  const drop: StagedField = { draftId: "d_2", action: "delete", key: "fax" };
  const staging: DraftContent = {
    ...bare,
    blocks: [
      { type: "field", source: "draft_custom_field", ref: { draftFieldDefinitionId: "d_1" }, regionKey: "main" },
    ],
    stagedFieldDefinitions: [create, drop],
  };

  it("are not staged again, and their blocks refer to the field", () => {
    const settled = settle(staging, "DYNAMIC_OBJECT", ({ draftId }) => draftId === "d_1");
    expect(settled.stagedFieldDefinitions).toEqual([drop]);
    expect(settled.blocks[0]).toEqual({
      type: "field",
      source: "dynamic_field",
      ref: { fieldKey: "grade" },
      regionKey: "main",
    });
    expect(settle(staging, "CONTRACTOR", () => true).blocks[0]?.source).toBe("custom_field");
    expect(settledDigest(staging, "DYNAMIC_OBJECT")).toBe(contentDigest({ ...settled, stagedFieldDefinitions: [] }));
  });

  it("leave a content without staged changes unchanged", () => {
    expect(settle(staging, "DYNAMIC_OBJECT", () => false)).toBe(staging);
  });

  it("show a field only after it was created", () => {
    const withKey = withBlock(staging, 0, { ref: { draftFieldDefinitionId: "d_1", fieldKey: "grade" } });
    for (const content of [staging, withKey]) expect([...shownFields(content)]).toEqual([]);
    expect([...shownFields(settle(staging, "DYNAMIC_OBJECT", () => true))]).toEqual(["grade"]);
  });

  it("have equal digests for equal changes only", () => {
    expect(stagedDigest({ ...create, config: null, confirmDestructiveChange: false })).toBe(stagedDigest(create));
    expect(stagedDigest({ ...create, config: { defaultValue: null } })).not.toBe(stagedDigest(create));
  });
});

/** The same value with the members of every object in the opposite order. */
function shuffled<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => shuffled(item)) as T;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, shuffled(member)] as const);
  return Object.fromEntries(entries.reverse()) as T;
}
