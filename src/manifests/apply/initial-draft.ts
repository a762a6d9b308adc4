/**
 * Recognizes the initial draft, which the service creates together with a layout. An apply may replace it as long as no
 * other run or user has saved another version.
 */

import type { DraftContent } from "../../schemas/draft.ts";
import { localRefusal, type Service } from "../../service.ts";
import { contentDigest, isInitialDraft } from "../content/compare.ts";
import { readStamp } from "../content/stamp.ts";
import { contentOf, wholeVersion } from "../../lists/versions.ts";

/**
 * Returns the id of the initial draft in the member `firstDraftId`, as journal entries store it. The member is an empty
 * text if another version has been saved since, and absent if the service does not show the draft.
 *
 * @param isOld whether an earlier run created the layout. Any user may have changed its draft since then, so only an
 *   empty draft counts as initial
 */
export async function initialDraftIds(
  service: Service,
  layoutId: string,
  { isOld = false } = {},
): Promise<{ firstDraftId?: string }> {
  try {
    const versions = await service.listVersions({ layoutId });
    const [only] = versions;
    // A server may list versions without their status.
    if (!only || only.status === undefined) return {};
    if (versions.length > 1 || only.status !== "DRAFT") return REPLACED;
    const content = contentOf(await wholeVersion(service, layoutId, only));
    // The initial draft of the service may have any content, but never a stamp of formctl.
    if (readStamp(content) || (isOld && !isInitialDraft({ content }, null))) return REPLACED;
    return { firstDraftId: only.id };
  } catch {
    // The layout was created, even if its versions can't be read now.
    return {};
  }
}

const REPLACED = { firstDraftId: "" };

/**
 * Returns the id of the version that has the given content. Used if another run created the same layout and saved its
 * draft first: this run then continues with the version of the other run.
 *
 * @throws ServiceError 409 DRAFT_STALE if no version has this content
 */
export async function findEqualVersion(service: Service, layoutId: string, content: DraftContent): Promise<string> {
  const wanted = contentDigest(content);
  for (const listed of await service.listVersions({ layoutId })) {
    if (listed.status === "ARCHIVED") continue;
    const version = await wholeVersion(service, layoutId, listed);
    if (contentDigest(contentOf(version)) === wanted) return listed.id;
  }
  const message = "another user saved a different draft of the layout after this run created it";
  throw localRefusal(409, "DRAFT_STALE", message);
}
