/**
 * Keeps contents in memory in one of two ways:
 *
 * - Packed: the blocks are compressed text. Blocks are nearly all of a content. As objects, they need thirty times as
 *   much memory. A plan for thousands of manifests would then need gigabytes.
 * - Remembered: computed results are kept with the content. So a plan does not repeat the computations of a migration.
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Block, DraftContent } from "../schemas/draft.ts";
import { canonicalJson, detached, withSortedMembers } from "../schemas/json.ts";
import { sha256 } from "../base/sha256.ts";

type Members = Omit<DraftContent, "blocks">;

/** Called with the size in bytes of a content that was packed. */
export type OnPacked = (bytes: number) => void;

/**
 * A content with packed blocks. Each read of `blocks` unpacks them. The members are in canonical order. `blocks` is an
 * own member, so that the content can be copied and printed like any content.
 */
class PackedContent implements Members {
  // The members are only declared, because the constructor defines them in canonical order.
  declare readonly blocks: Block[];
  declare readonly metadata: DraftContent["metadata"];
  declare readonly regions: DraftContent["regions"];
  declare readonly schemaVersion: DraftContent["schemaVersion"];
  declare readonly scriptBindings: DraftContent["scriptBindings"];
  declare readonly stagedFieldDefinitions: DraftContent["stagedFieldDefinitions"];
  readonly #bytes: Uint8Array;

  constructor(
    { metadata, regions, schemaVersion, scriptBindings, stagedFieldDefinitions }: Members,
    bytes: Uint8Array,
  ) {
    Object.defineProperty(this, "blocks", { enumerable: true, get: () => unpack(bytes) });
    this.metadata = metadata;
    this.regions = regions;
    this.schemaVersion = schemaVersion;
    this.scriptBindings = scriptBindings;
    this.stagedFieldDefinitions = stagedFieldDefinitions;
    this.#bytes = bytes;
  }

  withBlocksHash(): Members & { blocks: string } {
    const { metadata, regions, schemaVersion, scriptBindings, stagedFieldDefinitions } = this;
    const blocks = sha256(inflate(this.#bytes));
    return { blocks, metadata, regions, schemaVersion, scriptBindings, stagedFieldDefinitions };
  }

  withMetadata(metadata: DraftContent["metadata"]): PackedContent {
    const { regions, schemaVersion, scriptBindings, stagedFieldDefinitions } = this;
    return new PackedContent({ metadata, regions, schemaVersion, scriptBindings, stagedFieldDefinitions }, this.#bytes);
  }
}

/**
 * Returns an equal content with sorted members and packed blocks. Each read of `blocks` unpacks the blocks. Callers
 * must not change the list of blocks, because the next read may return a new list. A packed content is returned
 * unchanged.
 */
export function packContent(content: DraftContent, onPacked?: OnPacked): DraftContent {
  return packSorted(content instanceof PackedContent ? content : withSortedMembers(content), onPacked);
}

/** Same as {@link packContent}, for a content whose members are sorted. */
export function packSorted(content: DraftContent, onPacked?: OnPacked): DraftContent {
  if (content instanceof PackedContent) return content;
  const { blocks, ...members } = content;
  const bytes = pack(blocks);
  onPacked?.(bytes.byteLength + JSON.stringify(members).length);
  // Strings that were cut out of the text of a file keep this whole text in memory. So they are copied.
  return new PackedContent(detached(members), bytes);
}

/** Returns a copy with packed blocks, as in {@link packContent}. The members keep their order. */
export function packBlocks<T extends { blocks: Block[] }>(value: T, onPacked?: OnPacked): T {
  const bytes = pack(value.blocks);
  onPacked?.(bytes.byteLength + JSON.stringify({ ...value, blocks: [] }).length);
  return Object.defineProperty({ ...value }, "blocks", { enumerable: true, get: () => unpack(bytes) });
}

/** Compresses a text. @returns a function that returns the text */
export function packText(text: string): () => string {
  const bytes = deflate(text);
  return () => inflate(bytes);
}

/** Returns `content` with sorted members, and packed if `other` is packed. */
export function packLike(other: DraftContent, content: DraftContent): DraftContent {
  if (other instanceof PackedContent) return packContent(content);
  return once("sorted", content, undefined, () => withSortedMembers(content));
}

/** Returns the content with other metadata. The blocks of a packed content stay packed. */
export function withMetadata(content: DraftContent, metadata: DraftContent["metadata"]): DraftContent {
  if (content instanceof PackedContent) return content.withMetadata(withSortedMembers(metadata));
  return { ...content, metadata };
}

/**
 * Returns the content with the hash of the canonical text of its blocks instead of the blocks. Creates no blocks for a
 * packed content.
 */
export function withBlocksHash(content: DraftContent): Members & { blocks: string } {
  if (content instanceof PackedContent) return content.withBlocksHash();
  return { ...content, blocks: sha256(canonicalJson(content.blocks)) };
}

function deflate(text: string): Uint8Array {
  // The result of zlib is a part of a larger buffer. Without the copy, the whole buffer would stay in memory.
  return new Uint8Array(deflateRawSync(text, { level: 1 }));
}

function inflate(bytes: Uint8Array): string {
  return inflateRawSync(bytes).toString();
}

function pack(blocks: Block[]): Uint8Array {
  const bytes = deflate(JSON.stringify(blocks));
  keepRecent(bytes, blocks);
  return bytes;
}

function unpack(bytes: Uint8Array): Block[] {
  const known = recent.find((each) => each?.bytes === bytes);
  const blocks = known?.blocks ?? (JSON.parse(inflate(bytes)) as Block[]);
  if (!known) keepRecent(bytes, blocks);
  return blocks;
}

/**
 * The blocks that were packed or unpacked last. The functions that compare contents read the same blocks several times.
 * A plan compares at most four contents: the desired content, the published content, the draft, and the content to
 * save.
 */
const recent: ({ bytes: Uint8Array; blocks: Block[] } | undefined)[] = [undefined, undefined, undefined, undefined];
let oldest = 0;

function keepRecent(bytes: Uint8Array, blocks: Block[]): void {
  recent[oldest] = { bytes, blocks };
  oldest = (oldest + 1) % recent.length;
}

type Remembered = { other: DraftContent | undefined; result: unknown };

const memory = new WeakMap<DraftContent, Map<string, Remembered>>();

/** Remembers digests and comparisons of a content from now on. The content must not be changed any more. */
export function remember(content: DraftContent): void {
  if (!memory.has(content)) memory.set(content, new Map());
}

export function isRemembered(content: DraftContent): boolean {
  return memory.has(content);
}

/**
 * Returns the result of `compute`. For a remembered content, keeps the last result of each computation, and returns it
 * again for the same `other`.
 *
 * @param name identifies the computation
 * @param other the content to compare with `content`. Undefined for a computation with one content
 */
export function once<T>(name: string, content: DraftContent, other: DraftContent | undefined, compute: () => T): T {
  const known = memory.get(content);
  if (!known) return compute();
  const before = known.get(name);
  if (before?.other === other && before) return before.result as T;
  const result = compute();
  known.set(name, { other, result });
  return result;
}
