import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { DraftContent } from "../../src/schemas/draft.ts";
import { targetKey } from "../../src/schemas/target-key.ts";
import { storedContent } from "../../src/engine/stored-draft.ts";

const nothing: DraftContent = {
  schemaVersion: 1,
  regions: [],
  blocks: [],
  stagedFieldDefinitions: [],
  scriptBindings: [],
  metadata: null,
};

describe("a stored content", () => {
  it("is the same text for equal contents with different order of members", () => {
    const reversed = Object.fromEntries(Object.entries(nothing).reverse()) as DraftContent;
    expect(storedContent(reversed)).toEqual(storedContent(nothing));
  });

  it("has the SHA-256 of its text", () => {
    const { content, content_sha256 } = storedContent(nothing);
    expect(JSON.parse(content)).toEqual(nothing);
    expect(content_sha256).toBe(createHash("sha256").update(content).digest("hex"));
  });
});

describe("the key of a target", () => {
  it("is equal for null and absent members, and for any order of members", () => {
    expect(targetKey({ scopeId: null })).toBe(targetKey({}));
    expect(targetKey({ objectKey: "o", moduleKey: "m" })).toBe(targetKey({ moduleKey: "m", objectKey: "o" }));
  });

  it("differs for different members and values", () => {
    const keys = [{}, { scopeId: "a" }, { entityId: "a" }, { scopeId: "b" }].map(targetKey);
    expect(new Set(keys).size).toBe(4);
  });
});
