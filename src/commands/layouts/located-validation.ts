/** A validation's messages at their places in the file that the draft came from. */

import type { Document } from "../../documents/document.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { Block, DraftContent } from "../../schemas/draft.ts";
import { formatPath, type PathStep } from "../../schemas/path.ts";

/**
 * Errors first, then warnings, each in its order. A message without a path is placed by the id of its block, and one
 * without either at the start of the file.
 */
export function locateValidation(
  document: Document,
  draft: Pick<DraftContent, "blocks">,
  { errors, warnings }: { errors: readonly Diagnostic[]; warnings: readonly Diagnostic[] },
): Located[] {
  let paths: Map<string, string> | undefined;
  const pathOfBlock = (id: string) => (paths ??= blockPaths(draft.blocks)).get(id);
  return [...errors, ...warnings].map((message) => {
    const path = message.path ?? (message.blockId === undefined ? undefined : pathOfBlock(message.blockId));
    return { ...message, file: document.file, ...document.locate(path ?? "") };
  });
}

/** Where the block of each id stands; of equal ids the first. */
function blockPaths(blocks: readonly Block[]): Map<string, string> {
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
