/** What is said about a manifest's layout, by paths of a draft, at its place in the file. */

import { blockPaths } from "../../schemas/block-paths.ts";
import type { Diagnostic, Located } from "../../schemas/diagnostic.ts";
import type { DraftContent } from "../../schemas/draft.ts";
import type { Manifest } from "../manifest.ts";

/** A message without a path is placed by the id of its block, and one without either where the layout is. */
export function locateContent(
  { content, locate }: { content?: DraftContent } & Pick<Manifest, "locate">,
  diagnostics: readonly Diagnostic[],
): Located[] {
  let paths: Map<string, string> | undefined;
  const pathOfBlock = (id: string) => (paths ??= blockPaths(content?.blocks ?? [])).get(id);
  return diagnostics.map((diagnostic) => {
    const { path = diagnostic.blockId === undefined ? undefined : pathOfBlock(diagnostic.blockId) } = diagnostic;
    return locate({ ...diagnostic, path: path ? `layout.${path}` : "layout" });
  });
}
