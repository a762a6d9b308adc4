import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canonicalJson, parseCanonical } from "../../src/schemas/json.ts";
import type { Block, DraftContent } from "../../src/schemas/draft.ts";
import { targetKey } from "../../src/schemas/target-key.ts";
import { storedContent } from "../../src/engine/stored-draft.ts";
import { type NotesWorld, NOTE, openNotesWorld } from "./forms-world.ts";

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

describe("a draft whose blocks have a known text", () => {
  let world: NotesWorld;
  beforeEach(async () => void (world = await openNotesWorld()));
  afterEach(() => world.close());

  const shown: Block = {
    id: "b1",
    type: "field",
    source: "dynamic_field",
    ref: { fieldKey: "text" },
    regionKey: "main",
  };

  /** Creates a form and saves a draft, by default with blocks of known text. */
  async function save({ blocks = parseCanonical<Block>(canonicalJson([shown])), staged = [] as object[] } = {}) {
    const { service } = world;
    const body = { name: "Form", types: ["VIEW" as const] };
    const { id: formId, viewLayoutId: layoutId } = await service.createForm({ ...NOTE, body });
    const regions = [{ key: "main", label: "Main", layout: "grid" as const, columns: 12 }];
    const draft = { schemaVersion: 1 as const, regions, blocks, stagedFieldDefinitions: staged as never };
    const saved = await service.saveDraft({ layoutId, body: { clientMutationId: "save", ...draft } });
    const publishing = { clientMutationId: "publish", draftVersionId: saved.draftVersionId };
    return {
      formId,
      layoutId,
      saved,
      publish: (more = {}) => service.publishLayout({ layoutId, body: { ...publishing, ...more } }),
    };
  }

  it("is stored, validated and published like any other draft", async () => {
    const known = await save();
    const plain = await save({ blocks: [shown] });
    const [one, other] = [await known.publish(), await plain.publish()];
    expect(one.publishedVersion.blocks).toEqual(other.publishedVersion.blocks);
    expect(one.validation).toEqual(other.validation);
    const { layoutId, saved } = known;
    const read = await world.service.getVersion({ layoutId, versionId: saved.draftVersionId });
    expect(read.blocks).toEqual([shown]);
    expect(await world.local.check()).toEqual([]);
  });

  it("is validated again if a field has been deleted since", async () => {
    const { publish } = await save();
    const other = await save({ blocks: [], staged: [{ draftId: "d1", action: "delete", key: "text" }] });
    await other.publish({ confirmFieldChanges: [{ draftId: "d1", confirmTypeChange: true, confirmValueClear: true }] });
    await expect(publish()).rejects.toMatchObject({ code: "DRAFT_INVALID" });
  });

  it("is validated again if the modes of the form have changed since", async () => {
    const { formId, publish } = await save({ blocks: parseCanonical("[]") });
    await world.service.updateForm({ ...NOTE, formId, body: { types: ["VIEW", "CREATE"] } });
    await expect(publish()).rejects.toMatchObject({ code: "DRAFT_INVALID" });
  });

  it("does not change with the list of blocks in the response", async () => {
    const { layoutId, publish } = await save();
    const { publishedVersion } = await publish();
    publishedVersion.blocks.push({ ...shown, id: "b2" });
    const { metadata, regions, blocks } = publishedVersion;
    const draft = { schemaVersion: 1 as const, metadata, regions, blocks };
    await world.service.saveDraft({ layoutId, body: { clientMutationId: "again", ...draft } });
    const [newest] = await world.service.listVersions({ layoutId });
    expect(newest?.blocks.map(({ id }) => id)).toEqual(["b1", "b2"]);
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
