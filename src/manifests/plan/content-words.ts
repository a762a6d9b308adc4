/** What a content holds, in a few words. */

import type { DraftContent } from "../../schemas/draft.ts";
import { contentChanges, withoutIds } from "../content/content.ts";
import { plural } from "./parts.ts";

/** What a draft holds that would be lost with it: `3 blocks in 1 region, 2 changes against what is published`. */
export function lossOf(content: DraftContent, published: DraftContent | undefined): string {
  const what = summaryOf(content);
  if (!published) return `${what}, never published`;
  const changes = contentChanges(withoutIds(content), published).length;
  return `${what}, ${plural(changes, "change")} against what is published`;
}

/** `12 blocks in 2 regions, 1 field change` */
export function summaryOf({ blocks, regions, stagedFieldDefinitions }: DraftContent): string {
  let count = 0;
  const stack = [...blocks];
  for (let block = stack.pop(); block; block = stack.pop()) {
    count++;
    stack.push(...(block.children ?? []));
  }
  const staged = stagedFieldDefinitions.length;
  return `${plural(count, "block")} in ${plural(regions.length, "region")}${staged > 0 ? `, ${plural(staged, "field change")}` : ""}`;
}
