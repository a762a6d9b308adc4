/**
 * Keeps contents in memory in one of two ways:
 *
 * - Packed: the blocks are compressed text. Blocks are nearly all of a content, and as objects they need thirty times as
 *   much memory, so a plan for thousands of manifests would need gigabytes.
 * - Remembered: what was computed of the content is kept too, so that a plan does not compute again what a migration has
 *   computed while it read the target.
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Block, DraftContent } from "../schemas/draft.ts";
import { canonicalJson, detached, withSortedMembers } from "../schemas/json.ts";
import { sha256 } from "../sha256.ts";

type Members = Omit<DraftContent, "blocks">;

/**
 * A content whose blocks are unpacked when they are read. The members are in canonical order. `blocks` is an own
 * member, so that the content can be copied and printed like any other.
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
 * Returns an equal content with sorted members, whose blocks are unpacked at each read of `blocks`. Callers must not
 * change that list, because the next read may unpack a list without the change. Returns a packed content unchanged.
 */
export function packContent(content: DraftContent): DraftContent {
  return packSorted(content instanceof PackedContent ? content : withSortedMembers(content));
}

/** Same as {@link packContent}, for a content whose members are sorted. */
export function packSorted(content: DraftContent): DraftContent {
  if (content instanceof PackedContent) return content;
  const { blocks, ...members } = content;
  // The texts of a content that was read from a file are parts of the text of the file, and would keep it in memory.
  return new PackedContent(detached(members), pack(blocks));
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

/** A small window, because setting up a larger one takes longer than compressing a layout. */
const WINDOW = { level: 1, memLevel: 5, windowBits: 12 };

/** The sizes of zlib's buffers. The blocks of most layouts need one buffer, and a larger one takes longer to allocate. */
const COMPRESSED_SIZE = 4_096;
const TEXT_SIZE = 24_576;

function inflate(bytes: Uint8Array): string {
  return inflateRawSync(bytes, { ...WINDOW, chunkSize: TEXT_SIZE }).toString();
}

function pack(blocks: Block[]): Uint8Array {
  const text = Buffer.from(JSON.stringify(blocks));
  // The result of zlib is a part of a larger buffer, which must not stay in memory.
  const bytes = new Uint8Array(deflateRawSync(text, { ...WINDOW, chunkSize: COMPRESSED_SIZE }));
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
 * The blocks that were packed or unpacked last, because the functions that compare contents read their blocks several
 * times. A plan compares up to four contents: the desired one, the published one, the draft, and the one to save.
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
 * Returns what `compute` returns, or has returned before for the same contents.
 *
 * @param name identifies the computation
 * @param other the content that `content` is compared with. Undefined for a computation with one content
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
