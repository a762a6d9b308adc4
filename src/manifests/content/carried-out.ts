/** Which staged changes of a manifest have been carried out already: the file keeps them, and a server refuses to repeat them. */

import type { DraftContent, StagedField } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import { sameContent, settle, stagedDigest } from "./content.ts";
import type { ContentState, Stamp, VersionTrace } from "../state.ts";

export type CarriedOut = {
  has: (staged: StagedField) => boolean;
  /** Changes that nothing on the server shows: they are taken as done because all the rest is in place. */
  assumed: readonly StagedField[];
};

const NONE: CarriedOut = { has: () => false, assumed: [] };

/**
 * - With a stamp of ours in the history, its list decides, and a field that the published version shows is there.
 * - Without one, a field that any version has shown was created; and where nothing else differs, the other changes, which
 *   leave no trace, are taken as done.
 */
export function findCarriedOut(wanted: DraftContent, surface: Surface, current: ContentState | undefined): CarriedOut {
  const staged = wanted.stagedFieldDefinitions;
  if (staged.length === 0 || !current?.published) return NONE;
  const { published, earlier } = current;
  const stamp = lastStamp(current);
  if (stamp) {
    const listed = new Set(stamp.fieldChanges);
    return { has: (each) => listed.has(stagedDigest(each)) || isShown(each, [published]), assumed: [] };
  }
  const created = new Set(staged.filter((each) => isShown(each, [published, ...earlier])));
  const assumed = staged.filter((each) => !created.has(each));
  const all = { has: () => true, assumed };
  if (assumed.every(leavesNoTrace(wanted)) && sameContent(settle(wanted, surface, all.has), published.content))
    return all;
  return { has: (each) => created.has(each), assumed: [] };
}

/**
 * The stamp of our last publish. A version that was restored repeats the stamp of an older one, though nothing was
 * carried out by restoring it.
 */
export function lastStamp({ published, earlier }: Pick<ContentState, "published" | "earlier">): Stamp | undefined {
  return [...(published ? [published] : []), ...earlier].find(({ stamp, isCopy }) => stamp && !isCopy)?.stamp;
}

function isShown({ action, key }: StagedField, versions: readonly VersionTrace[]): boolean {
  return action === "create" && key !== undefined && versions.some(({ shows }) => shows.includes(key));
}

/** A created field that a block is to show would be seen. */
function leavesNoTrace({ blocks }: DraftContent): (staged: StagedField) => boolean {
  const placed = new Set<string>();
  const stack = [...blocks];
  for (let block = stack.pop(); block; block = stack.pop()) {
    if (block.ref?.draftFieldDefinitionId) placed.add(block.ref.draftFieldDefinitionId);
    stack.push(...(block.children ?? []));
  }
  return ({ action, draftId }) => action !== "create" || !placed.has(draftId);
}
