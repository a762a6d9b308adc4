/**
 * The draft that the service creates with a layout: an apply replaces it as long as no other run or user saved another
 * one.
 */

import type { DraftContent } from "../../schemas/draft.ts";
import { localRefusal, type Service } from "../../service.ts";
import { contentDigest, isInitialDraft } from "../content/compare.ts";
import { readStamp } from "../content/stamp.ts";
import { contentOf, wholeVersion } from "../../lists/versions.ts";

/**
 * The id of the initial draft as the member `firstDraftId` of the journal: empty if another version was saved since,
 * absent if the service does not show it.
 *
 * @param isOld an earlier run created the layout, and any user may have filled its draft since: only an empty one is
 *   initial
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
    // The service may put any content into its own draft, but no stamp of formctl.
    if (readStamp(content) || (isOld && !isInitialDraft({ content }, null))) return REPLACED;
    return { firstDraftId: only.id };
  } catch {
    // The layout is created, whether or not its versions can be read now.
    return {};
  }
}

const REPLACED = { firstDraftId: "" };

/**
 * Where another run created the same layout and saved its draft first: the version with the same content, which this run
 * continues with.
 *
 * @throws ServiceError 409 DRAFT_STALE where no version has this content
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
