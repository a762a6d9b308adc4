/** Gives ids to the blocks and bindings of a draft that have none, so that later drafts and diffs can name them. */

import type { Block, DraftContent } from "../schemas/draft.ts";
import type { NewId } from "./ids.ts";

/** The same content, everything kept as it was given, with an id on each block and each script binding. */
export function withIds(content: DraftContent, newId: NewId): DraftContent {
  const blockIds = new Set<string>();
  collectIds(content.blocks, blockIds);
  const bindingIds = new Set(content.scriptBindings.flatMap((binding) => binding.id ?? []));
  return {
    ...content,
    blocks: nameBlocks(content.blocks, () => freshId(() => newId("block"), blockIds)),
    scriptBindings: content.scriptBindings.map((binding) => ({
      ...binding,
      id: binding.id ?? freshId(() => newId("binding"), bindingIds),
    })),
  };
}

function collectIds(blocks: readonly Block[], ids: Set<string>): void {
  for (const block of blocks) {
    if (block.id !== undefined) ids.add(block.id);
    if (block.children) collectIds(block.children, ids);
  }
}

function nameBlocks(blocks: readonly Block[], fresh: () => string): Block[] {
  return blocks.map((block) => {
    const named = { ...block, id: block.id ?? fresh() };
    return block.children ? { ...named, children: nameBlocks(block.children, fresh) } : named;
  });
}

/** An id that the draft does not have yet: callers choose their ids freely, so that ours could meet one of them. */
function freshId(make: () => string, taken: Set<string>): string {
  let id = make();
  while (taken.has(id)) id = make();
  taken.add(id);
  return id;
}
