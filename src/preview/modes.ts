/** Reduces a preview to one mode. */

import type { Mode } from "../schemas/words.ts";
import type { Preview, PreviewBlock, PreviewProblem } from "./model.ts";

/** Returns the preview with the blocks of one mode. The problems of other blocks move to the problems of the layout. */
export function inMode(preview: Preview, mode: Mode): Preview {
  const rest: PreviewProblem[] = [...preview.problems];
  const shown = (blocks: readonly PreviewBlock[]): PreviewBlock[] =>
    blocks.flatMap((block) => {
      const children = shown(block.children);
      if (block.modes.includes(mode)) return [{ ...block, modes: [mode], children }];
      rest.push(...block.problems);
      return [];
    });
  const regions = preview.regions.map((region) => ({ ...region, blocks: shown(region.blocks) }));
  return { ...preview, modes: [mode], regions, problems: rest };
}
