/**
 * Decides whether a plan may overwrite an existing draft without confirmation, and adds notes about existing drafts.
 */

import type { DraftContent } from "../../schemas/draft.ts";
import type { Surface } from "../../schemas/layout.ts";
import { contentDigest, isInitialDraft, lossOf, sameContent, settledDigest, stagedDigest } from "../content/compare.ts";
import { isOwnDraft } from "../content/stamp.ts";
import type { LockedResource } from "../lock.ts";
import type { ContentState, InPlace, VersionState } from "../state.ts";
import type { Parts } from "./aspects.ts";
import type { Need } from "./planned.ts";

/**
 * Returns the confirmation that is required to overwrite a draft. Returns undefined if none is required: if formctl
 * saved the draft (its stamp or the lock matches its content), or if the draft contains no change that could be lost.
 */
export function replaceNeed(
  draft: VersionState,
  { published }: Pick<ContentState, "published">,
  { surface, target, locked }: { surface: Surface; target: DraftContent; locked: LockedResource | undefined },
): Need | undefined {
  const { content, stamp, isCopy } = draft;
  if (isInitialDraft(draft, published) || sameContent(target, content)) return undefined;
  if (published && contentDigest(content) === contentDigest(published.content)) return undefined;
  const digest = settledDigest(content, surface);
  const changes = new Set(stamp?.fieldChanges);
  const isStamped =
    stamp?.sha256 === digest && content.stagedFieldDefinitions.every((each) => changes.has(stagedDigest(each)));
  if ((isStamped && !isCopy) || locked?.base["content"] === digest) return undefined;
  return {
    consent: "allow-replace",
    what: `overwrite the unpublished draft ${draft.id}, which these manifests did not create`,
    lost: [`the draft ${draft.id}: ${lossOf(content, published?.content)}`],
  };
}

/**
 * Adds a note about an existing draft that the plan publishes, or that an earlier apply saved and did not publish. Call
 * it after the content is planned.
 */
export function noteOwnDraft(
  { notes, steps }: Parts,
  surface: Surface,
  { content, inPlace, publish }: { content: ContentState | undefined; inPlace: InPlace | undefined; publish: boolean },
): void {
  const draft = content?.draft;
  const isOwn = inPlace ? inPlace.isOwnDraft === true : draft != null && isOwnDraft(draft, surface);
  const requests = steps.map(({ request }) => request);
  const published = requests.find((request) => request.operation === "publishLayout")?.draft;
  if (published !== undefined) {
    const whose = isOwn ? "saved but not published by an earlier apply" : "which has the same content";
    notes.push(`the draft ${published}, ${whose}, is published as it is`);
  } else if (!isOwn) return;
  else if (requests.some(({ operation }) => operation === "saveDraft")) {
    notes.push(`the draft ${draft!.id}, saved but not published by an earlier apply, is replaced`);
  } else if (publish) notes.push("that draft was saved but not published by an earlier apply");
}
