/** The draft that comes with a new layout: replaced only while nobody else has been at it. */

import type { DraftContent } from "../../schemas/draft.ts";
import { localRefusal, type Service } from "../../service.ts";
import { contentDigest, isInitialDraft } from "../content/compare.ts";
import { readStamp } from "../content/stamp.ts";
import { contentOf, wholeVersion } from "../../lists/versions.ts";

/**
 * The id of a draft that is as the service made it. Null: somebody has saved another one since, as a run elsewhere that
 * creates the same; undefined: the service does not tell.
 *
 * @param isOld it was made by a run before, and anybody may have filled it since: only what is empty is untouched
 */
export async function untouchedDraft(
  service: Service,
  layoutId: string,
  isOld = false,
): Promise<string | null | undefined> {
  try {
    const versions = await service.listVersions({ layoutId });
    const [only] = versions;
    // Another server may list versions without saying what they are.
    if (!only || only.status === undefined) return undefined;
    if (versions.length > 1 || only.status !== "DRAFT") return null;
    const content = contentOf(await wholeVersion(service, layoutId, only));
    // What a service puts into it, it alone knows; our own stamp it does not put there.
    if (readStamp(content)) return null;
    if (!isOld) return only.id;
    return isInitialDraft({ content }, null) ? only.id : null;
  } catch {
    // What was made is made: that it can't be looked at now is no reason to say otherwise.
    return undefined;
  }
}

/**
 * The version that somebody else has saved with the same content: two runs that create the same at once go on with it.
 *
 * @throws ServiceError 409 DRAFT_STALE where its content is different
 */
export async function sameDraft(service: Service, layoutId: string, content: DraftContent): Promise<string> {
  const wanted = contentDigest(content);
  const versions = await service.listVersions({ layoutId });
  for (const listed of versions) {
    if (listed.status === "ARCHIVED") continue;
    const version = await wholeVersion(service, layoutId, listed);
    if (contentDigest(contentOf(version)) === wanted) return listed.id;
  }
  throw localRefusal(
    409,
    "DRAFT_STALE",
    "another user saved a different draft of the layout after this run created it",
  );
}
