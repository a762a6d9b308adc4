/**
 * Keeps the blocks of contents as compressed text. Blocks are nearly all of a content, and as objects they need thirty
 * times as much memory, so a plan for thousands of manifests would need gigabytes.
 */

import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { detached, withSortedMembers } from "../../schemas/json.ts";

/** The packed blocks of contents that `packContent` has returned. */
const packed = new WeakMap<DraftContent, Uint8Array>();

/**
 * The blocks that were packed or unpacked most recently, because the functions that compare contents read their blocks
 * several times.
 */
const recent = new Map<Uint8Array, Block[]>();
/** A plan compares up to four contents: the desired, the published, the draft, and the one to save. */
const MOST_RECENT = 4;

/**
 * Returns an equal content with sorted members, whose blocks are unpacked when they are read. Later reads may return
 * another, equal list, so nothing must change it. Returns a packed content unchanged.
 */
export function packContent(content: DraftContent): DraftContent {
  if (packed.has(content)) return content;
  const { blocks, ...others } = withSortedMembers(content);
  // The texts of a content that was read from a file are parts of the text of the file.
  return packedContent(detached(others), pack(blocks));
}

/** Returns `content` as it is to be kept next to `other`: packed if `other` is, and with sorted members. */
export function packLike(other: DraftContent, content: DraftContent): DraftContent {
  return packed.has(other) ? packContent(content) : withSortedMembers(content);
}

/** Returns the content with other metadata. The blocks of a packed content stay packed. */
export function withMetadata(content: DraftContent, metadata: DraftContent["metadata"]): DraftContent {
  const bytes = packed.get(content);
  if (!bytes) return { ...content, metadata };
  const { schemaVersion, regions, stagedFieldDefinitions, scriptBindings } = content;
  const sorted = withSortedMembers(metadata);
  return packedContent({ schemaVersion, regions, stagedFieldDefinitions, scriptBindings, metadata: sorted }, bytes);
}

function packedContent(content: Omit<DraftContent, "blocks">, bytes: Uint8Array): DraftContent {
  const { metadata, regions, schemaVersion, scriptBindings, stagedFieldDefinitions } = content;
  // The members are in canonical order.
  const result: DraftContent = {
    get blocks() {
      return unpack(bytes);
    },
    metadata,
    regions,
    schemaVersion,
    scriptBindings,
    stagedFieldDefinitions,
  };
  packed.set(result, bytes);
  return result;
}

/** A small window, because setting up a larger one takes longer than compressing a layout. */
const WINDOW = { level: 1, memLevel: 5, windowBits: 12 };

function pack(blocks: Block[]): Uint8Array {
  // The result of zlib is a part of a larger buffer, which must not stay in memory.
  const bytes = new Uint8Array(deflateRawSync(JSON.stringify(blocks), WINDOW));
  keepRecent(bytes, blocks);
  return bytes;
}

function unpack(bytes: Uint8Array): Block[] {
  const blocks = recent.get(bytes) ?? (JSON.parse(inflateRawSync(bytes, WINDOW).toString()) as Block[]);
  keepRecent(bytes, blocks);
  return blocks;
}

function keepRecent(bytes: Uint8Array, blocks: Block[]): void {
  recent.delete(bytes);
  recent.set(bytes, blocks);
  for (const oldest of recent.keys()) {
    if (recent.size <= MOST_RECENT) return;
    recent.delete(oldest);
  }
}
