/** Prepares the content of a version for a function that edits it. */

import type { DraftContent } from "../schemas/draft.ts";
import { withoutStamp } from "./compare.ts";
import { withoutComputed } from "./normal.ts";

/**
 * Returns a content for the functions that edit it. The content lacks the stamp and the members that servers compute.
 * The stamp is a member of the metadata. By the stamp, formctl recognizes its own versions. A block is copied
 * only if the block or a child has computed members.
 */
export function editable(content: DraftContent): DraftContent {
  return { ...withoutStamp(content), blocks: withoutComputed(content.blocks) };
}
