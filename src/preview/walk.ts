/** Walks through the parts of a preview. */

import type { Preview, PreviewBlock, PreviewProblem, PreviewRegion } from "./model.ts";

/** Returns the blocks with all blocks in them, each before its children. */
export function allBlocks(blocks: readonly PreviewBlock[]): PreviewBlock[] {
  return blocks.flatMap((block) => [block, ...allBlocks(block.children)]);
}

/** Returns all parts of a layout in their order: each region, then its blocks. */
export function allParts({ regions }: Preview): (PreviewRegion | PreviewBlock)[] {
  return regions.flatMap((region) => [region, ...allBlocks(region.blocks)]);
}

/** Returns the problems of the layout, of its regions and of its blocks. */
export function allProblems(preview: Preview): PreviewProblem[] {
  return [...preview.problems, ...allParts(preview).flatMap((part) => part.problems)];
}
