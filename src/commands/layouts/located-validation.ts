/** A validation's messages at their places in the file that the draft came from. */

import type { Document } from "../../documents/document.ts";
import { blockPaths } from "../../schemas/block-paths.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";

/**
 * In their order. A message without a path is placed by the id of its block, and one
 * without either at the start of the file.
 */
export function locateValidation(
  document: Document,
  draft: Pick<DraftContent, "blocks">,
  diagnostics: readonly Diagnostic[],
): Located[] {
  let paths: Map<string, string> | undefined;
  const pathOfBlock = (id: string) => (paths ??= blockPaths(draft.blocks)).get(id);
  return diagnostics.map((message) => {
    const path = message.path ?? (message.blockId === undefined ? undefined : pathOfBlock(message.blockId));
    return { ...message, file: document.file, ...document.locate(path ?? "") };
  });
}
