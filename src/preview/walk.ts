/** Walks through the parts of a preview. */

import type { Preview, PreviewBlock, PreviewProblem } from "./model.ts";

/** Returns the blocks with all blocks in them, each before its children. */
export function allBlocks(blocks: readonly PreviewBlock[]): PreviewBlock[] {
  return blocks.flatMap((block) => [block, ...allBlocks(block.children)]);
}

/** Returns the problems of the layout, of its regions and of its blocks. */
export function allProblems({ problems, regions }: Preview): PreviewProblem[] {
  const parts = regions.flatMap((region) => [region, ...allBlocks(region.blocks)]);
  return [...problems, ...parts.flatMap((part) => part.problems)];
}
