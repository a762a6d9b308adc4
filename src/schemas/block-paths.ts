/** Finds the paths of the blocks in a draft by their ids. */

import type { Block } from "./draft.ts";
import { formatPath, type PathStep } from "./path.ts";

/** Returns the path of each block id. If several blocks have the same id, returns the path of the first one found. */
export function blockPaths(blocks: readonly Block[]): Map<string, string> {
  const paths = new Map<string, string>();
  const stack: { blocks: readonly Block[]; steps: PathStep[] }[] = [{ blocks, steps: ["blocks"] }];
  for (let frame = stack.pop(); frame; frame = stack.pop()) {
    for (const [index, block] of frame.blocks.entries()) {
      const steps = [...frame.steps, index];
      if (block.id !== undefined && !paths.has(block.id)) paths.set(block.id, formatPath(steps));
      if (block.children) stack.push({ blocks: block.children, steps: [...steps, "children"] });
    }
  }
  return paths;
}
